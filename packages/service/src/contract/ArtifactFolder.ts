/**
 * Reads a project folder for its contracts on one chain: ABIs from Foundry's `out` and Hardhat's `artifacts`, addresses from Foundry's
 * `broadcast` and Hardhat Ignition, and enum names from the sources in `src` and `contracts`. A file is read again when it changes. Reading
 * is bounded in files, bytes and depth; links are not followed, and other files are skipped.
 *
 * Source: decision 0059.
 */
import { readdir, readFile, stat } from "node:fs/promises"
import { basename, join, sep } from "node:path"
import * as Json from "@daybook/schema/Json"
import * as Result from "effect/Result"
import * as ContractAbi from "./ContractAbi.ts"
import * as ContractCode from "./ContractCode.ts"
import * as EnumNames from "./EnumNames.ts"

/** A contract at an address, with its ABI if the folder has one. */
export interface Deployed {
  /** Lower case. */
  readonly address: string
  readonly name: string
  readonly items: ReadonlyArray<ContractAbi.Item>
}

/** Contents of a folder. */
export interface Project {
  readonly deployed: ReadonlyArray<Deployed>
  /** Items of all its ABIs, without duplicates. */
  readonly pack: ReadonlyArray<ContractAbi.Item>
  /** The deployed code of its artifacts. */
  readonly codes: ReadonlyArray<ContractCode.KnownCode>
}

/** Reads a folder; `null` if nothing changed since the last read. */
export type Reader = () => Promise<Project | null>

const maxFiles = 20_000
const maxDepth = 8

/** Folders that compilers use internally, and folders of third-party projects. */
const skipped = new Set(["build-info", "cache", "dry-run", "node_modules", ".git"])

/** Criteria for files. */
const isJson = (name: string): boolean => name.endsWith(".json") && !name.endsWith(".dbg.json")
const isSource = (name: string): boolean => name.endsWith(".sol")

/** Finds a limited number of files below a folder, ordered by name. */
const filesBelow = async (
  folder: string,
  most: number,
  fits = isJson,
  found: Array<string> = [],
  depth = 0,
): Promise<Array<string>> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (found.length >= most) return found
    const path = join(folder, entry.name)
    if (entry.isDirectory() && depth < maxDepth && !skipped.has(entry.name))
      await filesBelow(path, most, fits, found, depth + 1)
    else if (entry.isFile() && fits(entry.name)) found.push(path)
  }
  return found
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

const addressOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : undefined

/** A name for display: a contract without its file. */
const nameOf = (value: unknown): string =>
  typeof value === "string" ? (/([A-Za-z_$][\w$]{0,99})$/.exec(value)?.[1] ?? "") : ""

/** Parts of an artifact that are kept. */
interface Artifact {
  readonly name: string
  readonly items: ReadonlyArray<ContractAbi.Item>
  readonly pattern: ContractCode.CodePattern | undefined
}

/** Parts of a file that are kept. */
interface Part {
  readonly changed: string
  readonly artifact?: Artifact | undefined
  /** Addresses with their contract names. */
  readonly deployments: ReadonlyArray<readonly [address: string, name: string]>
  /** Enums of a source. */
  readonly enums?: EnumNames.EnumNames
}

/** True for sources of libraries used by scripts and tests. */
const isTooling = (artifact: Fields): boolean => {
  const settings = fieldsOf(fieldsOf(artifact["metadata"])["settings"])
  return Object.keys(fieldsOf(settings["compilationTarget"])).some((source) => source.includes("forge-std/"))
}

/** ABI of an artifact plus what only the project has: enum names, and where constructor arguments start. */
const abiOf = (fields: Fields, abi: ReadonlyArray<unknown>, enums: EnumNames.EnumNames): ReadonlyArray<unknown> => {
  const codeBytes = ContractCode.creationBytes(fields)
  return EnumNames.addTo(abi, enums).map((item) =>
    fieldsOf(item)["type"] === "constructor" ? { ...fieldsOf(item), codeBytes } : item,
  )
}

const artifactOf = (path: string, json: unknown, enums: EnumNames.EnumNames): Artifact | undefined => {
  const fields = fieldsOf(json)
  const given: unknown = fields["abi"]
  if (!Array.isArray(given) || isTooling(fields)) return undefined
  const abi = ContractAbi.fromJson(abiOf(fields, given, enums))
  if (Result.isFailure(abi)) return undefined
  // Foundry names the file after the contract, with the compiler version if there are several.
  const name = nameOf(fields["contractName"]) || nameOf(basename(path, ".json").replace(/\.\d.*$/, ""))
  return name === "" ? undefined : { name, items: abi.success.items, pattern: ContractCode.fromArtifact(json) }
}

const asList = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** Contracts created by a run of a Foundry script. */
const broadcastOf = (json: unknown): Part["deployments"] =>
  asList(fieldsOf(json)["transactions"]).flatMap((transaction) => {
    const created = asList(transaction["additionalContracts"])
    const { transactionType: type } = transaction
    const all = typeof type === "string" && type.startsWith("CREATE") ? [transaction, ...created] : created
    return all.flatMap((one) => {
      const address = addressOf(one["contractAddress"] ?? one["address"])
      const name = nameOf(one["contractName"])
      return address === undefined || name === "" ? [] : [[address, name] as const]
    })
  })

/** Contracts of an Ignition deployment, by the ids of their futures. */
const ignitionOf = (json: unknown): Part["deployments"] =>
  Object.entries(fieldsOf(json)).flatMap(([id, value]) => {
    const address = addressOf(value)
    return address === undefined ? [] : [[address, id] as const]
  })

type Read = (path: string, text: string, enums: EnumNames.EnumNames) => Omit<Part, "changed">

