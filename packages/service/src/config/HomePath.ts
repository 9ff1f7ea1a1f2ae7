/** Paths in the home folder as they are written for a shell. */

/** True for `~` and what begins with `~/`: only a shell replaces it, so that the path would lead to a folder of this name. */
export const isHomePath = (path: string): boolean => /^~(?:\/|$)/.test(path)
