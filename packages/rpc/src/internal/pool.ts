/**
 * The endpoints of a client: which one is asked next, judged by the traffic itself and by nothing else. No pings.
 * An endpoint that failed rests for a while; one that asked for a pause, lacks the method or is behind the highest block seen comes later.
 */
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import type { CallError } from "../RpcError.ts"
import type { Limiter } from "./limiter.ts"
import type { Batcher } from "./batcher.ts"
import type { RequestItem } from "./wire.ts"

/** One endpoint and what is known of it. */
export interface Member {
  readonly batcher: Batcher
  readonly limiter: Limiter | undefined
  /** Failures since its last success. */
  failures: number
  hasAnswered: boolean
  restsUntilMillis: number
  /** Methods that it said it does not have. */
  readonly unsupportedMethods: Set<string>
  /** The highest block it has shown; -1 when none. */
  height: bigint
}

export const member = (batcher: Batcher, limiter: Limiter | undefined): Member => ({
  batcher,
  limiter,
  failures: 0,
  hasAnswered: false,
  restsUntilMillis: 0,
  unsupportedMethods: new Set(),
  height: -1n,
})

export interface Pool {
  readonly members: ReadonlyArray<Member>
  /** The highest block seen at any endpoint. */
  highest: bigint
}

const shortestRestMillis = 1_000
const longestRestMillis = 30_000

/** True for failures after which another endpoint may do better: all but those that the call itself is the cause of. */
export const canFailOver = (error: CallError): boolean =>
  error._tag === "RpcError"
    ? error.kind !== "reverted" && error.kind !== "invalidParams"
    : error._tag !== "InvalidParams"

/** True for failures that say that the endpoint is in trouble, and not only this call. */
const isTrouble = (error: CallError): boolean =>
  error._tag === "TransportError" ||
  error._tag === "TimeoutError" ||
  error._tag === "Unauthorized" ||
  (error._tag === "InvalidResponse" && (error.reason === "status" || error.reason === "redirect"))

/** True for an endpoint whose last word was an answer. */
export const isProven = (one: Member): boolean => one.hasAnswered && one.failures === 0

export const noteSuccess = (one: Member): void => {
  one.hasAnswered = true
  one.failures = 0
  one.restsUntilMillis = 0
}

export const noteFailure = (one: Member, call: RequestItem, error: CallError, nowMillis: number): void => {
  if (error._tag === "RpcError" && error.kind === "methodUnsupported") one.unsupportedMethods.add(call.method)
  if (!isTrouble(error)) return
  one.failures++
  one.restsUntilMillis = nowMillis + Math.min(longestRestMillis, shortestRestMillis * 2 ** (one.failures - 1))
}

const firstParam = (call: RequestItem): unknown =>
  Array.isArray(call.params) ? (call.params as ReadonlyArray<unknown>)[0] : undefined

const isBlockByNumber = (call: RequestItem): boolean =>
  call.method === ("eth_getBlockByNumber" satisfies RpcMethod.Name)

/** True for calls whose answer shows the endpoint's newest block. */
const asksHead = (call: RequestItem): boolean =>
  call.method === ("eth_blockNumber" satisfies RpcMethod.Name) ||
  (isBlockByNumber(call) && firstParam(call) === "latest")

/** Of the endpoints that a call may still ask, the best: first those without anything against them, then in the order of preference. */
export const choose = (
  pool: Pool,
  candidates: ReadonlyArray<Member>,
  call: RequestItem,
  nowMillis: number,
  pausedMillis: (one: Member) => number,
): Member | undefined => {
  const [only] = candidates
  if (candidates.length <= 1) return only
  const faults = (one: Member): number =>
    (pausedMillis(one) > 0 ? 4 : 0) +
    (one.restsUntilMillis > nowMillis ? 4 : 0) +
    (one.unsupportedMethods.has(call.method) ? 8 : 0) +
    (one.height < pool.highest && one.height >= 0n ? (asksHead(call) ? 6 : 1) : 0)
  return candidates
    .map((one) => ({ one, faults: faults(one), paused: pausedMillis(one) }))
    .reduce((best, next) =>
      next.faults < best.faults || (next.faults === best.faults && next.paused < best.paused) ? next : best,
    ).one
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const quantity = (value: unknown): bigint | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{1,16}$/i.test(value) ? BigInt(value) : undefined

/** The height that an answer shows; undefined when it shows none. */
const heightOf = (call: RequestItem, value: unknown): bigint | undefined => {
  if (call.method === ("eth_blockNumber" satisfies RpcMethod.Name)) return quantity(value)
  return isBlockByNumber(call) && isRecord(value) ? quantity(value["number"]) : undefined
}

/**
 * Notes how high an answer shows its endpoint to be. `behind`: the answer is of the head, and below what has been seen;
 * `missing`: it has no block where there is one.
 */
export const noteHeight = (
  pool: Pool,
  one: Member,
  call: RequestItem,
  value: unknown,
): "behind" | "missing" | undefined => {
  if (pool.members.length === 1) return undefined
  const height = heightOf(call, value)
  if (height === undefined) {
    const asked = isBlockByNumber(call) && value === null ? quantity(firstParam(call)) : undefined
    return asked !== undefined && asked <= pool.highest ? "missing" : undefined
  }
  if (height > one.height || asksHead(call)) one.height = height
  if (height > pool.highest) pool.highest = height
  return asksHead(call) && height < pool.highest ? "behind" : undefined
}