const readSource: Read = (_, text) => ({ deployments: [], enums: EnumNames.fromSource(text) })
const readArtifact: Read = (path, text, enums) => ({
  artifact: artifactOf(path, Json.parse(text), enums),
  deployments: [],
})
const readBroadcast: Read = (_, text) => ({ deployments: broadcastOf(Json.parse(text)) })
const readIgnition: Read = (path, text, enums) =>
  basename(path) === "deployed_addresses.json"
    ? { deployments: ignitionOf(Json.parse(text)) }
    : readArtifact(path, text, enums)

/** Files of a project and how to read each; a folder without the usual subfolders holds artifacts itself. */
const filesOf = async (
  folder: string,
  chainId: number,
  most: number,
): Promise<ReadonlyArray<readonly [path: string, read: Read]>> => {
  const [out, artifacts, broadcast, ignition, src, contracts] = await Promise.all([
    filesBelow(join(folder, "out"), most),
    filesBelow(join(folder, "artifacts"), most),
    filesBelow(join(folder, "broadcast"), most),
    filesBelow(join(folder, "ignition", "deployments", `chain-${chainId}`), most),
    filesBelow(join(folder, "src"), most, isSource),
    filesBelow(join(folder, "contracts"), most, isSource),
  ])
  const runs = broadcast.filter(
    (path) => path.split(sep).at(-2) === String(chainId) && basename(path).startsWith("run-"),
  )
  const own = [...out, ...artifacts]
  const isProject = own.length + broadcast.length + ignition.length > 0
  const sources = isProject ? own : await filesBelow(folder, most)
  return [
    // Enum names must be known before artifacts are read.
    ...[...src, ...contracts].map((path) => [path, readSource] as const),
    ...sources.map((path) => [path, readArtifact] as const),
    ...ignition.map((path) => [path, readIgnition] as const),
    // The newest run comes last, since digits sort before letters.
    ...runs.map((path) => [path, readBroadcast] as const),
  ]
}

/** A file that was found, with its known contents. */
interface Found {
  readonly path: string
  readonly changed: string
  readonly size: number
  readonly enums: EnumNames.EnumNames
}

const readPart = async ({ changed, enums, path, size }: Found, read: Read): Promise<Part> => {
  if (size > ContractAbi.maxBytes) return { changed, deployments: [] }
  const text = await readFile(path, "utf8").catch(() => "")
  return { changed, ...read(path, text, enums) }
}

/** Enums of the sources among parts. */
const enumsOf = (parts: ReadonlyMap<string, Part>): EnumNames.EnumNames =>
  EnumNames.join([...parts.values()].flatMap(({ enums }) => enums ?? []))

const keyOf = (item: ContractAbi.Item): string => JSON.stringify([item.type, item.name, item.inputs])

/** An Ignition module lists a proxy twice: as deployed, and with the ABI of its implementation. */
const joined = (
  first: ReadonlyArray<ContractAbi.Item>,
  more: ReadonlyArray<ContractAbi.Item>,
): ReadonlyArray<ContractAbi.Item> =>
  ContractAbi.firstItems(new Map([...more, ...first].map((item) => [keyOf(item), item])).values())

/** Joins the parts of a folder. Of several ABIs with the same name, the first one is the contract's. */
const projectOf = (parts: ReadonlyMap<string, Part>): Project => {
  /** Keyed by contract names, and by file names, which are Ignition's ids. */
  const artifacts = new Map<string, Artifact>()
  const pack = new Map<string, ContractAbi.Item>()
  const codes: Array<ContractCode.KnownCode> = []
  for (const [path, { artifact }] of parts) {
    if (artifact === undefined) continue
    const { items, name, pattern } = artifact
    if (pattern !== undefined) codes.push({ name, items, pattern })
    for (const key of [name, basename(path, ".json")]) if (!artifacts.has(key)) artifacts.set(key, artifact)
    // A constructor belongs to a single contract.
    for (const item of items) if (item.type !== "constructor") pack.set(keyOf(item), item)
  }
  const deployed = new Map<string, Deployed>()
  for (const { deployments } of parts.values()) {
    const ofPart = new Map<string, Deployed>()
    for (const [address, given] of deployments) {
      const artifact = artifacts.get(given) ?? artifacts.get(nameOf(given))
      const name = artifact?.name ?? nameOf(given)
      if (name === "") continue
      const items = artifact?.items ?? []
      const first = ofPart.get(address)
      ofPart.set(
        address,
        first === undefined ? { address, name, items } : { ...first, items: joined(first.items, items) },
      )
    }
    for (const one of ofPart.values()) deployed.set(one.address, one)
  }
  return { deployed: [...deployed.values()], pack: ContractAbi.firstItems(pack.values()), codes }
}

/** Makes the reader of a folder for a chain. */
export const reader = (folder: string, chainId: number, most = maxFiles): Reader => {
  let parts = new Map<string, Part>()
  let isRead = false
  return async () => {
    const next = new Map<string, Part>()
    let isChanged = !isRead
    let enums: EnumNames.EnumNames | undefined
    for (const [path, read] of await filesOf(folder, chainId, most)) {
      const found = await stat(path).catch(() => undefined)
      if (found === undefined) continue
      const changed = `${found.mtimeMs} ${found.size}`
      const before = parts.get(path)
      const isSame = before?.changed === changed
      isChanged ||= !isSame
      if (read !== readSource) enums ??= enumsOf(next)
      const file = { path, changed, size: found.size, enums: enums ?? new Map() }
      next.set(path, isSame ? before : await readPart(file, read))
    }
    isChanged ||= next.size !== parts.size
    parts = next
    isRead = true
    return isChanged ? projectOf(next) : null
  }
}
