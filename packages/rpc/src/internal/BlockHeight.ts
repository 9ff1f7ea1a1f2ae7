/**
 * Tracks the highest block shown by each endpoint, so that a client with several endpoints does not report a head below one that it
 * reported within the last minute.
 */
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import type { EndpointStates } from "./EndpointStates.ts"
import type { RequestItem } from "./reply/match.ts"
import { isObject } from "./error/JsonObject.ts"

const blockNumber: RpcMethod.Name = "eth_blockNumber"
const blockByNumber: RpcMethod.Name = "eth_getBlockByNumber"

const firstParam = ({ params }: RequestItem): unknown =>
  Array.isArray(params) ? (params as ReadonlyArray<unknown>)[0] : undefined

/** True for calls whose result is the endpoint's newest block, or its number. */
export const needsHead = (call: RequestItem): boolean =>
  call.method === blockNumber || (call.method === blockByNumber && firstParam(call) === "latest")

const quantity = (value: unknown): bigint | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{1,16}$/i.test(value) ? BigInt(value) : undefined

const heightOf = (call: RequestItem, result: unknown): bigint | undefined => {
  if (call.method === blockNumber) return quantity(result)
  return call.method === blockByNumber && isObject(result) ? quantity(result["number"]) : undefined
}

/**
 * Records the height that a result shows. `behind`: the result is a head below the highest block seen. `missing`: it is `null` for a block
 * that exists at another endpoint. With a single endpoint neither is reported, because a development chain may be reset.
 */
export const observe = (
  pool: EndpointStates<unknown>,
  index: number,
  call: RequestItem,
  result: unknown,
  now: number,
): "behind" | "missing" | undefined => {
  if (pool.endpoints.length === 1) return undefined
  const height = heightOf(call, result)
  if (height === undefined) {
    const requested = call.method === blockByNumber && result === null ? quantity(firstParam(call)) : undefined
    return requested !== undefined && requested <= pool.state().highest ? "missing" : undefined
  }
  const isHead = needsHead(call)
  pool.note({ _tag: "HeightSeen", index, height, isHead, now })
  return isHead && height < pool.state().highest ? "behind" : undefined
}
