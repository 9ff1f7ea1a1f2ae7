/** Paths in the home folder, written as for a shell. */

/** True for `~` and for paths that start with `~/`. Only a shell expands it, so the path would refer to a folder named `~`. */
export const isHomePath = (path: string): boolean => /^~(?:\/|$)/.test(path)
