/**
 * What the API keys of webhooks permit during sending, from grants that are read periodically.
 *
 * Source: decision 0073.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { ApiKeys, KeyGrant } from "../../store/ApiKeys.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as KeyScope from "../admission/KeyScope.ts"

/** Time for which the grants of API keys are cached. */
const keysMillis = 5_000

/** Why nothing is sent for an API key; undefined if it permits webhooks of the chain. */
export const issueOf = (grant: KeyGrant | null, chain: IndexedChain): string | undefined =>
  grant === null
    ? "Its API key was revoked, or has expired."
    : (KeyScope.webhooksIssue(grant) ?? KeyScope.chainIssue(grant, chain))

/** What keys permit, from grants that are read periodically. */
export const finder = (keys: Pick<ApiKeys, "list">) => {
  let known: { readonly grants: ReadonlyMap<string, KeyGrant>; readonly until: number } = {
    grants: new Map(),
    until: 0,
  }
  return Effect.fnUntraced(function* (name: string): Effect.fn.Return<KeyGrant | null, StoreError> {
    const now = yield* Clock.currentTimeMillis
    if (now >= known.until || now < known.until - keysMillis) {
      const listed = yield* keys.list
      known = { grants: new Map(listed.map((key) => [key.name, key])), until: now + keysMillis }
    }
    const grant = known.grants.get(name)
    return grant !== undefined && now < (grant.expires ?? Infinity) ? grant : null
  })
}
