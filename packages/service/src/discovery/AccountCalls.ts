/**
 * Reads accounts and searches logs at the nodes, and verifies that the responses match the requests.
 *
 * Source: decision 0047.
 */
import { visibleStart } from "@daybook/schema/VisibleText"
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import { quote } from "@daybook/schema/Issue"
import type { Log } from "@daybook/schema/Receipt"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isTooLarge } from "../node/BlockParts.ts"
import * as NodeProbe from "../node/NodeProbe.ts"
import * as Calls from "../node/Calls.ts"
import type { Account } from "./DiscoveryState.ts"
import { StateUnavailable, UnexpectedResponse } from "../node/CallsError.ts"
import type { BlockRange, RangeResult } from "./LogRanges.ts"
import * as TokenTopics from "./TokenTopics.ts"

/**
 * An account at the end of a block.
 */
export interface AccountAt {
  readonly address: string
  readonly block: number
}

/**
 * Why accounts or logs could not be read.
 */
export type ReadError = Calls.CallsError | StateUnavailable | UnexpectedResponse

const delegationPrefix = "0xef0100"

/** Kind of an account's code. Source: EIP-7702. */
const kindOfCode = (code: string): Account["code"] => {
  if (code === "0x") return "none"
  return code.startsWith(delegationPrefix) && code.length === delegationPrefix.length + 40 ? "delegation" : "contract"
}

/**
 * Kinds of errors of a node that supports the method but lacks the state. The parameters are valid, so a node that rejects them refers to
 * the block.
 */
const aboutState: ReadonlySet<string> = new Set(["pruned", "notFound", "unknown", "invalidParams"])

const isAboutState = (cause: CallError): cause is CallError & { readonly _tag: "RpcError" } =>
  cause._tag === "RpcError" && !cause.isRetryable && aboutState.has(cause.kind)

/** First block from a given one whose state the node has; `null` if it has none up to the end. */
const firstWithState = (budgeted: Calls.Budgeted, address: string, from: number, end: number) =>
  NodeProbe.firstAvailable(from, end, (block) =>
    Effect.isSuccess(
      Calls.send(budgeted, [{ method: "eth_getBalance", params: [address, block] }], { what: "read a balance", block }),
    ),
  )

/**
 * Calls methods that read the state of blocks. `end` is a block whose state the node is expected to have.
 *
 * **Errors**
 * - `StateUnavailable`: no node has the state of a block.
 */
export const readState = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  reads: ReadonlyArray<{ readonly block: number; readonly address: string; readonly call: Call }>,
  end: number,
  isResult?: (error: CallError) => boolean,
): Effect.fn.Return<ReadonlyArray<Result.Result<unknown, CallError>>, Calls.CallsError | StateUnavailable> {
  const block = reads.reduce((lowest, read) => Math.min(lowest, read.block), end)
  const task = { what: `read accounts at block ${block}`, block, isResult }
  const sent = Calls.send(
    budgeted,
    reads.map(({ call }) => call),
    task,
  )
  return yield* Effect.catchTag(
    sent,
    "NodeFailed",
    Effect.fnUntraced(function* (failed) {
      const { cause } = failed
      if (!isAboutState(cause)) return yield* failed
      const firstBlock = yield* firstWithState(budgeted, reads[0]!.address, block, end)
      const reason = visibleStart(cause.message, 200)
      return yield* new StateUnavailable({ host: cause.host, method: cause.method, block, reason, firstBlock })
    }),
  )
})

/** Values of results, none of which may be an error. */
const valuesOf = (results: ReadonlyArray<Result.Result<unknown, CallError>>): ReadonlyArray<unknown> =>
  results.map((result) => (Result.isSuccess(result) ? result.success : null))

/** Reads one method for each account. */
const valuesAt = <A>(
  method: "eth_getTransactionCount" | "eth_getBalance",
  budgeted: Calls.Budgeted,
  reads: ReadonlyArray<AccountAt>,
  end: number,
): Effect.Effect<ReadonlyArray<A>, Calls.CallsError | StateUnavailable> =>
  Effect.map(
    readState(
      budgeted,
      reads.map(({ address, block }) => ({ address, block, call: { method, params: [address, block] } })),
      end,
    ),
    // Sound: the results are decoded by the schema of the method.
    (results) => valuesOf(results) as ReadonlyArray<A>,
  )

/**
 * Transaction counts of accounts.
 */
