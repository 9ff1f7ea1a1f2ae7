/**
 * The holder of a request before it is authenticated: that of its key, if the key was valid before. Any other request counts for its
 * address, as for callers without a key. This decides when the request begins, and grants nothing.
 *
 * Source: decision 0039.
 */
import type { IncomingMessage } from "node:http"
import * as Redacted from "effect/Redacted"
import { digestOf } from "../../store/ApiKeys.ts"
import { keyIn } from "../http/ApiKeyHeader.ts"
import * as AnonymousCaller from "./AnonymousCaller.ts"

/** Keys that were valid. */
export interface KnownKeys {
  /** Remembers the holder of a valid key. */
  readonly add: (key: Redacted.Redacted<string>, holder: string) => void
  /** Holder of a request from an address. */
  readonly holderOf: (request: Pick<IncomingMessage, "headers" | "url">, address: string) => string
}

/** Maximum number of remembered keys; when it is exceeded, all are forgotten. */
const maxKnown = 10_000

/** Key of a request: in a header, in the path of the relay, or in a query of the Etherscan API. */
const keyOf = ({ headers, url = "" }: Pick<IncomingMessage, "headers" | "url">): string | undefined =>
  // Sound: each header that may contain a key is one text.
  keyIn(headers as Readonly<Record<string, string | undefined>>) ??
  /^\/rpc\/[^/?]+\/([^/?]+)|[?&]apikey=([^&]+)/i
    .exec(url)
    ?.slice(1)
    .find((key) => key !== undefined)

/** Makes an empty list. */
export const make = (): KnownKeys => {
  /** Holders by the digest of their keys. */
  const holders = new Map<string, string>()
  /** Holders of requests that were already looked up. */
  const requests = new WeakMap<object, string>()
  return {
    add: (key, holder) => {
      if (holders.size >= maxKnown) holders.clear()
      holders.set(digestOf(key), holder)
    },
    holderOf: (request, address) => {
      const before = requests.get(request)
      if (before !== undefined) return before
      const key = keyOf(request)
      const known = key === undefined ? undefined : holders.get(digestOf(Redacted.make(key)))
      const holder = known ?? AnonymousCaller.holderAt(address)
      requests.set(request, holder)
      return holder
    },
  }
}
