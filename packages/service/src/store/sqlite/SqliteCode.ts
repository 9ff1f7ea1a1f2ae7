/**
 * SQLite result codes in the exceptions of its driver and of `effect/sql`.
 */
import { SqlError } from "effect/sql/SqlError"

/** Another connection holds the required lock. */
export const busy = 5

/** A row violates a key or a constraint of its table. */
export const constraint = 19

/** The primary result code of an exception; undefined if SQLite did not throw it. */
export const codeOf = (cause: unknown): number | undefined => {
  if (typeof cause !== "object" || cause === null) return undefined
  if ("errcode" in cause && typeof cause.errcode === "number") return cause.errcode & 0xff
  if (cause instanceof SqlError) return codeOf(cause.reason.cause)
  return undefined
}

/** True for a code that depends on file permissions: the database is read-only, or cannot be opened. */
export const isPermission = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return code === 8 || code === 14
}
