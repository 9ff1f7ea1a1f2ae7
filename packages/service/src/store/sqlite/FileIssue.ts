/**
 * Why the operating system refuses a file or a folder: SQLite says only that it cannot open one. Looks, and changes nothing.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname } from "node:path"

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a folder",
  ELOOP: "links lead in a circle",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "no such file or folder",
  ENOSPC: "no space left on the disk",
  ENOTDIR: "a file stands where a folder is needed",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
}

/** The system's code in what it threw; undefined where there is none. */
export const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/** A code as a person reads it: `EACCES, permission denied`. */
export const say = (code: string): string => (words[code] === undefined ? code : `${code}, ${words[code]}`)

/** The part of a path that is meant, and why it cannot be used. */
export interface FileIssue {
  readonly path: string
  readonly code: string
}

const refusal = (path: string, mode: number): FileIssue | undefined => {
  try {
    accessSync(path, mode)
    return undefined
  } catch (cause) {
    return { path, code: codeOf(cause) ?? "unknown" }
  }
}

/** What stands in the way of a file that is to be read, or read and written; undefined when nothing is found. */
export const find = (file: string, readOnly: boolean): FileIssue | undefined => {
  const folder = dirname(file)
  if (existsSync(folder) && !statSync(folder).isDirectory()) return { path: folder, code: "ENOTDIR" }
  const ofFolder = refusal(folder, readOnly ? constants.X_OK : constants.X_OK | constants.W_OK)
  if (!existsSync(folder) && ofFolder !== undefined) return ofFolder
  if (!existsSync(file)) return ofFolder ?? (readOnly ? { path: file, code: "ENOENT" } : undefined)
  if (statSync(file).isDirectory()) return { path: file, code: "EISDIR" }
  return refusal(file, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK) ?? ofFolder
}
