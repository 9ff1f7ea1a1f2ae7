/**
 * Failures of PostgreSQL as errors of the store: by their SQLSTATE, and by the driver's reason where the server was not reached. A
 * message names the database, never its URL.
 */
import { SqlError } from "effect/sql/SqlError"
import { StoreError } from "../StoreError.ts"

interface Kind {
  readonly what: string
  readonly remedy: string
  readonly isRetryable: boolean
}

const unreachable: Kind = {
  what: "Database unreachable",
  remedy: "Check that PostgreSQL runs and accepts connections from this machine.",
  isRetryable: true,
}
const login: Kind = {
  what: "Database refused the login",
  remedy: 'Correct the user and password of "database".',
  isRetryable: false,
}
const conflict: Kind = { what: "Database busy", remedy: "Try again.", isRetryable: true }
const damaged: Kind = {
  what: "Database damaged",
  remedy: "Restore a backup, or drop the schema of the chain and index again.",
  isRetryable: false,
}
const full: Kind = {
  what: "Database out of space or memory",
  remedy: "Free some on its machine.",
  isRetryable: true,
}
const missing: Kind = {
  what: "Database schema missing",
  remedy: "The indexer of its chain makes it when it starts.",
  isRetryable: true,
}

/** By SQLSTATE, else by its class: the first two characters. */
const kinds: Readonly<Record<string, Kind>> = {
  "08": unreachable,
  "25006": {
    what: "Database read-only",
    remedy: "It may be a standby: name the primary, or wait for its promotion.",
    isRetryable: true,
  },
  "25P02": conflict,
  "25P03": { ...conflict, what: "Transaction of the database ended, as it waited too long" },
  "28": login,
  "3D000": { what: "Database missing", remedy: "Create it, or correct its name.", isRetryable: false },
  "3F000": missing,
  "40001": conflict,
  "40P01": conflict,
  "42501": {
    what: "Database permission missing",
    remedy: "The user needs CREATE on the database, or owns the schemas that exist.",
    isRetryable: false,
  },
  "42P01": missing,
  "53": full,
  "53300": { ...unreachable, what: "Database has too many connections", remedy: "Raise max_connections." },
  "55P03": conflict,
  "57": unreachable,
  "57014": { ...conflict, what: "Statement of the database cancelled" },
  // Of a snapshot that is older than the server keeps rows for.
  "72": conflict,
  "58": { what: "Disk error in database", remedy: "Check its disk.", isRetryable: true },
  XX001: damaged,
  XX002: damaged,
}

/** The SQLSTATE of a failure; `undefined` where the server sent none. */
export const sqlState = ({ reason: { cause } }: SqlError): string | undefined =>
  typeof cause === "object" &&
  cause !== null &&
  "code" in cause &&
  typeof cause.code === "string" &&
  isState(cause.code)
    ? cause.code
    : undefined

/** Whether the server found rows or an index damaged. */
export const isDamage = ({ cause }: StoreError): boolean =>
  cause instanceof SqlError && kinds[sqlState(cause) ?? ""] === damaged

const isState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code)

const kindOf = (error: SqlError, state: string | undefined): Kind | undefined => {
  if (state !== undefined) return kinds[state] ?? kinds[state.slice(0, 2)]
  if (error.reason._tag === "ConnectionError") return unreachable
  return error.reason._tag === "AuthenticationError" ? login : undefined
}

const errorOf = (name: string, { isRetryable, remedy, what }: Kind): StoreError =>
  new StoreError({ message: `${what}: ${name}. ${remedy}`, isRetryable, cause: undefined })

/** A server that accepted a connection or a statement and did not answer in time. */
export const unanswered = (name: string): StoreError =>
  errorOf(name, {
    what: "Database does not answer",
    remedy: "Check the load, the disks and the network of its machine.",
    isRetryable: true,
  })

/** A transaction that the server rolled back instead of committing. */
export const rolledBack = (name: string): StoreError =>
  errorOf(name, { ...conflict, what: "Transaction of the database rolled back" })

/** The error of a database; `name` is shown. */
export const toStoreError = (name: string, cause: SqlError): StoreError => {
  const state = sqlState(cause)
  const kind = kindOf(cause, state)
  const detail = state === undefined ? "" : ` (SQLSTATE ${state})`
  return new StoreError({
    message:
      kind === undefined ? `Database failed: ${name}${detail}.` : `${kind.what}: ${name}${detail}. ${kind.remedy}`,
    isRetryable: kind?.isRetryable ?? false,
    cause,
  })
}
