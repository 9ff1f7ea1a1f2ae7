/**
 * Traces a block transaction by transaction with `debug_traceTransaction`: as call frames if the node has a call tracer, otherwise as
 * struct logs from which the frames are built.
 *
 * Source: decision 0037.
 */
import type { CallError } from "@daybook/rpc/RpcError"
import type { HydratedBlock } from "@daybook/schema/Block"
import * as Trace from "@daybook/schema/Trace"
import type { Transaction } from "@daybook/schema/Transaction"
import { InvalidResponse } from "@daybook/transport/ClientError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ContractAddress from "ox/ContractAddress"
import type { BlockRef } from "../block/BlockRows.ts"
import type { ConcurrencyLimiter } from "./ConcurrencyLimiter.ts"
import * as StructLog from "./StructLog.ts"
import * as StructLogFrames from "./StructLogFrames.ts"

/**
 * A node, and what is known about its tracer.
 */
export interface TracedNode {
  readonly host: string
  readonly limiter: ConcurrencyLimiter
  /** Whether the node returns struct logs because it has no call tracer. */
  hasStructLogs: boolean
}

const method = "debug_traceTransaction"

const callTracer = { tracer: "callTracer" } as const

/** Number of transactions traced concurrently. */
const concurrency = 4

const unexpected = ({ host }: TracedNode, path: string, expected: string, received: string) =>
  new InvalidResponse({ host, attempts: [], reason: "content", path, expected, received })

const request = ({ hasStructLogs, limiter }: TracedNode, hash: string) =>
  limiter.request({ method, params: [hash, hasStructLogs ? StructLog.options : callTracer] })

/**
 * True for an error with which a node rejects the call tracer, not the method or the transaction.
 */
const refusesTracer = (error: CallError): boolean =>
  error._tag === "RpcError" && !error.isRetryable && /\btracers?\b/i.test(error.message)

/** Result of one transaction: a call frame, or struct logs. */
const traceOne = (node: TracedNode, hash: string): Effect.Effect<unknown, CallError> =>
  Effect.catchIf(
    request(node, hash),
    (error) => !node.hasStructLogs && refusesTracer(error),
    () => {
      node.hasStructLogs = true
      return request(node, hash)
    },
  )

const hasStructLogs = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "structLogs" in result

const accountGas = 2_400n
const keyGas = 1_900n
const authorizationGas = 25_000n

/** Gas for access list and authorizations. Source: EIP-2930, 7702. */
const accessGas = (transaction: Transaction): bigint => {
  const { accessList, authorizationList } = transaction as {
    readonly accessList?: ReadonlyArray<{ readonly storageKeys: ReadonlyArray<unknown> }> | null
    readonly authorizationList?: ReadonlyArray<unknown> | null
  }
  const ofList = (accessList ?? []).reduce(
    (sum, { storageKeys }) => sum + accountGas + keyGas * BigInt(storageKeys.length),
    0n,
  )
  return ofList + authorizationGas * BigInt(authorizationList?.length ?? 0)
}

const transferGas = 21_000n

/**
 * Gas used by a transaction. Some nodes report the block's cumulative gas next to the steps. It is only needed for a transaction without
 * steps that may have run code.
 */
const gasUsedOf = (
  { limiter: { calls } }: TracedNode,
  { hash }: Transaction,
  { gas, steps }: StructLog.StructLogs,
): Effect.Effect<bigint, CallError> =>
  steps.length > 0 || gas <= transferGas
    ? Effect.succeed(gas)
    : Effect.map(calls.eth_getTransactionReceipt(hash), (receipt) => receipt?.gasUsed ?? gas)

const tracedOf = (transaction: Transaction, logs: StructLog.StructLogs, gasUsed: bigint): StructLogFrames.Traced => {
  const { from, input, to = null, value } = transaction
  const nonce = BigInt(transaction.nonce ?? 0)
  return {
    logs,
    transaction: {
      from,
      to,
      value: value ?? 0n,
      input: input ?? "0x",
      gasUsed,
      contractAddress:
        to === null
          ? ContractAddress.fromCreate({
              from,
              nonce,
            })
          : null,
      accessGas: accessGas(transaction),
    },
  }
}

