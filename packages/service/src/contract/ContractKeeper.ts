/**
 * Keeps the descriptions of a chain's contracts up to date beside its indexer: takes over what the watched folders have, recognises contracts
 * by their code, and follows the implementations of proxies. What was described by command stays as it is.
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

/** The folder of a project, and what reads it: `null` where nothing has changed since it was read before. */
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
  /** Contracts that are recognised by their code. Left out: none are. */
  readonly created?: CreatedContracts.CreatedContracts | undefined
  /** Time between two looks at folders and proxies. Default 2 seconds. */
  readonly pauseMillis?: number
}

const defaultPauseMillis = 2_000

/** Shortest time between two turns: each block may create contracts. */
const minPauseMillis = 250

/** Contracts that are followed in one turn; each takes a few calls. The next turn goes on with those behind them. */
const followedPerTurn = 256

/** Codes that are read in one request. */
const codesPerBatch = 256

/** The contracts of a project, as they are stored. */
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

/** What to write, so that the contracts of a source are these. */
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

/** What is known of a folder. */
interface KnownFolder extends WatchedFolder {
  project: ArtifactFolder.Project
  find: ContractCode.Find
  /** Contracts that were recognised by their code, by address; the newest last. */
  readonly recognised: Map<string, ArtifactFolder.Deployed>
  /** Addresses whose code is still to be compared; the newest last. */
  pending: Set<string>
  /** All codes are still to be compared with the artifacts, since these have changed. */
  isAllPending: boolean
  /** What it has is not stored yet. */
  isChanged: boolean
}

/** Contracts of a folder: a code states better what is at an address than a file about an earlier deployment. */
const deployedOf = ({ project, recognised }: KnownFolder): ReadonlyArray<ArtifactFolder.Deployed> => {
  const all = new Map(project.deployed.map((one) => [one.address, one]))
  for (const [address, one] of recognised) if (all.get(address)?.name !== one.name) all.set(address, one)
  return [...all.values()]
}

/** Takes over what a folder has. */
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

/** Reads codes, and recognises contracts by them; gives the addresses whose code was not received. */
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

/** Recognises the contracts of a folder by their code. An address whose code was not received is compared again in the next turn. */
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

/** A round over all contracts, which may take several turns. */
interface Round {
  /** Hash of the head at which it began. */
  readonly head: string
  /** Revision of the descriptions after the last turn. */
  revision: number
  /** Another process has changed descriptions since it began. */
  isStale: boolean
  /** Address of the last contract that was followed; empty before the first. */
  last: string
  isDone: boolean
}

/** Writes the implementations of the next proxies of a round that have changed. */
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

/** Works until it is interrupted. What fails is logged once and tried again. */
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
    // Each folder has the addresses before anything can fail: they are taken out once.
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
    // A round is completed before the next one begins: the chain grows while it lasts.
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
