/**
 * Result codes of SQLite in the exceptions of its driver and of `effect/sql`.
 */
import { SqlError } from "effect/sql/SqlError"

/** Another connection holds the lock that is needed. */
export const busy = 5

/** A row contradicts a key or a condition of its table. */
export const constraint = 19

/** The primary result code of an exception; undefined where SQLite did not throw it. */
export const codeOf = (cause: unknown): number | undefined => {
  if (typeof cause !== "object" || cause === null) return undefined
  if ("errcode" in cause && typeof cause.errcode === "number") return cause.errcode & 0xff
  if (cause instanceof SqlError) return codeOf(cause.reason.cause)
  return undefined
}

/** True for a code that depends on the permissions of files: the database is read-only, or cannot be opened. */
export const isPermission = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return code === 8 || code === 14
}
