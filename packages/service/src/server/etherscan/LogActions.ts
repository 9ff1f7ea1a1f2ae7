/**
 * The module `logs`: logs of a node, joined with the times of their blocks and the receipts of their transactions.
 *
 * Source: decision 0070.
 */
import * as Receipt from "@daybook/schema/Receipt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Hash from "@daybook/schema/Hash"
import * as Quantity from "@daybook/schema/Quantity"
import { holderOf } from "../../store/ApiKeys.ts"
import type { FairQueue } from "../admission/FairQueue.ts"
import type { Turns } from "../admission/Turns.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as NodeCalls from "./NodeCalls.ts"
import * as Parameters from "./Parameters.ts"
import * as HexQuantity from "../../node/HexQuantity.ts"

type Calls = NodeCalls.NodeCalls

/** Dependencies of the actions. */
export interface Options {
  readonly calls: Calls
  readonly queue: FairQueue
  readonly turns: Pick<Turns, "run">
}

/** Maximum number of logs on a page. */
const maxLogs = 1_000

/** Maximum number of bytes of a node's logs, which are parsed at once: about 14,000 transfers. */
const maxBytes = 8 * 1024 * 1024

/** Number of logs decoded in one turn of the event loop. */
const decodedAtOnce = 250

/** Number of concurrent calls of one request. */
const concurrency = 4

/** Approximate number of bytes of a row without its data. */
const rowBytes = 700

const isTopic = SchemaParser.is(Hash.Hash)

/** Filter of a node: topics by position, `null` for any. */
interface Filter {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address?: string
  readonly topics: ReadonlyArray<string | null>
}

const positions = [0, 1, 2, 3] as const

type Topics = ReadonlyArray<string | null>

const topicsOf = (parameters: Parameters.Parameters): Result.Result<Topics, Envelope.Refused> =>
  Result.all(
    positions.map((position) => {
      const topic = parameters.get(`topic${position}`)?.toLowerCase()
      if (topic === undefined) return Result.succeed(null)
      return isTopic(topic) ? Result.succeed(topic) : Result.fail(Envelope.invalid(`topic${position}`, "32 bytes"))
    }),
  )

/** Whether two topics must both match, or one of them. */
const operatorOf = (parameters: Parameters.Parameters, one: number, other: number) => {
  const sent = parameters.get(`topic${one}_${other}_opr`)?.toLowerCase() ?? "and"
  return sent === "and" || sent === "or"
    ? Result.succeed(sent)
    : Result.fail(Envelope.invalid(`topic${one}_${other}_opr`, '"and" or "or"'))
}

/** Alternative lists of topics, since nodes do not support alternatives between positions. */
const alternativesOf = (parameters: Parameters.Parameters): Result.Result<ReadonlyArray<Topics>, Envelope.Refused> =>
  Result.gen(function* () {
    const topics = yield* topicsOf(parameters)
    const sent = positions.filter((position) => topics[position] !== null)
    const pairs = sent.flatMap((one) => sent.filter((other) => other > one).map((other) => [one, other] as const))
    const operators = yield* Result.all(pairs.map(([one, other]) => operatorOf(parameters, one, other)))
    if (!operators.includes("or")) return [topics]
    if (operators.includes("and")) {
      return yield* Result.fail(Envelope.invalid("topic operators", 'all of them "and", or all of them "or"'))
    }
    return sent.map((position) => positions.map((other) => (other === position ? topics[position]! : null)))
  })

/** Content of a request. The ends of its range may be above the head. */
interface Requested {
  readonly address: string | undefined
  readonly alternatives: ReadonlyArray<Topics>
  readonly from: number
  readonly to: number
  /** Whether the range starts at the head. */
  readonly isLatest: boolean
  /** Number of logs on the page. */
  readonly limit: number
  /** Number of logs before the page. */
  readonly skipped: number
}

