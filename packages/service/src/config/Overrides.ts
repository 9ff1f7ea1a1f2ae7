/**
 * Settings on the command line: each replaces a key of the configuration file, or stands in its place where there is no file.
 */
import { homedir } from "node:os"
import { join } from "node:path"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"

/** What the flags give. */
export interface Overrides {
  /** `--listen`, for the key `listen`. */
  readonly listen?: string
  /** `--database`, for the key `database`. */
  readonly database?: string | undefined
  /** `--chain NAME=URL` or `NAME:ID=URL`: nodes for the key `rpc` of a chain, which is added where the file lacks it, and its `id`. */
  readonly nodes?: ReadonlyArray<NamedNode>
}

/** A node of a chain. */
export interface NamedNode {
  readonly chain: string
  readonly url: string
  /** EIP-155 id of a chain that the interface does not list. */
  readonly id?: number | undefined
}

/** Parses the value of `--chain`; `undefined` for another form. */
export const parseNode = (text: string): NamedNode | undefined => {
  const [, chain, id, url] = /^\s*([^=:\s]+)(?::(\d{1,15}))?\s*=\s*(\S+)\s*$/.exec(text) ?? []
  if (chain === undefined || url === undefined) return undefined
  return { chain, url, id: id === undefined ? undefined : Number(id) }
}

/** URL of the database where neither a file nor a flag names one. Source: XDG Base Directory Specification. */
export const usualDatabase = (): string => {
  const { XDG_DATA_HOME: folder = "" } = process.env
  return `sqlite:${join(folder.startsWith("/") ? folder : join(homedir(), ".local/share"), "daybook")}`
}

/** The settings where there is no file. */
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

/** The JSON value of a file with the keys that flags replace. A value that is no object is left for the decoder to refuse. */
export const apply = (file: unknown, { database, listen, nodes = [] }: Overrides): unknown => {
  if (!isObject(file)) return file
  const chains = nodes.length === 0 ? undefined : withNodes(file["chains"] ?? {}, nodes)
  return { ...file, ...Record.filter({ listen, database, chains }, Predicate.isNotUndefined) }
}

/** The flag that gave the value at a path; `undefined` where the file did. A chain belongs to the file where it is in it. */
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
