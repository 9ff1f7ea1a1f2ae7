/**
 * Finds the history of wallets on an archive node, without an index. The result is a stream of the blocks in which they take part, each
 * once and in order, emitted as soon as everything before it is found.
 *
 * Source: decision 0047.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as HashRules from "../verification/HashRules.ts"
import * as AccountCalls from "./AccountCalls.ts"
import * as Calls from "../node/Calls.ts"
import type { DiscoveredBlock } from "../ledger/DiscoveredBlock.ts"
import * as DiscoveredBlocks from "./DiscoveredBlocks.ts"
import { BlockUnavailable, ChainReorganized, type NodeContradiction } from "../node/CallsError.ts"
import type { DiscoveryState } from "./DiscoveryState.ts"
import * as DiscoveryStep from "./DiscoveryStep.ts"

/**
 * Why a discovery ended early. Its state remains, so that another discovery can resume from it.
 */
export type DiscoveryError =
  | BlockUnavailable
  | AccountCalls.ReadError
  | DiscoveredBlocks.FetchError
  | ChainReorganized
  | NodeContradiction

/**
 * What a discovery has found so far, from which another one can resume.
 */
export interface Found {
  readonly state: DiscoveryState
  /** Blocks up to the last settled one, in order. */
  readonly settled: Stream.Stream<DiscoveredBlock>
  /** Blocks that were fetched but not settled. */
  readonly waiting: ReadonlyArray<DiscoveredBlock>
}

/**
 * Receives the state after each turn, and the blocks fetched in the turn.
 */
export type OnTurn = (state: DiscoveryState, fetched: ReadonlyArray<DiscoveredBlock>) => Effect.Effect<void>

/**
 * A discovery that can be run once.
 */
export interface Discovery {
  readonly blocks: Stream.Stream<DiscoveredBlock, DiscoveryError>
  /** The state so far. */
  readonly state: () => DiscoveryState
}

/**
 * Reads the header of a block.
 *
 * **Errors**
 * - `BlockUnavailable`: the node does not have it.
 */
export const headerOf = Effect.fnUntraced(function* (source: Calls.Budgeted, block: number) {
  const { node } = source
  const header = yield* Calls.withRetries(source, node.header(block))
  if (header !== null) return header
  const { number: last } = yield* Calls.withRetries(source, node.head)
  return yield* new BlockUnavailable({ host: node.hosts.join(", "), block, last })
})

/**
 * Reads the last final block, or a given one, with its hash.
 *
 * **Errors**
 * - `BlockUnavailable`: the chain has no block with this number yet.
 */
export const closingBlock = Effect.fnUntraced(function* (source: Calls.Budgeted, chainId: number, at?: number) {
  const { node } = source
  if (at !== undefined) return yield* headerOf(source, at)
  const finalized = yield* Calls.withRetries(source, node.finalized)
  if (finalized !== null) return finalized
  const { number } = yield* Calls.withRetries(source, node.head)
  return yield* headerOf(source, Math.max(0, number - HashRules.finalityBlocksOf(chainId)))
})

/** Makes the calls of a turn concurrently. */
const answer = Effect.fnUntraced(function* (
  source: DiscoveredBlocks.Source,
  state: DiscoveryState,
  calls: DiscoveryStep.Calls,
  wallets: ReadonlySet<string>,
) {
  const end = state.closing.number
  const at = ({ block, wallet }: DiscoveryStep.AccountRead) => ({ address: state.wallets[wallet]!.address, block })
  const addresses = [...wallets]
  const [accounts, nonces, balances, logs, blocks] = yield* Effect.all(
    [
      AccountCalls.accounts(source, calls.accounts.map(at), end),
      AccountCalls.nonces(source, calls.nonces.map(at), end),
      AccountCalls.balances(source, calls.balances.map(at), end),
      AccountCalls.logs(source, calls.logs, addresses),
      DiscoveredBlocks.fetch(source, calls.blocks, wallets),
    ],
    { concurrency: "unbounded" },
  )
  const effects = blocks.map((block) => addresses.map((address) => DiscoveredBlocks.effectsOf(block, address)))
  return { blocks, results: { accounts, nonces, balances, logs, blocks: effects } }
})

/** Fails if the last block is no longer the one whose state was read. */
const verifyClosing = Effect.fnUntraced(function* (source: Calls.Budgeted, { closing }: DiscoveryState) {
  const header = yield* Calls.withRetries(source, source.node.header(closing.number))
  if (header?.hash === closing.hash) return
  const received = header?.hash ?? "no block"
  return yield* new ChainReorganized({ block: closing.number, expected: closing.hash, received })
})

/**
 * State before the first turn.
 */
export const nothingFound = (state: DiscoveryState): Found => ({ state, settled: Stream.empty, waiting: [] })

/**
 * Makes a discovery that resumes an earlier one after its last turn, including its blocks; `nothingFound` starts a new one.
 *
 * **Errors**
 * - `StateUnavailable`: the node lacks the state of a required block.
 * - `NodeContradiction`, `UnexpectedResponse`, `InvalidBlock`: the node is wrong.
 * - `ChainReorganized`: the last block was replaced meanwhile.
 * - `BlockNotFound`, `BlockUnavailable`, `NodeFailed`, `WrongChain`, `CallBudgetExceeded`: calls fail, or are too many.
 */
export const make = (source: DiscoveredBlocks.Source, found: Found, onTurn: OnTurn = () => Effect.void): Discovery => {
  let { state } = found
  const wallets = new Set(state.wallets.map(({ address }) => address))
  /** Blocks that were fetched but not settled. */
  let { waiting } = found
  const turn = Effect.fnUntraced(function* (): Effect.fn.Return<
    readonly [ReadonlyArray<DiscoveredBlock>, Option.Option<undefined>],
    DiscoveryError
  > {
    const calls = DiscoveryStep.next(state)
    if (calls === null) {
      yield* verifyClosing(source, state)
      return [[], Option.none()]
    }
    const { blocks, results } = yield* answer(source, state, calls, wallets)
    state = yield* Effect.fromResult(DiscoveryStep.step(state, calls, results))
    const all = [...waiting, ...blocks]
    const settled = all.filter(({ number }) => number <= state.settled)
    waiting = all.filter(({ number }) => number > state.settled)
    yield* onTurn(state, blocks)
    return [settled.toSorted((one, other) => one.number - other.number), Option.some(undefined)]
  })
  const blocks = Stream.concat(
    found.settled,
    Stream.paginate(undefined, () => turn()),
  )
  return { blocks, state: () => state }
}
