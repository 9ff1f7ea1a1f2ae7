/**
 * Probes one node for what an indexer needs. Each probe is bounded in time and yields a finding, with a remedy if something is missing.
 * Used by `daybook doctor`; an indexer detects the same from its own calls.
 *
 * Source: decision 0037.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Receipt } from "@daybook/schema/Receipt"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlockRef } from "../block/BlockRows.ts"
import * as BlockParts from "./BlockParts.ts"
import * as BlockReceipts from "./BlockReceipts.ts"
import * as NodeEndpoint from "./NodeEndpoint.ts"
import * as NodeError from "./NodeError.ts"
import * as Tracer from "./Tracer.ts"

/**
 * Finding about one capability. `limited` costs speed or detail, `missing` makes indexing impossible, and `failed` means that the node
 * could not be probed.
 */
export interface Finding {
  readonly name: string
  readonly grade: "good" | "limited" | "missing" | "failed"
  readonly text: string
  readonly remedy?: string
}

const questionTimeout = "10 seconds"

/** Number of newest blocks searched for one with transactions. */
const sampledBlocks = 32

/**
 * Outcome of a call within the time limit of one probe; the failure is text for an operator.
 */
export const ask = <A>(call: Effect.Effect<A, CallError>, what: string): Effect.Effect<Result.Result<A, string>> =>
  call.pipe(
    Effect.mapError((error) => NodeError.fromCallError(error, "the node", { what }).message),
    Effect.timeoutOrElse({
      duration: questionTimeout,
      orElse: () => Effect.fail(`The node did not ${what} within ${questionTimeout}.`),
    }),
    Effect.result,
  )

/**
 * A block with its transactions, used to try methods.
 */
export interface Sample extends BlockReceipts.BlockTransactions {
  readonly block: HydratedBlock
}

const sampleOf = (block: HydratedBlock | null): Sample | null =>
  block === null || block.hash === null || block.number === null
    ? null
    : {
        number: Number(block.number),
        hash: block.hash,
        block,
        transactions: block.transactions.map(({ hash }) => hash),
      }

/** A block as far as it decodes, as an indexer accepts it. */
const blockOf = (endpoint: NodeEndpoint.NodeEndpoint, number: number): Effect.Effect<HydratedBlock | null, CallError> =>
  Effect.map(BlockParts.fetchLenient(endpoint, number), (found) => found?.block ?? null)

/** Receipts as far as they decode. */
const receiptsOf = (
  endpoint: NodeEndpoint.NodeEndpoint,
  block: Sample,
  support: BlockReceipts.Support,
): Effect.Effect<ReadonlyArray<Receipt> | null, CallError> =>
  Effect.catchIf(BlockReceipts.fetch(endpoint, block, support), NodeEndpoint.isUndecodable, () =>
    Effect.map(BlockReceipts.fetchLenient(endpoint, block, support), (found) => found?.receipts ?? null),
  )

/**
 * The newest of the last blocks that has transactions; the head if all are empty.
 */
export const sample = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  head: number,
): Effect.fn.Return<Sample | null, CallError> {
  const newest = sampleOf(yield* blockOf(endpoint, head))
  if (newest === null || newest.transactions.length > 0) return newest
  for (let number = head - 1; number >= Math.max(0, head - sampledBlocks); number--) {
    const found = sampleOf(yield* blockOf(endpoint, number))
    if (found !== null && found.transactions.length > 0) return found
  }
  return newest
})

/**
 * Receipts of a block: by the block, one by one, or not at all.
 */
export const receipts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  block: Sample,
): Effect.fn.Return<Finding> {
  const name = "receipts"
  const unsupported = new Set<string>()
  const support: BlockReceipts.Support = {
    isUnsupported: (method) => unsupported.has(method),
    note: (method) => void unsupported.add(method),
  }
  const found = yield* ask(receiptsOf(endpoint, block, support), `return receipts of block ${block.number}`)
  const remedy = "Use a node with eth_getBlockReceipts or eth_getTransactionReceipt, and with full history."
  if (Result.isFailure(found)) return { name, grade: "missing", text: found.failure, remedy }
  if (found.success === null) return { name, grade: "missing", text: `none of block ${block.number}`, remedy }
  if (!unsupported.has(BlockReceipts.byBlock)) {
    const by = endpoint.rejectsHashes ? "number" : "hash"
    return { name, grade: "good", text: `by block ${by} (${BlockReceipts.byBlock})` }
  }
  return {
    name,
    grade: "limited",
    text: `one by one (${BlockReceipts.byTransaction}): no ${BlockReceipts.byBlock}`,
    remedy: "Indexing works; a node with eth_getBlockReceipts is faster.",
  }
})

/**
 * Source of internal transactions, determined with a block.
 */