const requestedOf = (parameters: Parameters.Parameters): Result.Result<Requested, Envelope.Refused> =>
  Result.gen(function* () {
    const address = yield* Parameters.addressIfSent(parameters, "address")
    const alternatives = yield* alternativesOf(parameters)
    if (address === undefined && alternatives.flat().every((topic) => topic === null)) {
      return yield* Result.fail(Envelope.notOk("Error! Missing address or topic parameters"))
    }
    const from = yield* Parameters.block(parameters, "fromblock", 0)
    const to = yield* Parameters.block(parameters, "toblock", Number.MAX_SAFE_INTEGER)
    const isLatest = parameters.get("fromblock")?.toLowerCase() === "latest"
    const page = Math.max(1, yield* Parameters.number(parameters, "page", 1))
    const offset = yield* Parameters.number(parameters, "offset", maxLogs)
    const limit = offset === 0 ? maxLogs : Math.min(offset, maxLogs)
    const skipped = Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER)
    return { address, alternatives, from, to, isLatest, limit, skipped }
  })

/** Filters of a request. Nodes reject a range beyond their head; nothing remains of a range that starts there. */
const filtersOf = ({ address, alternatives, from, isLatest, to }: Requested, head: number): ReadonlyArray<Filter> => {
  const first = isLatest ? head : from
  const last = Math.min(to, head)
  if (first > last) return []
  const range = { fromBlock: HexQuantity.of(first), toBlock: last === head ? "latest" : HexQuantity.of(last) }
  const scope = address === undefined ? range : { ...range, address }
  return alternatives.map((topics) => ({
    ...scope,
    topics: topics.slice(0, topics.findLastIndex((topic) => topic !== null) + 1),
  }))
}

const Logs = Schema.Array(Receipt.Log)
const decodeLogs = Schema.decodeUnknownOption(Logs)

const Executed = Schema.Struct({
  transactionHash: Hash.Hash,
  gasUsed: Quantity.Quantity,
  effectiveGasPrice: Schema.optionalKey(Schema.NullOr(Quantity.Quantity)),
})
const decodeReceipt = Schema.decodeUnknownOption(Executed)
const decodeBlock = Schema.decodeUnknownOption(Schema.Struct({ timestamp: Quantity.Quantity }))

type Log = typeof Receipt.Log.Type

/** Position of a log that is in a block. */
interface Placed {
  readonly log: Log
  readonly block: bigint
  readonly blockHash: string
  readonly transaction: string
  readonly index: number
}

/** Logs in chain order without duplicates; pending ones have no position. */
const inOrder = (logs: ReadonlyArray<Log>): ReadonlyArray<Placed> => {
  const found = new Map<string, Placed>()
  for (const log of logs) {
    const { blockHash, blockNumber: block, logIndex: index, transactionHash: transaction } = log
    if (block == null || blockHash == null || index == null || transaction == null) continue
    found.set(`${block} ${index}`, { log, block, blockHash, transaction, index: Number(index) })
  }
  return [...found.values()].toSorted((one, other) => Number(one.block - other.block) || one.index - other.index)
}

/** True for a node's message that a range has too many logs or takes too long. */
const isTooMuch = (message: string): boolean =>
  /limit|more than|too many|too large|range|exceed|timed? ?out/i.test(message)

const readLogs = Effect.fnUntraced(function* ({ calls, turns }: Options, request: Request, filter: Filter) {
  const answer = yield* calls
    .read(request, "eth_getLogs", [filter], maxBytes)
    .pipe(
      Effect.mapError((refused) =>
        typeof refused.result === "string" && refused.result.startsWith("Error!") && isTooMuch(refused.result)
          ? Envelope.tooMuch
          : refused,
      ),
    )
  if (!Array.isArray(answer)) return yield* NodeCalls.unreadable("logs")
  const logs: Array<Log> = []
  for (let from = 0; from < answer.length; from += decodedAtOnce) {
    const part: unknown = answer.slice(from, from + decodedAtOnce)
    const decoded = yield* turns.run(Effect.sync(() => decodeLogs(part)))
    if (Option.isNone(decoded)) return yield* NodeCalls.unreadable("logs")
    logs.push(...decoded.value)
  }
  return logs
})

