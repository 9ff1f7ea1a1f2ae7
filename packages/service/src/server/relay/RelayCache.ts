/**
 * What the relay has of a chain's nodes, kept as long as it stays true: answers that never change, checked against the index each
 * time that they depend on the chain's course. One cache serves all chains of a process.
 *
 * Source: decision 0024.
 */
import type { RpcError } from "@daybook/rpc/RpcError"
import type * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Effect from "effect/Effect"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { ChainReader } from "../../store/ChainReader.ts"
import type { BlockRef } from "../../store/BlockRows.ts"
import * as LruCache from "./LruCache.ts"
import * as Cacheability from "./Cacheability.ts"
import type { Upstream, UpstreamDown } from "./Upstream.ts"

/** A chain, what is indexed of it, and the way to its nodes. */
export interface CachedChain extends Pick<ServedChain, "id" | "name"> {
  readonly reader: Pick<ChainReader, "snapshot">
  readonly upstream: Upstream
}

/** How often the cache had the answer to a call that it may keep. */
export interface Counts {
  readonly chain: string
  readonly hits: number
  readonly misses: number
}

/** The text of a result, or its bytes. */
export type ResultText = string | Uint8Array

/** Answers calls from memory or by a node. */
export interface RelayCache {
  /** The result of a call whose parameters fit the method. */
  readonly call: (
    chain: CachedChain,
    method: RpcMethod.Name,
    params: ReadonlyArray<unknown>,
  ) => Effect.Effect<ResultText, RpcError | UpstreamDown>
  readonly counts: () => ReadonlyArray<Counts>
  /** Bytes in use. */
  readonly size: () => number
}

interface Kept {
  readonly bytes: Uint8Array
  /** The final block that the answer stands on; null when it stands on none. */
  readonly block: BlockRef | null
}

/** The hash of a block by the index; null when it is not final there. */
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

const isNothing = (text: string): boolean => /^\s*(?:null|\[\s*\])\s*$/.test(text.slice(0, 64))

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bytes of a text, in memory of their own: a piece of a shared buffer would keep all of that alive. */
const bytesOf = (text: string): Uint8Array => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** What may be kept of an answer; null when nothing. */
const kept = Effect.fnUntraced(function* (
  chain: CachedChain,
  method: RpcMethod.Name,
  asked: Cacheability.RequestedBound,
  text: string,
): Effect.fn.Return<Kept | null> {
  if (isNothing(text)) return null
  if (asked._tag === "Constant") return { bytes: bytesOf(text), block: null }
  // Reading the answer costs most: it is left out while its block is not final anyway.
  if (asked._tag === "OfNumber" && (yield* finalHash(chain, asked.number)) === null) return null
  const block = Cacheability.blockOf(method, parse(text))
  if (block === null) return null
  if (asked._tag === "OfHash") return block.hash === asked.hash ? { bytes: bytesOf(text), block: null } : null
  if (asked._tag === "OfNumber" && block.number !== asked.number) return null
  return (yield* isFinal(chain, block)) ? { bytes: bytesOf(text), block } : null
})

/** Makes a cache of at most `maxBytes`; with 0 every call goes to a node. */
export const make = (maxBytes: number): RelayCache => {
  const cache = LruCache.make<Kept>(maxBytes)
  const counts = new Map<string, { hits: number; misses: number }>()

  const count = ({ name }: CachedChain, what: "hits" | "misses") => {
    const known = counts.get(name) ?? { hits: 0, misses: 0 }
    known[what]++
    counts.set(name, known)
  }

  const cached = Effect.fnUntraced(function* (
    chain: CachedChain,
    method: RpcMethod.Name,
    params: ReadonlyArray<unknown>,
    asked: Cacheability.RequestedBound,
  ): Effect.fn.Return<ResultText, RpcError | UpstreamDown> {
    const key = `${chain.id} ${asked.key}`
    const found = cache.get(key)
    if (found !== undefined) {
      if (found.block === null || (yield* isFinal(chain, found.block))) {
        count(chain, "hits")
        return found.bytes
      }
      cache.delete(key)
    }
    count(chain, "misses")
    const text = yield* chain.upstream.call(method, params)
    const keep = yield* kept(chain, method, asked, text)
    if (keep !== null) cache.set(key, keep)
    return text
  })

  return {
    call: (chain, method, params) => {
      const asked = maxBytes === 0 ? null : Cacheability.asked(method, params)
      return asked === null ? chain.upstream.call(method, params) : cached(chain, method, params, asked)
    },
    counts: () => [...counts].map(([chain, { hits, misses }]) => ({ chain, hits, misses })),
    size: cache.size,
  }
}
