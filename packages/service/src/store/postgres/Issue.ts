/**
 * Converts PostgreSQL failures to errors of the store, by their SQLSTATE, or by the driver's reason if the server was not reached. A
 * message names the database and the failed Citus node, never a URL.
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
const lost: Kind = {
  what: "Connection to the database lost",
  remedy:
    "See its log, and that of any pooler in front of it: both end what exceeds their time limits, such as query_wait_timeout of PgBouncer.",
  isRetryable: true,
}
const untrusted: Kind = {
  what: "Database unreachable by TLS",
  remedy: 'Check the certificate of the server, and "sslmode" and "sslrootcert" of "database".',
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
const lostNode: Kind = {
  what: "Database node unreachable",
  remedy: "Check that PostgreSQL runs there and accepts connections from the coordinator.",
  isRetryable: true,
}
const pooled: Kind = {
  what: "Prepared statement lost between transactions",
  remedy: "A pooler in front of the database must pool sessions.",
  isRetryable: false,
}
const missing: Kind = {
  what: "Database schema missing",
  remedy: "The indexer of its chain creates it when it starts.",
  isRetryable: true,
}

/** By SQLSTATE, otherwise by its class: the first two characters. */
const kinds: Readonly<Record<string, Kind>> = {
  "08": unreachable,
  "08P01": {
    what: "Database refused the connection",
    remedy: "Behind a pooler, check that it knows a database of this name, and its log.",
    isRetryable: true,
  },
  "25006": {
    what: "Database read-only",
    remedy:
      "It may be a standby: name the primary, or wait for its promotion. Otherwise unset default_transaction_read_only.",
    isRetryable: true,
  },
  "25P02": {
    what: "Database transaction failed earlier",
    remedy: "A pooler in front of the database must pool sessions.",
    isRetryable: true,
  },
  "25P03": { ...conflict, what: "Database transaction ended because it waited too long" },
  "25P04": {
    ...conflict,
    what: "Database transaction ended because it took too long",
    remedy: "Raise transaction_timeout.",
  },
  "26000": pooled,
  "28": login,
  "3D000": { what: "Database missing", remedy: "Create it, or correct its name.", isRetryable: false },
  "3F000": missing,
  "40001": conflict,
  "40P01": conflict,
  "42501": {
    what: "Database permission missing",
    remedy: "Grant the user CREATE on the database, or make it the owner of the existing schemas.",
    isRetryable: false,
  },
  "42P01": missing,
  "42P05": pooled,
  "53": full,
  "53300": { ...unreachable, what: "Database has too many connections", remedy: "Raise max_connections." },
  "53400": { ...full, what: "Database limit reached", remedy: "Raise temp_file_limit." },
  "55P03": conflict,
  "57": unreachable,
  "57014": { ...conflict, what: "Database statement cancelled" },
  // Of a snapshot older than the rows that the server retains.
  "72": conflict,
  "58": { what: "Disk error in database", remedy: "Check its disk.", isRetryable: true },
  // Citus also reports the loss of a node with it.
  XX000: { what: "Internal database error", remedy: "See the log of PostgreSQL.", isRetryable: true },
  XX001: damaged,
  XX002: damaged,
}

/** Fields of an error sent by a server. */
interface ServerError {
  readonly code: string
  readonly message: string
  /** Statements and functions in which it occurred. */
  readonly where?: string | undefined
}

/** Code of an error from the server or from a socket. */
const codeOf = (cause: Error): unknown => (cause as { readonly code?: unknown }).code

/** The driver copies the fields of the message, which are strings. A socket error also has a code, such as `EPIPE`, but no severity. */
const isServerError = (cause: unknown): cause is Error & ServerError =>
  cause instanceof Error && "severity" in cause && typeof codeOf(cause) === "string"

/** The server's error. */
const serverError = ({ reason: { cause } }: SqlError): ServerError | undefined =>
  isServerError(cause) ? cause : undefined

/** SQLSTATE of a failure; `undefined` if the server sent none. */
export const sqlState = (error: SqlError): string | undefined => serverError(error)?.code

/** Whether the server rolled back a transaction in favour of another one: a retry may succeed. */
export const isUndone = (error: SqlError): boolean => sqlState(error) === "40001"

/** Whether the server found damaged rows or a damaged index. */
export const isDamage = ({ cause }: StoreError): boolean =>
  cause instanceof SqlError && kinds[sqlState(cause) ?? ""] === damaged

/** States with which a coordinator reports a lost node: of connections, of the server, of its disk, and others. */
const nodeStates = /^(08|57P|58|XX000)/

/** How Citus names a node in a message or its context: host and port. */
const nodeName = /\b(?:node|on|essential:|host) (?:[^\s@]+@)?([^\s@:]+:\d{1,5})\b/

/** The Citus node that failed; `undefined` if the server names none. */
const nodeOf = ({ message, where = "" }: ServerError): string | undefined =>
  nodeName.exec(message)?.[1] ?? nodeName.exec(where)?.[1]

/** Whether a row violates the key of its table. */
export const isConflict = ({ cause }: StoreError): boolean => cause instanceof SqlError && sqlState(cause) === "23505"

/** Node.js codes for a rejected certificate, and for a failure within TLS. */
const tlsCode = /^ERR_(?:SSL|TLS|OSSL)_|CERT|SIGNATURE/

/** Why TLS with a server failed; `undefined` for other failures. */
const tlsIssue = ({ reason: { _tag, cause } }: SqlError): string | undefined => {
  if (_tag !== "ConnectionError" || !(cause instanceof Error)) return undefined
  if (cause.message === "The server does not support TLS") return "it has none"
  const code = String(codeOf(cause))
  return tlsCode.test(code) ? code : undefined
}

const kindOf = (error: SqlError, state: string | undefined): Kind | undefined => {
  if (state !== undefined) return kinds[state] ?? kinds[state.slice(0, 2)]
  if (error.reason._tag === "ConnectionError") {
    if (tlsIssue(error) !== undefined) return untrusted
    // The driver drops the error with which the server ends a connection while a statement runs.
    return error.reason.operation === "query" ? lost : unreachable
  }
  return error.reason._tag === "AuthenticationError" ? login : undefined
}

const errorOf = (name: string, { isRetryable, remedy, what }: Kind): StoreError =>
  new StoreError({ message: `${what}: ${name}. ${remedy}`, isRetryable, cause: undefined })

/** A server that accepted a connection or a statement but did not respond in time. */
export const unanswered = (name: string): StoreError =>
  errorOf(name, {
    what: "Database does not respond",
    remedy: "Check the load, the disks and the network of its machine.",
    isRetryable: true,
  })

/** A transaction that the server rolled back instead of committing. */
export const rolledBack = (name: string): StoreError =>
  errorOf(name, { ...conflict, what: "Database transaction rolled back" })

/** Error of a database; `name` is shown. */
export const toStoreError = (name: string, cause: SqlError): StoreError => {
  const server = serverError(cause)
  const node = server && nodeOf(server)
  const kind = node !== undefined && nodeStates.test(server!.code) ? lostNode : kindOf(cause, server?.code)
  const label = node === undefined ? name : `${node} of ${name}`
  const reason = server === undefined ? tlsIssue(cause) : `SQLSTATE ${server.code}`
  const detail = reason === undefined ? "" : ` (${reason})`
  return new StoreError({
    message:
      kind === undefined ? `Database failed: ${label}${detail}.` : `${kind.what}: ${label}${detail}. ${kind.remedy}`,
    isRetryable: kind?.isRetryable ?? false,
    cause,
  })
}
