/**
 * Reads the folder of a project for its contracts on one chain: ABIs from Foundry's `out` and Hardhat's `artifacts`, addresses
 * from Foundry's `broadcast` and Hardhat Ignition. Names of enums are those of the sources in `src` and `contracts`. A file is read
 * again when it has changed. Bounded in files, bytes and depth; links are not followed, and what is no artifact is passed over.
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

/** A contract at an address, with its ABI where the folder has one. */
export interface Deployed {
  /** Lower case. */
  readonly address: string
  readonly name: string
  readonly items: ReadonlyArray<ContractAbi.Item>
}

/** What a folder has. */
export interface Project {
  readonly deployed: ReadonlyArray<Deployed>
  /** Items of all its ABIs, each once. */
  readonly pack: ReadonlyArray<ContractAbi.Item>
  /** The deployed code of its artifacts. */
  readonly codes: ReadonlyArray<ContractCode.KnownCode>
}

/** Reads a folder; `null` where nothing has changed since it was read last. */
export type Reader = () => Promise<Project | null>

const maxFiles = 20_000
const maxDepth = 8

/** Folders with what compilers keep for themselves, and with other people's projects. */
const skipped = new Set(["build-info", "cache", "dry-run", "node_modules", ".git"])

/** What files are looked for by. */
const isJson = (name: string): boolean => name.endsWith(".json") && !name.endsWith(".dbg.json")
const isSource = (name: string): boolean => name.endsWith(".sol")

/** At most so many files below a folder, in the order of their names. */
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

/** A name as people write it: that of a contract without its file. */
const nameOf = (value: unknown): string =>
  typeof value === "string" ? (/([A-Za-z_$][\w$]{0,99})$/.exec(value)?.[1] ?? "") : ""

/** What is kept of an artifact. */
interface Artifact {
  readonly name: string
  readonly items: ReadonlyArray<ContractAbi.Item>
  readonly pattern: ContractCode.CodePattern | undefined
}

/** What is kept of a file. */
interface Part {
  readonly changed: string
  readonly artifact?: Artifact | undefined
  /** Addresses with the names of their contracts. */
  readonly deployments: ReadonlyArray<readonly [address: string, name: string]>
  /** Enums of a source. */
  readonly enums?: EnumNames.EnumNames
}

/** Sources of libraries that scripts and tests use. */
const isTooling = (artifact: Fields): boolean => {
  const settings = fieldsOf(fieldsOf(artifact["metadata"])["settings"])
  return Object.keys(fieldsOf(settings["compilationTarget"])).some((source) => source.includes("forge-std/"))
}

/** The ABI of an artifact with what the project alone has: names of enums, and where arguments of a constructor begin. */
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
  // Foundry names the file after the contract, and the version of its compiler where there are several.
  const name = nameOf(fields["contractName"]) || nameOf(basename(path, ".json").replace(/\.\d.*$/, ""))
  return name === "" ? undefined : { name, items: abi.success.items, pattern: ContractCode.fromArtifact(json) }
}

const asList = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** Contracts that a run of a Foundry script has created. */
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

/** Contracts of a deployment of Ignition, by the ids of their futures. */
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

/** The files of a project and how each is read; a folder without the usual ones holds artifacts itself. */
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
    // Names of enums are known before the artifacts are read.
    ...[...src, ...contracts].map((path) => [path, readSource] as const),
    ...sources.map((path) => [path, readArtifact] as const),
    ...ignition.map((path) => [path, readIgnition] as const),
    // The newest run is the last one: digits come before letters.
    ...runs.map((path) => [path, readBroadcast] as const),
  ]
}

/** A file that was found, with what it is known to have. */
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

/** A module of Ignition has a proxy twice: as it was deployed, and by the ABI of what is behind it. */
const joined = (
  first: ReadonlyArray<ContractAbi.Item>,
  more: ReadonlyArray<ContractAbi.Item>,
): ReadonlyArray<ContractAbi.Item> =>
  ContractAbi.firstItems(new Map([...more, ...first].map((item) => [keyOf(item), item])).values())

/** Joins the parts of a folder: of several ABIs of one name the first is that of its contract. */
const projectOf = (parts: ReadonlyMap<string, Part>): Project => {
  /** By their names, and by those of their files, which are the ids of Ignition. */
  const artifacts = new Map<string, Artifact>()
  const pack = new Map<string, ContractAbi.Item>()
  const codes: Array<ContractCode.KnownCode> = []
  for (const [path, { artifact }] of parts) {
    if (artifact === undefined) continue
    const { items, name, pattern } = artifact
    if (pattern !== undefined) codes.push({ name, items, pattern })
    for (const key of [name, basename(path, ".json")]) if (!artifacts.has(key)) artifacts.set(key, artifact)
    // A constructor is that of one contract alone.
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
