/**
 * Subscriptions to new heads and to logs. Servers do not send again what a connection that ended left out. These blocks are given as a
 * `Gap`: from the first block that differs from what was given, up to the head of the new connection.
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
 * Blocks of which notifications are missing. Read them: `eth_getBlockByNumber`, or `eth_getLogs` from `fromBlock` to `toBlock`. What was given of
 * blocks from `fromBlock` on is no longer valid. Notifications that follow may repeat blocks up to `toBlock`. Recognise a log by its block
 * hash and index.
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

/** A block that was given, or whose notifications follow. */
interface Known {
  readonly number: bigint
  readonly hash: string
  /** It was given, or lies in a gap. */
  readonly isGiven?: boolean
}

/** Blocks that were given, lowest first. */
type State = ReadonlyArray<Known>

/** Blocks that are remembered, to find where a reorg begins; as many are read at most. */
const maxKnown = 128

/** The hash of no block. */
const noHash = ""

const headOf = ({ eth_getBlockByNumber: read }: Client): Effect.Effect<Known | undefined, CallError> =>
  Effect.map(read("latest", false), (block) =>
    block?.number == null || block.hash === null ? undefined : { number: block.number, hash: block.hash },
  )

const before =
  (client: Client) =>
  (state: State): Effect.Effect<State, CallError> =>
    Effect.map(headOf(client), (head) => (head === undefined ? state : [head]))

/** The first block of which something is missing, of a chain that may differ from what was given; `isWhole`: all of a block is given at once. */
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

/** The blocks after one was given: those at its height and above were replaced. */
const following = (state: State, block: Known): State =>
  [...state.filter(({ number }) => number < block.number), block].slice(-maxKnown)

/**
 * What is known below a gap, which a later one may begin in. Where all was replaced, the number of its lowest block is, with the hash of no block.
 * Logs of the first block of their gap were given.
 */
const belowGap = (state: State, { fromBlock, toBlock }: Gap, isWhole: boolean): State => {
  const below = state.filter(({ number }) => (isWhole ? number < fromBlock : number <= fromBlock))
  return below.length > 0 || fromBlock > toBlock ? below : [{ number: fromBlock, hash: noHash }]
}

/** The blocks between what was given and the head. */
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
 * Whether a head follows on the blocks that were given. A server may leave out heads, also all but the last one of a reorg. Where heads of a
 * server have never named each other as parents, numbers decide: some chains give heads another hash than blocks.
 */
const isNext = (state: State, { number, parentHash }: Head, areLinked: boolean): boolean => {
  const below = state.findLast((block) => block.number < number)
  return below === undefined || (below.number === number - 1n && (below.hash === parentHash || !areLinked))
}

/**
 * The first block below a head that is missing, by the hashes of its ancestors: a node that is behind still gives replaced blocks for their
 * numbers. Where it does not have an ancestor, all may be replaced. Below a block that is not known, numbers decide.
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
 * The blocks that are missing before a head, and what was given before them. Where the parent of the head replaced a block and cannot be read,
 * the gap has all that is known.
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

/** The new heads. */
export const heads = (source: Pick<Source, "client" | "policy">): Kind<Head | Gap, State> => {
  // Of the server, and so of all streams. One head that names another one as its parent is enough.
  let lastHash: string | undefined
  let areLinked = false
  return {
    initial: [],
    params: () => ["newHeads"],
    before: before(source.client),
    again: again(source.client, true),
    isResumable: false,
    take: (state, result) => {
      // A header is a block that lacks these members.
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
          received: "a pending one",
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

/** The logs that a filter selects. */
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
    // The lowest block stays: a gap begins there, where nothing above it is known.
    return Result.succeed([[decoded.success], known.length === 0 ? state.slice(0, 1) : known])
  },
})