/** Time of a block, from the index if it has the block, otherwise from the node. */
const timeOf = Effect.fnUntraced(function* (calls: Calls, request: Request, { block, blockHash }: Placed) {
  const stored = yield* request.chain.reader
    .snapshot((snapshot) => snapshot.block(Number(block)))
    .pipe(Effect.orElseSucceed(() => null))
  if (stored?.hash === blockHash) return BigInt(stored.timestamp)
  const header = decodeBlock(yield* calls.read(request, "eth_getBlockByHash", [blockHash, false]))
  return Option.isSome(header) ? header.value.timestamp : yield* NodeCalls.unreadable("the block of a log")
})

const executedOf = Effect.fnUntraced(function* (calls: Calls, request: Request, { transaction }: Placed) {
  const receipt = decodeReceipt(yield* calls.read(request, "eth_getTransactionReceipt", [transaction]))
  return Option.isSome(receipt) ? receipt.value : yield* NodeCalls.unreadable("the receipt of a log")
})

/** Reads one value per key of the logs. */
const readEach = <A>(
  logs: ReadonlyArray<Placed>,
  keyOf: (log: Placed) => string,
  read: (log: Placed) => Effect.Effect<A, Envelope.Refused>,
) => {
  const byKey = new Map(logs.map((log) => [keyOf(log), log]))
  return Effect.forEach([...byKey], ([key, log]) => Effect.map(read(log), (value) => [key, value] as const), {
    concurrency,
  }).pipe(Effect.map((entries) => new Map(entries)))
}

/** Etherscan writes 0 as `0x`; its clients accept `0x0` as well. */
const rowOf = (
  { block, blockHash, index, log, transaction }: Placed,
  time: bigint,
  { effectiveGasPrice, gasUsed }: typeof Executed.Type,
) => ({
  address: log.address,
  topics: log.topics,
  data: log.data,
  blockNumber: HexQuantity.of(block),
  blockHash,
  timeStamp: HexQuantity.of(time),
  gasPrice: HexQuantity.of(effectiveGasPrice ?? 0n),
  gasUsed: HexQuantity.of(gasUsed),
  logIndex: HexQuantity.of(index),
  transactionHash: transaction,
  transactionIndex: HexQuantity.of(log.transactionIndex ?? 0),
})

const readPage = (options: Options): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const { calls } = options
    const requested = yield* Effect.fromResult(requestedOf(request.parameters))
    const { limit, skipped } = requested
    const head = yield* calls.head(request)
    const found = yield* Effect.forEach(filtersOf(requested, head), (filter) => readLogs(options, request, filter))
    // The node may have another head by now.
    const inRange = inOrder(found.flat()).filter(({ block }) => block <= requested.to)
    const page = inRange.slice(skipped, skipped + limit)
    const times = yield* readEach(
      page,
      ({ blockHash }) => blockHash,
      (log) => timeOf(calls, request, log),
    )
    const receipts = yield* readEach(
      page,
      ({ transaction }) => transaction,
      (log) => executedOf(calls, request, log),
    )
    return {
      _tag: "Rows",
      // Sound: both were read for each log on the page.
      rows: page.map((log) => rowOf(log, times.get(log.blockHash)!, receipts.get(log.transaction)!)),
      bytes: page.reduce((sum, { log }) => sum + rowBytes + log.data.length, 0),
      none: Envelope.noRecords,
      headers: {},
    }
  })

/** A page makes many calls to nodes, so a key has one at a time. */
const getLogs = (options: Options): Action["answer"] => {
  const read = readPage(options)
  return (request) =>
    options.queue
      .run(holderOf(request.grant), read(request))
      .pipe(Effect.catchTag("QueueFull", ({ max }) => Effect.fail(Envelope.queueFull("pages of logs", max))))
}

/** The actions. */
export const make = (options: Options): Actions => ({
  "logs/getlogs": { operation: "relay", answer: getLogs(options) },
})
