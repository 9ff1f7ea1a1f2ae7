/**
 * Reads headers and logs of blocks from the nodes of a chain for its subscriptions, and rejects inconsistent ones.
 *
 * Source: decision 0016.
 */
import type { RpcError } from "@daybook/rpc/RpcError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { BlockRef } from "../../block/BlockRows.ts"
import type { HeadBlock } from "./HeadChain.ts"
import type { NodeLog } from "./LogFilter.ts"
import type { ResponseRejected, Upstream, UpstreamUnavailable } from "./Upstream.ts"

/** A node returned no block, or an unusable one. */
export class UnusableBlock extends Data.TaggedError("UnusableBlock")<{ readonly message: string }> {}

/** Why a block cannot be read. */
export type ReadError = RpcError | UpstreamUnavailable | ResponseRejected | UnusableBlock

/** Maximum bytes of a block with transaction hashes, and of one block's logs. */
const [maxBlockBytes, maxLogsBytes] = [4 * 1024 * 1024, 16 * 1024 * 1024]

const decoder = new TextDecoder()

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hashPattern = /^0x[0-9a-f]{64}$/i
const addressPattern = /^0x[0-9a-f]{40}$/i
const numberPattern = /^0x[0-9a-f]{1,13}$/i
const bloomPattern = /^0x0*[1-9a-f][0-9a-f]*$/i

const lower = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === "string" && pattern.test(value) ? value.toLowerCase() : undefined

/** Members of a block that a header does not have. */
const bodyMembers = new Set(["transactions", "uncles", "withdrawals", "size", "totalDifficulty"])

/** Block from a node's JSON value; undefined if it is not a block. */
const blockOf = (value: unknown): HeadBlock | undefined => {
  if (!isObject(value)) return undefined
  const [hash, parentHash] = [lower(value["hash"], hashPattern), lower(value["parentHash"], hashPattern)]
  const number = lower(value["number"], numberPattern)
  if (hash === undefined || parentHash === undefined || number === undefined) return undefined
  const header = Object.fromEntries(Object.entries(value).filter(([name]) => !bodyMembers.has(name)))
  const hasNonEmptyBloom = lower(value["logsBloom"], bloomPattern) !== undefined
  return { number: Number(number), hash, parentHash, hasNonEmptyBloom, header: JSON.stringify(header), logs: undefined }
}

/** Log from a node's JSON value; undefined if it is not a log of the block. */
const logOf = (value: unknown, { hash }: BlockRef): NodeLog | undefined => {
  if (!isObject(value) || lower(value["blockHash"], hashPattern) !== hash) return undefined
  const { removed: _, ...members } = value
  const address = lower(members["address"], addressPattern)
  const received: unknown = members["topics"]
  const topics = Array.isArray(received) ? received.map((topic) => lower(topic, hashPattern)) : [undefined]
  if (address === undefined || topics.includes(undefined)) return undefined
  // Sound: none is undefined.
  return { address, topics: topics as ReadonlyArray<string>, body: JSON.stringify(members).slice(0, -1) }
}

const unusable = (message: string): UnusableBlock => new UnusableBlock({ message })

/** Calls a method and parses its result, which is limited in size. */
const read = Effect.fnUntraced(function* (
  { call }: Upstream,
  method: string,
  params: ReadonlyArray<unknown>,
  maxBytes: number,
): Effect.fn.Return<unknown, ReadError> {
  const bytes = yield* call(method, params)
  if (bytes.length > maxBytes) return yield* unusable(`${method}: more than ${maxBytes} bytes`)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(decoder.decode(bytes)),
    catch: () => unusable(`${method}: not JSON`),
  })
})

/** The newest block. */
export const newest = Effect.fnUntraced(function* (upstream: Upstream): Effect.fn.Return<HeadBlock, ReadError> {
  const block = blockOf(yield* read(upstream, "eth_getBlockByNumber", ["latest", false], maxBlockBytes))
  return block ?? (yield* unusable("eth_getBlockByNumber: no block"))
})

/** The parent of a block. */
export const parentOf = Effect.fnUntraced(function* (
  upstream: Upstream,
  { number, parentHash }: HeadBlock,
): Effect.fn.Return<HeadBlock, ReadError> {
  const block = blockOf(yield* read(upstream, "eth_getBlockByHash", [parentHash, false], maxBlockBytes))
  if (block !== undefined && block.hash === parentHash && block.number === number - 1) return block
  return yield* unusable("eth_getBlockByHash: no such block")
})

/** The logs of a block in order. A node that does not have the block yet may return an empty list: `hasLogs` rejects that. */
export const logsOf = Effect.fnUntraced(function* (
  upstream: Upstream,
  block: BlockRef,
  hasLogs: boolean,
): Effect.fn.Return<ReadonlyArray<NodeLog>, ReadError> {
  const received = yield* read(upstream, "eth_getLogs", [{ blockHash: block.hash }], maxLogsBytes)
  const logs = Array.isArray(received) ? received.map((value: unknown) => logOf(value, block)) : [undefined]
  const isUsable = !logs.includes(undefined) && (logs.length > 0 || !hasLogs)
  // Sound: none is undefined.
  return isUsable ? (logs as ReadonlyArray<NodeLog>) : yield* unusable("eth_getLogs: not the logs of the block")
})
