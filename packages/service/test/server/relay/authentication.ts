/** A rate limit with some tokens and no refill, and the number of tokens taken. */
import { Effect } from "effect"
import type { Authentication } from "../../../src/server/admission/Authentication.ts"
import type { KeyGrant } from "../../../src/store/ApiKeys.ts"

export const grant: KeyGrant = { name: "a", operator: false, empty: null }

export const makeAuthentication = (burst: number, left = burst) => {
  const taken: Array<number> = []
  let tokens = left
  const authentication: Authentication["Service"] = {
    keyless: () => null,
    grant: () => Effect.succeed(grant),
    take: (_, calls) =>
      Effect.sync(() => {
        taken.push(calls)
        const isAllowed = calls <= tokens
        if (isAllowed) tokens -= calls
        return {
          isAllowed,
          limit: { perSecond: burst, burst },
          headers: { "ratelimit-remaining": String(tokens) },
          retryAfterSeconds: isAllowed ? 0 : 1,
        }
      }),
    burstOf: () => burst,
    limitOf: () => ({ perSecond: burst, burst }),
    limitMessage: ({ retryAfterSeconds }) => `Retry after ${retryAfterSeconds} s.`,
  }
  return { authentication, taken }
}
