/**
 * Settings from the command line: each one replaces a key of the configuration file, or takes its place if there is no file.
 */
import { homedir } from "node:os"
import { join } from "node:path"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"

/** Values of the flags. */
export interface Overrides {
  /** `--listen`, for the key `listen`. */
  readonly listen?: string
  /** `--database`, for the key `database`. */
  readonly database?: string | undefined
  /** `--chain NAME=URL` or `NAME:ID=URL`: nodes for the key `rpc` of a chain, which is added if the file lacks it, and its `id`. */
  readonly nodes?: ReadonlyArray<NamedNode>
}

/** A node of a chain. */
export interface NamedNode {
  readonly chain: string
  readonly url: string
  /** EIP-155 id of a chain that the interface does not list. */
  readonly id?: number | undefined
}

/** Parses the value of `--chain`; `undefined` if it is malformed. */
export const parseNode = (text: string): NamedNode | undefined => {
  const [, chain, id, url] = /^\s*([^=:\s]+)(?::(\d{1,15}))?\s*=\s*(\S+)\s*$/.exec(text) ?? []
  if (chain === undefined || url === undefined) return undefined
  return { chain, url, id: id === undefined ? undefined : Number(id) }
}

/** Default URL of the database. Source: XDG Base Directory Specification. */
export const usualDatabase = (): string => {
  const { XDG_DATA_HOME: folder = "" } = process.env
  return `sqlite:${join(folder.startsWith("/") ? folder : join(homedir(), ".local/share"), "daybook")}`
}

/** Settings without a file. */
export const defaults = (): object => ({ listen: "127.0.0.1:8080", database: usualDatabase(), chains: {} })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withNodes = (chains: unknown, nodes: ReadonlyArray<NamedNode>): unknown => {
  if (!isObject(chains)) return chains
  const entries = new Map(Object.entries(chains))
  for (const name of new Set(nodes.map(({ chain }) => chain))) {
    const before = entries.get(name)
    const kept = isObject(before) ? before : {}
    const named = nodes.filter(({ chain }) => chain === name)
    const id = named.find((node) => node.id !== undefined)?.id
    const rpc = named.map(({ url }) => url)
    entries.set(name, id === undefined ? { ...kept, rpc } : { ...kept, id, rpc })
  }
  return Object.fromEntries(entries)
}

/** Applies the flags to the JSON value of a file. A value that is not an object is left for the decoder to reject. */
export const apply = (file: unknown, { database, listen, nodes = [] }: Overrides): unknown => {
  if (!isObject(file)) return file
  const chains = nodes.length === 0 ? undefined : withNodes(file["chains"] ?? {}, nodes)
  return { ...file, ...Record.filter({ listen, database, chains }, Predicate.isNotUndefined) }
}

/** The flag that set the value at a path; `undefined` if the file did. A chain in the file belongs to the file. */
export const flagOf = (
  path: string,
  { database, listen, nodes = [] }: Overrides,
  isInFile: boolean,
): string | undefined => {
  const isAt = (key: string) => path === key || path.startsWith(`${key}.`)
  if (listen !== undefined && isAt("listen")) return "--listen"
  if (database !== undefined && isAt("database")) return "--database"
  const isOf = ({ chain, id }: NamedNode) =>
    path.startsWith(`chains.${chain}.rpc`) ||
    (id !== undefined && path === `chains.${chain}.id`) ||
    (!isInFile && path === `chains.${chain}`)
  return nodes.some(isOf) ? "--chain" : undefined
}
