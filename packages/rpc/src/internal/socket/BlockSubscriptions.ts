/**
 * Subscriptions to new heads and logs. After a reconnection, servers do not resend what was missed. Those blocks are reported as a `Gap`:
 * from the first block that differs from what was emitted, up to the head of the new connection.
 */
import * as Block from "@daybook/schema/Block"
import * as Receipt from "@daybook/schema/Receipt"
import * as Retry from "@daybook/transport/internal/Retry"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type { Client } from "../../Client.ts"
import type { CallError } from "../../RpcError.ts"
import { issueOf, type Kind, type Source, type Taken } from "./Subscription.ts"

/**
 * Blocks with missing notifications. Read them with `eth_getBlockByNumber`, or with `eth_getLogs` from `fromBlock` to `toBlock`. Anything
 * emitted for blocks from `fromBlock` on is no longer valid. Later notifications may repeat blocks up to `toBlock`; identify a log by its
 * block hash and index.
 */
export interface Gap {
  readonly _tag: "Gap"
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

/**
 * The header of a new block: a block without its transactions.
 */
export interface Head extends Omit<
  Block.Block,
  "transactions" | "uncles" | "withdrawals" | "size" | "totalDifficulty" | "number" | "hash"
> {
  readonly number: bigint
  readonly hash: NonNullable<Block.Block["hash"]>
}

/** A block that was emitted, or whose notifications follow. */
interface Known {
  readonly number: bigint
  readonly hash: string
  /** Whether it was emitted, or belongs to a gap. */
  readonly isGiven?: boolean
}

/** Emitted blocks, lowest first. */
type State = ReadonlyArray<Known>

/** Number of blocks that are remembered to find where a reorg starts, and the maximum number read for that. */
const maxKnown = 128

/** Placeholder that equals no block hash. */
const noHash = ""

const headOf = ({ eth_getBlockByNumber: read }: Client): Effect.Effect<Known | undefined, CallError> =>
  Effect.map(read("latest", false), (block) =>
    block?.number == null || block.hash === null ? undefined : { number: block.number, hash: block.hash },
  )

const before =
  (client: Client) =>
  (state: State): Effect.Effect<State, CallError> =>
    Effect.map(headOf(client), (head) => (head === undefined ? state : [head]))

/** First incomplete block of a chain that may differ from what was emitted. `isWhole`: everything in a block is emitted at once. */
const firstMissing = Effect.fnUntraced(function* (
  client: Client,
  state: State,
  isWhole: boolean,
): Effect.fn.Return<bigint | undefined, CallError> {
  for (const { hash, number } of state.toReversed()) {
    const block = yield* client.eth_getBlockByNumber(number, false)
    if (block?.hash === hash) return isWhole ? number + 1n : number
  }
  return state[0]?.number
})

/** State after a block was emitted: blocks at its height and above were replaced. */
const following = (state: State, block: Known): State =>
  [...state.filter(({ number }) => number < block.number), block].slice(-maxKnown)

/**
 * Blocks known below a gap, in which a later gap may start. If all known blocks were replaced, the height of the lowest one is kept with a
 * placeholder hash. Logs of the first block of their gap were emitted.
 */
const belowGap = (state: State, { fromBlock, toBlock }: Gap, isWhole: boolean): State => {
  const below = state.filter(({ number }) => (isWhole ? number < fromBlock : number <= fromBlock))
  return below.length > 0 || fromBlock > toBlock ? below : [{ number: fromBlock, hash: noHash }]
}

/** Blocks between the last emitted block and the head. */
const again = (client: Client, isWhole: boolean) =>
  Effect.fnUntraced(function* (state: State): Effect.fn.Return<Taken<Gap, State>, CallError> {
    const head = yield* headOf(client)
    if (head === undefined) return [[], state]
    const fromBlock = (yield* firstMissing(client, state, isWhole)) ?? head.number
    const gap: Gap = { _tag: "Gap", fromBlock, toBlock: head.number }
    if (fromBlock <= head.number) return [[gap], following(belowGap(state, gap, isWhole), { ...head, isGiven: true })]
    return [[], following(state, state.find(({ hash }) => hash === head.hash) ?? head)]
  })

const decodeBlock = SchemaParser.decodeUnknownResult(Block.Block)
const decodeLog = SchemaParser.decodeUnknownResult(Receipt.Log)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/**
 * True if a head extends the emitted blocks. A server may skip heads, including all but the last one of a reorg. If the heads of a server
 * have never referred to each other as parents, numbers decide, because some chains report head hashes that differ from block hashes.
 */
const isNext = (state: State, { number, parentHash }: Head, areLinked: boolean): boolean => {
  const below = state.findLast((block) => block.number < number)
  return below === undefined || (below.number === number - 1n && (below.hash === parentHash || !areLinked))
}

/**
 * First missing block below a head, found through the hashes of its ancestors: a lagging node may still return replaced blocks by number.
 * If it lacks an ancestor, all known blocks may have been replaced. Below the known blocks, numbers decide.
 */
const firstReplaced = Effect.fnUntraced(function* (
  client: Client,
  state: State,
  head: Head,
): Effect.fn.Return<bigint | undefined, CallError> {
  let child: Pick<Head, "number" | "parentHash"> = head
  for (const [index, known] of [...state.entries()].toReversed()) {
    if (known.number !== child.number - 1n) return yield* firstMissing(client, state.slice(0, index + 1), true)
    if (known.hash === child.parentHash) return child.number
    const parent = index === 0 ? null : yield* client.eth_getBlockByHash(child.parentHash, false)
    if (parent === null) return state[0]?.number
    child = { number: known.number, parentHash: parent.parentHash }
  }
  return undefined
})

/**
 * The missing blocks before a head, and the blocks emitted before them. If the parent of the head replaced a block and cannot be read, the
 * gap covers all known blocks.
 */
const missingBefore = Effect.fnUntraced(function* (
  { client, policy }: Pick<Source, "client" | "policy">,
  state: State,
  head: Head,
): Effect.fn.Return<Taken<Gap, State>, CallError> {
  const below = state.filter(({ number }) => number < head.number)
  const read = Retry.untilDeadline(policy, firstReplaced(client, below, head))
  const isReplaced = below.at(-1)?.number === head.number - 1n
  const found = yield* isReplaced ? Effect.orElseSucceed(read, () => below[0]?.number) : read
  const fromBlock = found ?? head.number
  const gap: Gap = { _tag: "Gap", fromBlock, toBlock: head.number - 1n }
  return [fromBlock < head.number ? [gap] : [], belowGap(below, gap, true)]
})

/** Subscribes to new heads. */
export const heads = (source: Pick<Source, "client" | "policy">): Kind<Head | Gap, State> => {
  // Shared by all streams, since they describe the server. One head that refers to another one as its parent is enough.
  let lastHash: string | undefined
  let areLinked = false
  return {
    initial: [],
    params: () => ["newHeads"],
    before: before(source.client),
    again: again(source.client, true),
    isResumable: false,
    take: (state, result) => {
      // A header is a block without these members.
      const value = isObject(result) ? { size: "0x0", ...result, transactions: [], uncles: [] } : result
      const decoded = decodeBlock(value)
      if (Result.isFailure(decoded)) return Result.fail(issueOf(decoded.failure, value))
      const {
        hash,
        number,
        size: _,
        totalDifficulty: __,
        transactions: ___,
        uncles: ____,
        withdrawals: _____,
        ...header
      } = decoded.success
      if (number === null || hash === null) {
        return Result.fail({
          path: "params.result",
          expected: "a block with number and hash",
          received: "a pending block",
        })
      }
      const last = state.at(-1)
      if (last?.isGiven === true && last.hash === hash) return Result.succeed([[], state])
      const head: Head = { ...header, number, hash }
      const known: Known = { number, hash, isGiven: true }
      areLinked ||= head.parentHash === lastHash
      lastHash = hash
      return Result.succeed(
        isNext(state, head, areLinked)
          ? [[head], following(state, known)]
          : Effect.map(missingBefore(source, state, head), ([gap, before]) => [
              [...gap, head],
              following(before, known),
            ]),
      )
    },
  }
}

/** Subscribes to the logs that match a filter. */
export const logs = (client: Client, filter: object): Kind<Receipt.Log | Gap, State> => ({
  initial: [],
  params: () => ["logs", filter],
  before: before(client),
  again: again(client, false),
  isResumable: false,
  take: (state, result) => {
    const decoded = decodeLog(result)
    if (Result.isFailure(decoded)) return Result.fail(issueOf(decoded.failure, result))
    const { blockHash: hash, blockNumber: number, removed } = decoded.success
    if (number == null || hash == null) return Result.succeed([[decoded.success], state])
    const known =
      removed === true
        ? state.filter((block) => block.number < number || block.hash !== hash)
        : following(state, { number, hash })
    // The lowest block is kept: if nothing above it is known, a gap starts there.
    return Result.succeed([[decoded.success], known.length === 0 ? state.slice(0, 1) : known])
  },
})
