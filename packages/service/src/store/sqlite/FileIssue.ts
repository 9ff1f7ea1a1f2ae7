/**
 * Determines why the operating system denies access to a file or a folder, which SQLite does not report. Changes nothing.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname } from "node:path"

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "disk quota exceeded",
  EISDIR: "is a folder",
  ELOOP: "circular symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or folder",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a folder",
  EPERM: "not permitted",
  EROFS: "read-only file system",
}

/** The operating system's error code in a thrown value; undefined if there is none. */
export const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/** A code with its meaning: `EACCES, permission denied`. */
export const describe = (code: string): string => (words[code] === undefined ? code : `${code}, ${words[code]}`)

/** The unusable part of a path, and the error code. */
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

/** Why a file cannot be read, or read and written; undefined if no reason is found. */
export const find = (file: string, readOnly: boolean): FileIssue | undefined => {
  const folder = dirname(file)
  if (existsSync(folder) && !statSync(folder).isDirectory()) return { path: folder, code: "ENOTDIR" }
  const ofFolder = refusal(folder, readOnly ? constants.X_OK : constants.X_OK | constants.W_OK)
  if (!existsSync(folder) && ofFolder !== undefined) return ofFolder
  if (!existsSync(file)) return ofFolder ?? (readOnly ? { path: file, code: "ENOENT" } : undefined)
  if (statSync(file).isDirectory()) return { path: file, code: "EISDIR" }
  return refusal(file, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK) ?? ofFolder
}
