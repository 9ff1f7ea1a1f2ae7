/**
 * Keeps the descriptions of a chain's contracts up to date beside its indexer: takes over what the watched folders have, and follows the
 * implementations of proxies. What was described by command stays as it is.
 *
 * Source: decision 0059.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import type { ChainRef } from "../store/ChainRef.ts"
import { type Contract, type Contracts, keyOf } from "../store/Contracts.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as ArtifactFolder from "./ArtifactFolder.ts"
import * as Proxies from "./Proxies.ts"

/** What to keep up to date. */
export interface Options {
  readonly chain: ChainRef
  readonly node: Pick<Node, "batch" | "head">
  readonly contracts: Contracts
  /** Folders of projects. */
  readonly folders: ReadonlyArray<string>
  /** Time between two looks at folders and proxies. Default 2 seconds. */
  readonly pauseMillis?: number
}

const defaultPauseMillis = 2_000

/** Contracts whose proxies are followed at most; each takes a few calls when the chain has grown. */
const maxFollowed = 256

/** The contracts of a project, as they are stored. */
export const contractsOf = (source: string, { deployed, pack }: ArtifactFolder.Project): ReadonlyArray<Contract> => {
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

/** Takes over what a folder has; true where something was written. */
const takeOver = Effect.fnUntraced(function* (
  { chain, contracts }: Options,
  source: string,
  project: ArtifactFolder.Project,
): Effect.fn.Return<void, StoreError> {
  const { put, remove } = changesOf(source, yield* contracts.list(chain), contractsOf(source, project))
  if (remove.length > 0) yield* contracts.remove(chain, remove)
  if (put.length > 0) yield* contracts.put(chain, put)
  if (put.length + remove.length === 0) return
  const { length } = project.deployed
  yield* Effect.logInfo(
    `Contracts of ${source}: ${length} deployed, ${project.pack.length} functions, events and errors`,
  )
})

/** Writes the implementations of proxies that have changed. */
const followProxies = Effect.fnUntraced(function* (
  { chain, contracts, node }: Options,
  block: number,
): Effect.fn.Return<void, StoreError | NodeError> {
  const stored = (yield* contracts.list(chain)).filter(({ address }) => address !== null).slice(0, maxFollowed)
  if (stored.length === 0) return
  const found = yield* Proxies.read(
    node,
    stored.flatMap(({ address }) => address ?? []),
    block,
  )
  const changed = stored.flatMap((contract) => {
    const implementations = found.get(contract.address ?? "") ?? []
    const isKept = JSON.stringify(implementations) === JSON.stringify(contract.implementations)
    return isKept ? [] : [{ ...contract, implementations }]
  })
  if (changed.length > 0) yield* contracts.put(chain, changed)
})

/** Works until it is interrupted. What fails is logged once and tried again. */
export const run = Effect.fn("ContractKeeper.run")(function* (options: Options): Effect.fn.Return<never> {
  const { chain, contracts, folders, node, pauseMillis = defaultPauseMillis } = options
  const readers = folders.map((folder) => ({ folder, read: ArtifactFolder.reader(folder, chain.id) }))
  let seen = ""
  let logged = ""
  const turn = Effect.gen(function* () {
    for (const { folder, read } of readers) {
      const project = yield* Effect.promise(read)
      if (project !== null) yield* takeOver(options, folder, project)
    }
    const revision = yield* contracts.revision(chain)
    if (revision === 0) return
    const head = yield* node.head
    const state = `${revision} ${head.hash}`
    if (state === seen) return
    yield* followProxies(options, head.number)
    seen = `${yield* contracts.revision(chain)} ${head.hash}`
  })
  for (;;) {
    const outcome = yield* Effect.result(turn)
    if (Result.isFailure(outcome) && outcome.failure.message !== logged) {
      logged = outcome.failure.message
      yield* Effect.logWarning(`Contracts are not up to date: ${logged}`)
    }
    yield* Effect.sleep(pauseMillis)
  }
})