/** State of accounts before a block. */
const stateBefore = Effect.fnUntraced(function* (
  { limiter: { calls } }: TracedNode,
  block: BlockRef,
  needed: ReadonlyArray<StructLogFrames.AccountState>,
): Effect.fn.Return<StructLogFrames.StateBefore, CallError> {
  const parent = Math.max(0, block.number - 1)
  const values = yield* Effect.forEach(needed, ({ address, kind }) =>
    kind === "balance"
      ? calls.eth_getBalance(address, parent)
      : Effect.map(calls.eth_getTransactionCount(address, parent), BigInt),
  )
  const byAccount = new Map(needed.map(({ address, kind }, at) => [`${kind} ${address}`, values[at] ?? 0n]))
  return ({ address, kind }) => byAccount.get(`${kind} ${address}`) ?? 0n
})

const decodeFrame = Schema.decodeUnknownOption(Trace.CallFrame)

const fromFrames = (node: TracedNode, results: ReadonlyArray<unknown>) =>
  Effect.forEach(results, (result, at) => {
    const frame = Option.getOrUndefined(decodeFrame(result))
    return frame === undefined
      ? Effect.fail(unexpected(node, `result of transaction ${at}`, "a call frame or struct logs", "another value"))
      : Effect.succeed(frame)
  })

const fromStructLogs = Effect.fnUntraced(function* (
  node: TracedNode,
  block: BlockRef,
  transactions: ReadonlyArray<Transaction>,
  results: ReadonlyArray<unknown>,
) {
  const traced: Array<StructLogFrames.Traced> = []
  for (const [at, result] of results.entries()) {
    const logs = StructLog.parse(result)
    if (Result.isFailure(logs)) {
      return yield* unexpected(node, `result of transaction ${at}`, logs.failure, "other struct logs")
    }
    const transaction = transactions[at]!
    traced.push(tracedOf(transaction, logs.success, yield* gasUsedOf(node, transaction, logs.success)))
  }
  const before = yield* stateBefore(node, block, StructLogFrames.stateNeeded(traced))
  const frames = StructLogFrames.ofBlock(traced, before)
  if (Result.isSuccess(frames)) return frames.success
  return yield* unexpected(node, "result.structLogs", "the steps of the transaction", frames.failure)
})

/**
 * Traces the transactions of a block, in order.
 *
 * **Errors**
 * - `CallError`: the node failed on a transaction, or its struct logs lack what the frames need.
 */
export const traces = Effect.fnUntraced(function* (
  node: TracedNode,
  block: BlockRef,
): Effect.fn.Return<ReadonlyArray<Trace.TransactionTrace>, CallError> {
  const found: HydratedBlock | null = yield* node.limiter.calls.eth_getBlockByNumber(block.number, true)
  if (found?.hash !== block.hash) {
    return yield* unexpected(node, "result.hash", block.hash, found?.hash ?? "no block")
  }
  const { transactions } = found
  const results = yield* Effect.forEach(transactions, ({ hash }) => traceOne(node, hash), { concurrency })
  // Some nodes ignore the requested tracer.
  if (results.some(hasStructLogs)) node.hasStructLogs = true
  const frames = node.hasStructLogs
    ? yield* fromStructLogs(node, block, transactions, results)
    : yield* fromFrames(node, results)
  return frames.map((result, at) => ({ txHash: transactions[at]!.hash, result }))
})

/**
 * Checks whether the node has the method at all, with a nonexistent transaction.
 *
 * **Errors**
 * - `CallError`: from the node; a transaction that is not found means that it has the method.
 */
export const probe = (node: TracedNode): Effect.Effect<unknown, CallError> => traceOne(node, `0x${"0".repeat(64)}`)
