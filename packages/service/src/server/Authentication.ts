/**
 * Who may call, and how often: finds the grant of a key and takes calls from its limit. Both operations begin here.
 *
 * Source: docs/interface.md#5; decisions 0007 and 0012.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ApiKeys, KeyGrant } from "../store/ApiKeys.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as RateLimit from "./RateLimit.ts"

/** Lets callers in. */
export interface Authentication {
  /** The grant of a key; `null` when it is missing or not known. */
  readonly grant: (key: string | undefined) => Effect.Effect<KeyGrant | null, StoreError>
  /** Takes calls from the limit of a key. */
  readonly take: (grant: KeyGrant, calls: number) => Effect.Effect<RateLimit.Decision>
  /** Calls at once at most, and so in one batch. */
  readonly burst: number
}

const longestKeyCharacters = 512

/** Makes the admission by the keys of a service and its limit. */
export const make = (keys: ApiKeys, limit: { readonly perSecond: number; readonly burst: number }): Authentication => {
  const limits = RateLimit.make(limit)
  return {
    grant: (key) =>
      key === undefined || key === "" || key.length > longestKeyCharacters
        ? Effect.succeed(null)
        : keys.find(Redacted.make(key, { label: "apiKey" })),
    take: ({ name }, calls) => limits.take(name, calls),
    burst: limit.burst,
  }
}

/** What a refused call is told about its limit. */
export const limitMessage = (limit: { readonly perSecond: number; readonly burst: number }, seconds: number): string =>
  `Too many requests with this key: ${limit.perSecond} a second and ${limit.burst} at once are accepted; try again in ${seconds} s.`
