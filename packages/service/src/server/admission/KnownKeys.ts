/**
 * Whose work a request is before it is authenticated: that of the key that it carries, where the key was right before. Any other request
 * is work of its address, as it is for callers without a key. This decides when the request begins, and grants nothing.
 *
 * Source: decision 0039.
 */
import type { IncomingMessage } from "node:http"
import * as Redacted from "effect/Redacted"
import { digestOf } from "../../store/ApiKeys.ts"
import { keyIn } from "../http/ApiKeyHeader.ts"
import * as AnonymousCaller from "./AnonymousCaller.ts"

/** The keys that were right. */
export interface KnownKeys {
  /** Remembers the holder of a key that was right. */
  readonly add: (key: Redacted.Redacted<string>, holder: string) => void
  /** The holder of a request of an address. */
  readonly holderOf: (request: Pick<IncomingMessage, "headers" | "url">, address: string) => string
}

/** Keys that are remembered; beyond them all are forgotten. */
const maxKnown = 10_000

/** The key of a request: in a header, in the path of the relay, or in a query of Etherscan's API. */
const keyOf = ({ headers, url = "" }: Pick<IncomingMessage, "headers" | "url">): string | undefined =>
  // Sound: each header that may hold a key is one text.
  keyIn(headers as Readonly<Record<string, string | undefined>>) ??
  /^\/rpc\/[^/?]+\/([^/?]+)|[?&]apikey=([^&]+)/i
    .exec(url)
    ?.slice(1)
    .find((key) => key !== undefined)

/** Makes an empty list. */
export const make = (): KnownKeys => {
  /** Holders by the digests of their keys. */
  const holders = new Map<string, string>()
  /** Holders of the requests that were looked at before. */
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
