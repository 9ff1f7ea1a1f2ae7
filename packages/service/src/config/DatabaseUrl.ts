/**
 * URLs of databases that the configuration and the engines accept. The configuration is checked by the same rules as opening a database.
 */
import { resolve } from "node:path"
import * as Result from "effect/Result"
import * as HomePath from "./HomePath.ts"

/** Form of a `sqlite:` URL, for messages. */
const sqliteForm = '"sqlite:" and a folder, for example "sqlite:data"'
/** Form of the URL of a PostgreSQL database, for messages. */
const postgresForm = 'a PostgreSQL URL, for example "postgres://user:password@host/name"'

const anyForm = '"sqlite:" and a folder, or "postgres:" and the URL of a PostgreSQL database'

/** The expected URL, and a description of the received one that never shows it. */
export interface Refused {
  readonly expected: string
  readonly received: string
}

const refused = (expected: string, received = "a URL in another form") => Result.fail({ expected, received })

/** The folder of a `sqlite:` URL without its scheme. */
export const sqliteFolder = (location: string): Result.Result<string, Refused> => {
  if (HomePath.isHomePath(location))
    return refused(sqliteForm, 'a folder that begins with "~", which only a shell expands')
  return location !== "" && !/^\/\/|^:|:\/\/|\0/.test(location) ? Result.succeed(location) : refused(sqliteForm)
}

/** TLS modes known to the driver. */
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** Supported parameters, plus a name for connections, which the service sets itself. */
const parameterNames = new Set([
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "application_name",
  "options",
  "connect_timeout",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
])

/** libpq parameters that providers add to URLs, such as `channel_binding` by Neon. They have no effect. */
const ignoredNames = new Set([
  "channel_binding",
  "client_encoding",
  "fallback_application_name",
  "gssencmode",
  "keepalives",
  "keepalives_count",
  "keepalives_idle",
  "keepalives_interval",
  "sslsni",
  "target_session_attrs",
  "tcp_user_timeout",
])

/** Issue of the parameters of a URL: the driver rejects some values and would ignore others. Shows no part of the URL. */
const refusedParameter = (parameters: URLSearchParams): string | undefined => {
  // It may be the rest of a password with "?".
  const isUnknown = [...parameters.keys()].some((name) => !parameterNames.has(name) && !ignoredNames.has(name))
  if (isUnknown) return 'a parameter that has no effect; write TLS as "sslmode=require"'
  if (parameters.has("sslcert") !== parameters.has("sslkey")) return '"sslcert" or "sslkey" without the other'
  const [mode, seconds, port] = ["sslmode", "connect_timeout", "port"].map((name) => parameters.get(name))
  if (mode != null && !sslModes.includes(mode)) return `an "sslmode" other than ${sslModes.join(", ")}`
  if (seconds != null && !/^\d+$/.test(seconds)) return 'a "connect_timeout" that is not a number of seconds'
  return port != null && !/^\d{1,5}$/.test(port) ? 'a "port" that is not a number' : undefined
}

const isEscaped = (text: string): boolean => !/%(?![0-9a-f]{2})/i.test(text)

/** Host, port and name of the database of a PostgreSQL URL, for messages. */
export const postgresName = (url: string): Result.Result<string, Refused> => {
  if (!URL.canParse(url)) {
    // libpq takes the host from the parameters.
    if (/^postgres:\/\/[^/?#@]*@\/[^@]*$/.test(url))
      return refused(postgresForm, 'a user without a host; write a socket as "user@%2Frun%2Fpostgresql/name"')
    const hint = url.includes("@") ? '; write "/" in a password as %2F' : ""
    return refused(postgresForm, `a URL in another form${hint}`)
  }
  const { hostname, password, pathname, port, searchParams, username } = new URL(url)
  const database = searchParams.get("dbname") ?? pathname.slice(1)
  const host = searchParams.get("host") ?? hostname
  if (host === "" || database === "")
    return refused(postgresForm, "a URL without a host or without the name of a database")
  // After a password with "/", everything else is parsed as the path of the URL.
  if (/[/@:]/.test(database))
    return refused(postgresForm, 'a database name with "/", "@" or ":"; write "/" in a password as %2F')
  if (![username, password, pathname].every(isEscaped)) return refused(postgresForm, 'a "%" that is not written as %25')
  const parameter = refusedParameter(searchParams)
  if (parameter !== undefined) return refused(postgresForm, parameter)
  return Result.succeed(`${host}${port === "" ? "" : `:${port}`}/${database}`)
}

/** A database, by its URL or by the URLs of its primary and of replicas that serve pages. */
export type DatabaseUrl = string | { readonly url: string; readonly replicas: ReadonlyArray<string> }

/** URL of a database, or of its primary, then those of its replicas. */
export const urlsOf = (database: DatabaseUrl): ReadonlyArray<string> =>
  typeof database === "string" ? [database] : [database.url, ...database.replicas]

/** Scheme of a URL in lower case, and the rest; `undefined` if the text is not a URL. */
export const schemeOf = (url: string): { readonly scheme: string; readonly location: string } | undefined => {
  const [, scheme, location = ""] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url) ?? []
  return scheme === undefined ? undefined : { scheme: scheme.toLowerCase(), location }
}

/** True for a database in a folder. */
export const isSqlite = (database: DatabaseUrl): boolean =>
  schemeOf(typeof database === "string" ? database : database.url)?.scheme === "sqlite"

/** Folder of a SQLite database, resolved against the configuration's folder; `undefined` for any other database. */
export const folderOf = (database: DatabaseUrl, baseFolder: string): string | undefined => {
  const { location, scheme } = schemeOf(typeof database === "string" ? database : database.url) ?? {}
  return scheme === "sqlite" && location !== undefined ? resolve(baseFolder, location) : undefined
}

const isPostgres = (url: string): boolean => /^postgres(ql)?$/.test(schemeOf(url)?.scheme ?? "")

const issueOfUrl = (url: string): Refused | undefined => {
  const parsed = schemeOf(url)
  const found =
    parsed?.scheme === "sqlite"
      ? sqliteFolder(parsed.location)
      : isPostgres(url)
        ? postgresName(`postgres:${parsed!.location}`)
        : refused(anyForm)
  return Result.isFailure(found) ? found.failure : undefined
}

/** Issue of a URL, with the key below that of the database; `undefined` if a database can be opened with it. */
export const issueOf = (
  database: DatabaseUrl,
): (Refused & { readonly path: ReadonlyArray<string | number> }) | undefined => {
  if (typeof database === "string") {
    const issue = issueOfUrl(database)
    return issue && { path: [], ...issue }
  }
  const issue = issueOfUrl(database.url)
  if (issue !== undefined) return { path: ["url"], ...issue }
  for (const [index, replica] of database.replicas.entries()) {
    const path = ["replicas", index]
    if (!isPostgres(database.url) || !isPostgres(replica))
      return { path, expected: `a replica of a PostgreSQL database: ${postgresForm} for each`, received: "another URL" }
    const found = issueOfUrl(replica)
    if (found !== undefined) return { path, ...found }
  }
  return undefined
}
