/**
 * Hides the names of nodes and of the database in texts shown without an API key. A host name may hold a key of its provider, and only the
 * operator needs to know where the database is.
 *
 * Source: decision 0040.
 */
import { sep } from "node:path"
import * as Result from "effect/Result"
import * as DatabaseUrl from "../../config/DatabaseUrl.ts"

/** Replacement of the name of a node. */
const substitute = "the node"

/** Addresses, and names with a domain and a port: nothing else in a message resembles them. */
const hosts =
  /\[[\da-f]*:[\da-f]*:[\da-f:.]*\](?::\d+)?|(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|(?:localhost|(?:[a-z\d_-]+\.)+[a-z]{2,}):\d{2,5})\b/gi

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Names by which messages refer to a node: its host with the port, and without it if it cannot be an ordinary word. */
const namesOf = (url: string): ReadonlyArray<string> => {
  if (!URL.canParse(url)) return []
  const { host, hostname } = new URL(url)
  return /[.:]/.test(hostname) ? [host, hostname] : [host]
}

/** Matches one of some texts, the longest first; `undefined` for none. */
const anyOf = (texts: ReadonlyArray<string>, before: string, after: string): RegExp | undefined => {
  const names = [...new Set(texts)].filter((text) => text !== "").toSorted((a, b) => b.length - a.length)
  return names.length === 0 ? undefined : new RegExp(`${before}(?:${names.map(escape).join("|")})${after}`, "gi")
}

/** Hides the host, port and name of a PostgreSQL database, and of the failed Citus node that a message names before them. */
const postgresHider = (urls: ReadonlyArray<string>) => {
  const names = urls.flatMap((url) =>
    Result.getOrElse(
      Result.map(DatabaseUrl.postgresName(url), (name) => [name]),
      () => [],
    ),
  )
  const subject = anyOf(names, String.raw`: (?:\S+ of )?`, String.raw`(?= \(|\.(?:\s|$))`)
  const location = anyOf(names, String.raw`(?<![\w.-])(?:[^\s@:]{1,253}:\d{1,5} of )?`, String.raw`(?![\w-]|\.\w)`)
  return (text: string): string =>
    subject === undefined || location === undefined
      ? text
      : text.replaceAll(subject, "").replaceAll(location, "the database")
}

/** Hides the folder of a SQLite database, and not the names of its files. */
const folderHider = (folder: string) => {
  const path = String.raw`(?<![\w.-])${escape(folder)}`
  const inFolder = new RegExp(`${path}${escape(sep)}`, "g")
  const name = new RegExp(String.raw`${path}(?![\w.-])`, "g")
  return (text: string): string => text.replaceAll(inFolder, "").replaceAll(name, "the folder of the database")
}

/** What is hidden. */
export interface Hidden {
  /** URLs of the nodes. */
  readonly nodes: ReadonlyArray<string>
  readonly database: DatabaseUrl.DatabaseUrl
  /** Folder to which a relative path of the database refers. */
  readonly baseFolder: string
}

/** Makes a function that hides the hosts of nodes, the location of the database, and addresses. Paths and field names are unchanged. */
export const hider = ({ baseFolder, database, nodes }: Hidden) => {
  const folder = DatabaseUrl.folderOf(database, baseFolder)
  const hideDatabase = folder === undefined ? postgresHider(DatabaseUrl.urlsOf(database)) : folderHider(folder)
  const own = anyOf(nodes.flatMap(namesOf), String.raw`(?<![\w.-])(?<!\bthe )`, String.raw`(?![\w-]|\.\w)`)
  return (text: string): string => {
    const shown = hideDatabase(text)
    return (own === undefined ? shown : shown.replaceAll(own, substitute)).replaceAll(hosts, substitute)
  }
}