export const traces = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  block: Sample,
): Effect.fn.Return<Finding> {
  const name = "traces"
  const detected = yield* ask(NodeEndpoint.detectTracer(endpoint, block), "trace a block")
  if (Result.isFailure(detected)) return { name, grade: "limited", text: detected.failure }
  if (detected.success === "off") {
    const remedy = 'Use a node with trace_block or debug_trace*, or set "traces": "off" to index without them.'
    return { name, grade: "limited", text: "none: no internal transactions", remedy }
  }
  const traced = yield* ask(Tracer.traces(endpoint, detected.success, block), `trace block ${block.number}`)
  if (Result.isFailure(traced)) {
    return { name, grade: "limited", text: traced.failure, remedy: 'Use an archive node, or "traces": "off".' }
  }
  if (detected.success !== "debug_traceTransaction") return { name, grade: "good", text: detected.success }
  const shape = endpoint.hasStructLogs ? "struct logs" : "call frames"
  return {
    name,
    grade: "limited",
    text: `${detected.success}, one by one, as ${shape}`,
    remedy: "Indexing works; a node with trace_block is faster.",
  }
})

/**
 * Whether the node knows the last final block.
 */
export const finality = Effect.fnUntraced(function* (endpoint: NodeEndpoint.NodeEndpoint): Effect.fn.Return<Finding> {
  const name = "finalized tag"
  const found = yield* ask(NodeEndpoint.finalized(endpoint), "return the finalized block")
  if (Result.isFailure(found)) return { name, grade: "limited", text: found.failure }
  if (found.success !== null) return { name, grade: "good", text: `block ${found.success.number}` }
  return { name, grade: "limited", text: "none: a block is final by its depth", remedy: 'Set "finalityBlocks".' }
})

const batchedCalls = 10

/**
 * Whether several calls may be sent in one request; `requests` counts the requests sent.
 */
export const batches = Effect.fnUntraced(function* (
  { limiter }: NodeEndpoint.NodeEndpoint,
  head: number,
  requests: () => number,
): Effect.fn.Return<Finding> {
  const name = "batches"
  const before = requests()
  const numbers = Array.from({ length: Math.min(batchedCalls, head + 1) }, (_, age) => head - age)
  const sent = yield* ask(
    limiter.batch(numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [number, false] }))),
    "answer a batch",
  )
  const remedy = 'Set "maxBatchSize" to what the node accepts.'
  if (Result.isFailure(sent)) return { name, grade: "limited", text: sent.failure, remedy }
  const failed = sent.success.results.filter(Result.isFailure).length
  if (failed > 0) return { name, grade: "limited", text: `${failed} of ${numbers.length} calls failed`, remedy }
  const used = requests() - before
  if (used <= 1) return { name, grade: "good", text: `${numbers.length} calls in one request` }
  return { name, grade: "limited", text: `${numbers.length} calls took ${used} requests`, remedy }
})

/**
 * Age of the newest block, in seconds.
 */
export const ageSeconds = (head: NodeEndpoint.Header): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, Math.round(now / 1000 - (head.timestamp ?? 0))))

/** Maximum number of steps in the search for the first block. */
const maxSteps = 24

/**
 * First block at or above `from` for which the node answers: `from` itself, or found by bisection; `null` if even `head` is too old.
 */
export const firstAvailable = Effect.fnUntraced(function* (
  from: number,
  head: number,
  isAvailable: (number: number) => Effect.Effect<boolean>,
): Effect.fn.Return<number | null> {
  if (yield* isAvailable(from)) return from
  if (!(yield* isAvailable(head))) return null
  let [missing, available] = [from, head]
  for (let step = 0; step < maxSteps && available - missing > 1; step++) {
    const middle = Math.floor((missing + available) / 2)
    if (yield* isAvailable(middle)) available = middle
    else missing = middle
  }
  return available
})

/**
 * Whether receipts and traces of a block are available.
 */
export const hasParts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  part: "receipts" | "traces",
  number: number,
): Effect.fn.Return<boolean> {
  const found = yield* ask(blockOf(endpoint, number), `return block ${number}`)
  const block = Result.isSuccess(found) ? sampleOf(found.success) : null
  if (block === null) return false
  // An empty block has nothing to trace.
  if (block.transactions.length === 0) return true
  if (part === "traces") return yield* canTrace(endpoint, block)
  const support: BlockReceipts.Support = { isUnsupported: () => false, note: () => undefined }
  const outcome = yield* ask(receiptsOf(endpoint, block, support), `return receipts of block ${number}`)
  return Result.isSuccess(outcome) && outcome.success !== null
})

const canTrace = (endpoint: NodeEndpoint.NodeEndpoint, block: BlockRef): Effect.Effect<boolean> => {
  const { tracer } = endpoint
  if (tracer === undefined || tracer === "off") return Effect.succeed(false)
  return Effect.map(ask(Tracer.traces(endpoint, tracer, block), `trace block ${block.number}`), Result.isSuccess)
}
