/**
 * Keeps the contract descriptions of a chain up to date next to its indexer: imports the contents of watched folders, recognises contracts
 * by their code, and follows the implementations of proxies. Descriptions made by command are not changed.
 *
 * Source: decision 0059.
 */
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import type { ChainRef } from "../store/ChainRef.ts"
import { type Contract, type Contracts, keyOf } from "../store/Contracts.ts"
import type { StoreError } from "../store/StoreError.ts"
import type * as ArtifactFolder from "./ArtifactFolder.ts"
import * as ContractCode from "./ContractCode.ts"
import * as CreatedContracts from "./CreatedContracts.ts"
import * as Proxies from "./Proxies.ts"
import { fromDefect } from "../supervision/UnexpectedFailure.ts"

/** The folder of a project and its reader, which returns `null` if nothing changed since the last read. */
export interface WatchedFolder {
  readonly folder: string
  readonly read: () => Promise<ArtifactFolder.Project | null>
}

/** A folder could not be read. */
class UnreadableFolder extends Data.TaggedError("UnreadableFolder")<{
  readonly folder: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.folder} cannot be read: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** What to keep up to date. */
export interface Options {
  readonly chain: ChainRef
  readonly node: Pick<Node, "batch" | "head">
  readonly contracts: Contracts
  readonly projects: ReadonlyArray<WatchedFolder>
  /** Contracts to recognise by their code. Default: none. */
  readonly created?: CreatedContracts.CreatedContracts | undefined
  /** Interval between checks of folders and proxies. Default 2 seconds. */
  readonly pauseMillis?: number
}

const defaultPauseMillis = 2_000

/** Minimum interval between two turns, since each block may create contracts. */
const minPauseMillis = 250

/** Number of contracts followed per turn; each takes a few calls. The next turn continues after them. */
const followedPerTurn = 256

/** Number of codes read in one request. */
const codesPerBatch = 256

/** Contracts of a project in stored form. */
export const contractsOf = (
  source: string,
  { deployed, pack }: Pick<ArtifactFolder.Project, "deployed" | "pack">,
): ReadonlyArray<Contract> => {
  const own = deployed.map(({ address, items, name }): Contract => {
    return { address, name, source, abi: JSON.stringify(items), implementations: [] }
  })
  const packed: Contract = { address: null, name: source, source, abi: JSON.stringify(pack), implementations: [] }
  return pack.length === 0 ? own : [...own, packed]
}

const isSame = (one: Contract, other: Contract): boolean => one.name === other.name && one.abi === other.abi

/** Changes to write so that the contracts of a source equal these. */
export const changesOf = (
  source: string,
  stored: ReadonlyArray<Contract>,
  wanted: ReadonlyArray<Contract>,
): { readonly put: ReadonlyArray<Contract>; readonly remove: ReadonlyArray<string> } => {
  const byKey = new Map(stored.map((contract) => [keyOf(contract), contract]))
  const kept = new Set(wanted.map(keyOf))
  const put = wanted.flatMap((contract) => {
    const before = byKey.get(keyOf(contract))
    if (before === undefined) return [contract]
    if (before.source !== source || isSame(before, contract)) return []
    return [{ ...contract, implementations: before.implementations }]
  })
  const remove = stored.filter((contract) => contract.source === source && !kept.has(keyOf(contract))).map(keyOf)
  return { put, remove }
}

/** What is known about a folder. */
interface KnownFolder extends WatchedFolder {
  project: ArtifactFolder.Project
  find: ContractCode.Find
  /** Contracts recognised by their code, by address; the newest last. */
  readonly recognised: Map<string, ArtifactFolder.Deployed>
  /** Addresses whose code has yet to be compared; the newest last. */
  pending: Set<string>
  /** All codes have yet to be compared, because the artifacts have changed. */
  isAllPending: boolean
  /** Its contents are not stored yet. */
  isChanged: boolean
}

/** Contracts of a folder. Code is better evidence of what is at an address than a file about an earlier deployment. */
const deployedOf = ({ project, recognised }: KnownFolder): ReadonlyArray<ArtifactFolder.Deployed> => {
  const all = new Map(project.deployed.map((one) => [one.address, one]))
  for (const [address, one] of recognised) if (all.get(address)?.name !== one.name) all.set(address, one)
  return [...all.values()]
}

/** Imports the contents of a folder. */
const takeOver = Effect.fnUntraced(function* (
  { chain, contracts }: Options,
  known: KnownFolder,
): Effect.fn.Return<void, StoreError> {
  const { folder: source } = known
  const { pack } = known.project
  const deployed = deployedOf(known)
  const { put, remove } = changesOf(source, yield* contracts.list(chain), contractsOf(source, { deployed, pack }))
  if (remove.length > 0) yield* contracts.remove(chain, remove)
  if (put.length > 0) yield* contracts.put(chain, put)
  known.isChanged = false
  if (put.length + remove.length === 0) return
  yield* Effect.logInfo(`Contracts of ${source}: ${deployed.length} named, ${pack.length} functions, events and errors`)
})

/** Addresses whose code is to be compared; the newest last. */
const pendingOf = Effect.fnUntraced(function* (
  { chain, contracts, created }: Options,
  { folder, isAllPending, pending }: KnownFolder,
): Effect.fn.Return<ReadonlySet<string>, StoreError> {
  if (created === undefined || !isAllPending) return pending
  const newest = new Set([...pending, ...created.all()])
  const stored = (yield* contracts.list(chain)).flatMap(({ address, source }) =>
    source === folder && address !== null && !newest.has(address) ? [address] : [],
  )
  return new Set([...stored, ...newest])
})