export const nonces = (budgeted: Calls.Budgeted, reads: ReadonlyArray<AccountAt>, end: number) =>
  Effect.map(valuesAt<number>("eth_getTransactionCount", budgeted, reads, end), (counts) => counts.map(BigInt))

/**
 * Balances of accounts in wei.
 */
export const balances = (budgeted: Calls.Budgeted, reads: ReadonlyArray<AccountAt>, end: number) =>
  valuesAt<bigint>("eth_getBalance", budgeted, reads, end)

/**
 * Reads accounts with nonce, balance and kind of code.
 */
export const accounts = (budgeted: Calls.Budgeted, reads: ReadonlyArray<AccountAt>, end: number) =>
  Effect.map(
    readState(
      budgeted,
      reads.flatMap(({ address, block }) =>
        (["eth_getTransactionCount", "eth_getBalance", "eth_getCode"] as const).map((method) => ({
          address,
          block,
          call: {
            method,
            params: [address, block] as const,
          },
        })),
      ),
      end,
    ),
    (results) => {
      const values = valuesOf(results)
      return reads.map((_, at): Account => {
        // Sound: the results are decoded by the schemas of the methods.
        const [nonce, balance, code] = values.slice(at * 3, at * 3 + 3) as [number, bigint, string]
        return { nonce, balance, code: kindOfCode(code) }
      })
    },
  )

/** Number of wallets in one filter, since nodes limit the topics of a call. */
const walletsPerFilter = 100
/** Number of log searches in one request; each may take the node long. */
const searchesPerRequest = 3

/** Error messages of a node that ended a search because it took too long. */
const tooLong = /time(?:d )?.?out|deadline exceeded/i

/**
 * True for an error after which a shorter range should be searched.
 */
export const isRangeTooLarge = (error: CallError): boolean =>
  (error._tag === "RpcError" &&
    (error.kind === "tooLarge" || (error.kind === "internal" && tooLong.test(error.message)))) ||
  error._tag === "TimeoutError" ||
  isTooLarge(error)

const issueOfLog = ({ blockNumber, removed, topics }: Log, { from, to }: BlockRange, wallets: ReadonlySet<string>) => {
  const expected = `a log of blocks ${from} to ${to} with a searched wallet in its topics`
  if (removed === true) return { expected, received: "a removed log" }
  if (blockNumber == null) return { expected, received: "a log without a block" }
  if (blockNumber < BigInt(from) || blockNumber > BigInt(to))
    return { expected, received: `one of block ${blockNumber}` }
  const isOfWallet = topics.slice(1).some((topic) => wallets.has(topic))
  return isOfWallet ? null : { expected, received: `one with the topics ${quote(topics.join(","))}` }
}

/**
 * Finds blocks with token events of wallets, by range.
 *
 * **Errors**
 * - `UnexpectedResponse`: a log does not match the search.
 */
export const logs = Effect.fnUntraced(function* (
  budgeted: Calls.Budgeted,
  ranges: ReadonlyArray<BlockRange>,
  addresses: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyArray<RangeResult>, ReadError> {
  const padded = addresses.map(TokenTopics.fromAddress)
  const groups = Array.from({ length: Math.ceil(padded.length / walletsPerFilter) }, (_, at) =>
    padded.slice(at * walletsPerFilter, (at + 1) * walletsPerFilter),
  )
  const filters = groups.flatMap(TokenTopics.filters)
  const calls = ranges.flatMap(({ from, to }) =>
    filters.map((topics): Call => ({ method: "eth_getLogs", params: [{ fromBlock: from, toBlock: to, topics }] })),
  )
  const task = { what: "search for token events", block: ranges[0]?.from ?? 0, isResult: isRangeTooLarge }
  const results = yield* Calls.send(budgeted, calls, task, searchesPerRequest)
  const wallets = new Set(padded)
  const found: Array<RangeResult> = []
  for (const [at, range] of ranges.entries()) {
    const own = results.slice(at * filters.length, (at + 1) * filters.length)
    if (own.some(Result.isFailure)) {
      found.push("too_large")
      continue
    }
    // Sound: the results are decoded by the schema of the method.
    const all = (valuesOf(own) as ReadonlyArray<ReadonlyArray<Log>>).flat()
    for (const log of all) {
      const issue = issueOfLog(log, range, wallets)
      if (issue !== null) {
        const host = budgeted.node.hosts.join(", ")
        return yield* new UnexpectedResponse({ host, method: "eth_getLogs", ...issue })
      }
    }
    found.push([...new Set(all.map(({ blockNumber }) => Number(blockNumber)))])
  }
  return found
})
