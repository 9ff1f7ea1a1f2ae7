/**
 * Caches the immutable responses of a chain's nodes. A response that depends on the canonical chain is checked against the index each time
 * it is used. One cache serves all chains of a process.
 *
 * Source: decision 0024.
 */
import type { RpcError } from "@daybook/rpc/RpcError"
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { BlockRef } from "../../block/BlockRows.ts"
import type { ChainReader } from "../../store/ChainReader.ts"
import * as Metrics from "../monitoring/Metrics.ts"
import * as Cacheability from "./Cacheability.ts"
import * as JsonScan from "./JsonScan.ts"
import * as LruCache from "./LruCache.ts"
import type { ResponseRejected, Upstream, UpstreamUnavailable } from "./Upstream.ts"

/** A chain with its index and its nodes. */
export interface CachedChain extends Pick<ServedChain, "id" | "name"> {
  readonly reader: Pick<ChainReader, "snapshot">
  readonly upstream: Upstream
}

/** Answers calls from memory or from a node. */
export class RelayCache extends Context.Service<
  RelayCache,
  {
    /** The result of a call. The parameters must fit the method. */
    readonly call: (
      chain: CachedChain,
      method: RpcMethod.Name,
      params: ReadonlyArray<unknown>,
    ) => Effect.Effect<Uint8Array, RpcError | UpstreamUnavailable | ResponseRejected>
  }
>()("@daybook/service/server/RelayCache") {}

interface Entry {
  readonly bytes: Uint8Array
  /** The final block on which the response depends; `null` if it depends on none. */
  readonly block: BlockRef | null
}

const metrics = {
  hits: Metric.counter("daybook_relay_cache_hits_total", {
    description: "Relayed calls answered from the cache.",
    incremental: true,
  }),
  misses: Metric.counter("daybook_relay_cache_misses_total", {
    description: "Relayed calls with a cacheable response that a node answered.",
    incremental: true,
  }),
  bytes: Metric.gauge("daybook_relay_cache_bytes", { description: "Memory in use by the cache of the relay." }),
}

/** Hash of a final block in the index; `null` if the index has no final block with this number. */
const finalHash = (chain: CachedChain, number: number): Effect.Effect<string | null> =>
  chain.reader
    .snapshot(
      Effect.fnUntraced(function* (snapshot) {
        const checkpoint = yield* snapshot.checkpoint
        if (checkpoint === null || checkpoint.finalized === null || number > checkpoint.finalized) return null
        return (yield* snapshot.block(number))?.hash ?? null
      }),
    )
    .pipe(Effect.catchTag("StoreError", () => Effect.succeed(null)))

const isFinal = (chain: CachedChain, { hash, number }: BlockRef): Effect.Effect<boolean> =>
  Effect.map(finalHash(chain, number), (found) => found === hash)

/** A longer response, or one with more values, is not cached: finding its block would take too long. */
const maxEntryBytes = 2 * 1024 * 1024
const maxEntryValues = 150_000

const isNothing = (text: string): boolean => /^\s*(?:null|\[\s*\])\s*$/.test(text.slice(0, 64))

const decoder = new TextDecoder()

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Cache entry for a response; `null` if the response is not immutable. */
const entryOf = Effect.fnUntraced(function* (
  chain: CachedChain,
  method: RpcMethod.Name,
  requested: Cacheability.Requested,
  bytes: Uint8Array,
): Effect.fn.Return<Entry | null> {
  if (bytes.length > maxEntryBytes || JsonScan.count(bytes).values > maxEntryValues) return null
  const text = decoder.decode(bytes)
  if (isNothing(text)) return null
  if (requested._tag === "Constant") return { bytes, block: null }
  // Parsing the response costs most, so it is skipped for a block that is not final.
  if (requested._tag === "BlockNumber" && (yield* finalHash(chain, requested.number)) === null) return null
  const block = Cacheability.blockOf(method, parse(text))
  if (block === null) return null
  if (requested._tag === "BlockHash") {
    return block.hash === requested.hash ? { bytes, block: null } : null
  }
  if (requested._tag === "BlockNumber" && block.number !== requested.number) return null
  return (yield* isFinal(chain, block)) ? { bytes, block } : null
})

/** Makes a cache of at most `maxBytes`; with 0, every call goes to a node. */
export const make = (maxBytes: number, registry: Metrics.Metrics["Service"]): RelayCache["Service"] => {
  const cache = LruCache.make<Entry>(maxBytes)
  const context = Metrics.contextOf(registry)

  const count = (counter: Metric.Counter<number>, { name }: CachedChain) =>
    Metric.withAttributes(counter, { chain: name }).updateUnsafe(1, context)
  const measure = () => metrics.bytes.updateUnsafe(cache.size(), context)
  measure()

  /** Bytes of a cached result; undefined if there are none, or if their block is no longer final. */
  const lookUp = Effect.fnUntraced(function* (
    chain: CachedChain,
    key: string,
  ): Effect.fn.Return<Uint8Array | undefined> {
    const found = cache.get(key)
    if (found === undefined) return undefined
    if (found.block === null || (yield* isFinal(chain, found.block))) return found.bytes
    cache.delete(key)
    return undefined
  })

  const cached = Effect.fnUntraced(function* (
    chain: CachedChain,
    method: RpcMethod.Name,
    params: ReadonlyArray<unknown>,
    requested: Cacheability.Requested,
  ): Effect.fn.Return<Uint8Array, RpcError | UpstreamUnavailable | ResponseRejected> {
    const key = `${chain.id} ${requested.key}`
    const found = yield* lookUp(chain, key)
    count(found === undefined ? metrics.misses : metrics.hits, chain)
    if (found !== undefined) return found
    const result = yield* chain.upstream.call(method, params)
    const entry = yield* entryOf(chain, method, requested, result)
    if (entry !== null) cache.set(key, entry)
    measure()
    return result
  })

  return {
    call: (chain, method, params) => {
      const requested = maxBytes === 0 ? null : Cacheability.requested(method, params)
      return requested === null ? chain.upstream.call(method, params) : cached(chain, method, params, requested)
    },
  }
}

/** Provides a cache with a maximum size in mebibytes. */
export const layer = (maxMebibytes: number): Layer.Layer<RelayCache, never, Metrics.Metrics> =>
  Layer.effect(
    RelayCache,
    Effect.map(Metrics.Metrics, (registry) => make(maxMebibytes * 1024 * 1024, registry)),
  )