/** Reads codes and recognises contracts; returns the addresses whose code was not received. */
const compareCodes = Effect.fnUntraced(function* (
  node: Options["node"],
  known: KnownFolder,
  addresses: Iterable<string>,
): Effect.fn.Return<Set<string>, NodeError> {
  const failed = new Set<string>()
  const head = yield* node.head
  for (const batch of Arr.chunksOf(addresses, codesPerBatch)) {
    const codes = yield* Proxies.readCodes(node, batch, head.number)
    for (const [index, address] of batch.entries()) {
      const code = codes[index]
      if (code === undefined) {
        failed.add(address)
        continue
      }
      const found = known.find(code)
      const before = known.recognised.get(address)
      known.recognised.delete(address)
      if (found !== undefined) known.recognised.set(address, { address, name: found.name, items: found.items })
      known.isChanged ||= before?.items !== found?.items
    }
    CreatedContracts.removeOldest(known.recognised)
  }
  return failed
})

/** Recognises the contracts of a folder by their code. Addresses whose code was not received are retried in the next turn. */
const recognise = Effect.fnUntraced(function* (
  options: Options,
  known: KnownFolder,
): Effect.fn.Return<void, StoreError | NodeError> {
  const addresses = yield* pendingOf(options, known)
  known.pending = addresses.size === 0 ? new Set() : yield* compareCodes(options.node, known, addresses)
  known.isAllPending = false
})

/** Reads a folder again. */
const update = Effect.fnUntraced(function* (known: KnownFolder): Effect.fn.Return<void, UnreadableFolder> {
  const { folder, read } = known
  const project = yield* Effect.tryPromise({ try: read, catch: (cause) => new UnreadableFolder({ folder, cause }) })
  if (project === null) return
  known.project = project
  known.find = ContractCode.finder(project.codes)
  known.isChanged = true
  known.isAllPending = true
})

/** A pass over all contracts, which may take several turns. */
interface Round {
  /** Hash of the head at which it started. */
  readonly head: string
  /** Revision of the descriptions after the last turn. */
  revision: number
  /** Whether another process has changed descriptions since it started. */
  isStale: boolean
  /** Address of the last contract followed; empty before the first. */
  last: string
  isDone: boolean
}

/** Writes the changed implementations among the next proxies of a round. */
const followProxies = Effect.fnUntraced(function* (
  { chain, contracts, node }: Options,
  round: Round,
  block: number,
): Effect.fn.Return<void, StoreError | NodeError> {
  const remaining = (yield* contracts.list(chain)).filter(({ address }) => (address ?? "") > round.last)
  const stored = remaining.slice(0, followedPerTurn)
  const found = yield* Proxies.read(node, stored, block)
  const changed = stored.flatMap((contract) => {
    const implementations = found.get(contract.address ?? "") ?? contract.implementations
    const isKept = JSON.stringify(implementations) === JSON.stringify(contract.implementations)
    return isKept ? [] : [{ ...contract, implementations }]
  })
  if (changed.length > 0) yield* contracts.put(chain, changed)
  round.last = stored.at(-1)?.address ?? ""
  round.isDone = stored.length === remaining.length
})

/** Runs until interrupted. Failures are logged once and retried. */
export const run = Effect.fn("ContractKeeper.run")(function* (options: Options): Effect.fn.Return<never> {
  const { chain, contracts, created, node, pauseMillis = defaultPauseMillis, projects } = options
  const folders = projects.map((watched): KnownFolder => {
    const project = { deployed: [], pack: [], codes: [] }
    const find = ContractCode.finder(project.codes)
    const recognised = new Map<string, ArtifactFolder.Deployed>()
    return { ...watched, project, find, recognised, pending: new Set(), isAllPending: false, isChanged: false }
  })
  let round: Round | undefined
  let logged = ""
  const turn = Effect.gen(function* () {
    // Each folder must receive the addresses before anything can fail, since they are taken out only once.
    const added = created?.takeNew() ?? []
    for (const { pending } of folders) CreatedContracts.addNewest(pending, added)
    for (const known of folders) {
      yield* update(known)
      yield* recognise(options, known)
      if (known.isChanged) yield* takeOver(options, known)
    }
    const revision = yield* contracts.revision(chain)
    if (revision === 0) return
    const head = yield* node.head
    if (round !== undefined && revision !== round.revision) round.isStale = true
    // A round is completed before the next one starts, because the chain grows meanwhile.
    if (round === undefined || (round.isDone && (round.isStale || round.head !== head.hash))) {
      round = { head: head.hash, revision, isStale: false, last: "", isDone: false }
    }
    if (round.isDone) return
    yield* followProxies(options, round, head.number)
    round.revision = yield* contracts.revision(chain)
  })
  for (;;) {
    const outcome = yield* Effect.result(fromDefect(turn))
    if (Result.isFailure(outcome) && outcome.failure.message !== logged) {
      logged = outcome.failure.message
      yield* Effect.logWarning(`Contracts are not up to date: ${logged}`)
    }
    const shortestMillis = Math.min(minPauseMillis, pauseMillis)
    yield* Effect.sleep(shortestMillis)
    const pause = Effect.sleep(pauseMillis - shortestMillis)
    yield* created === undefined ? pause : Effect.raceFirst(pause, created.awaitNew)
  }
})
