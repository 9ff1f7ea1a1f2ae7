import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as NameLookups from "../../../src/push/NameLookups.ts"
import * as WebhookBounds from "../../../src/server/webhook/WebhookBounds.ts"

const key = "k".repeat(40)
const settings = { key, allowPrivate: true, perKey: 10, addressesPerKey: 5, addressesPerWebhook: 5, total: 1_000 }
const caller = { grant: { name: "usual", operator: false, empty: null }, headers: {} }

describe("WebhookBounds", () => {
  const bounds = { ...settings, allowPrivate: false, perKey: 2, addressesPerKey: 10, addressesPerWebhook: 5, total: 4 }
  const make = (more: Partial<WebhookBounds.Options> = {}, paused = 1, own: ReadonlyArray<number> = []) => {
    const stored = own.map((wallets) => ({ name: "wh", holder: "usual", content: "", revision: 1, wallets }))
    const webhooks = {
      counts: Effect.succeed({ active: 1, failing: 1, paused }),
      ofHolder: () => Effect.succeed(stored),
    }
    // Sound: nothing else of the webhooks is read.
    return WebhookBounds.make({ settings: bounds, lookups: NameLookups.make(), webhooks: webhooks as never, ...more })
  }
  const outcomeOf = <E extends { readonly message: string }>(check: Effect.Effect<void, E>) =>
    Effect.match(check, { onFailure: ({ message }) => message, onSuccess: () => "allowed" })

  it.effect("checkCount: a webhook has 1 to 5 addresses, and one with more may keep or reduce them", () =>
    Effect.gen(function* () {
      const { checkCount } = make()
      const counts = [[0], [1], [5], [6], [6, 1], [6, 0], [7, -1], [0, -1]] as const
      const outcomes = yield* Effect.forEach(counts, ([count, more]) => outcomeOf(checkCount("add", count, more)))

      expect(outcomes.map((outcome) => outcome === "allowed")).toEqual([
        false,
        true,
        true,
        false,
        false,
        true,
        true,
        false,
      ])
      expect(outcomes[3]).toBe(
        'Invalid request body "add": expected 1 to 5 addresses in a webhook (webhooks.addressesPerWebhook), received 6.',
      )
    }),
  )

  it.effect("checkRoom: limits the webhooks of all keys and of each key, and their addresses", () =>
    Effect.gen(function* () {
      const roomOf = (
        holder: string | null,
        paused: number,
        own: ReadonlyArray<number>,
        more: readonly [number, number],
      ) =>
        Effect.map(
          outcomeOf(make({}, paused, own).checkRoom(holder, { webhooks: more[0], addresses: more[1] })),
          (outcome) => /webhooks[.](\w+)|allowed/.exec(outcome)?.at(1) ?? outcome,
        )

      expect([yield* roomOf("a", 1, [], [1, 10]), yield* roomOf("a", 1, [], [1, 11])]).toEqual([
        "allowed",
        "addressesPerKey",
      ])
      expect([yield* roomOf(null, 1, [9, 9], [1, 99]), yield* roomOf(null, 2, [], [1, 1])]).toEqual([
        "allowed",
        "total",
      ])
      expect([yield* roomOf("a", 2, [], [0, 1]), yield* roomOf("a", 2, [], [1, 1])]).toEqual(["allowed", "total"])
      expect([yield* roomOf("a", 1, [3], [1, 7]), yield* roomOf("a", 1, [3, 4], [1, 1])]).toEqual(["allowed", "perKey"])
      expect([yield* roomOf("a", 1, [3, 4], [0, 3]), yield* roomOf("a", 1, [3, 4], [0, 4])]).toEqual([
        "allowed",
        "addressesPerKey",
      ])
    }),
  )

  it.effect("checkUrl: rejects a URL without showing it, and states whose look-up has not ended", () =>
    Effect.gen(function* () {
      const lookups = NameLookups.make(() => undefined)
      const { checkUrl } = make({ lookups })
      const check = (url: string, name = "usual") =>
        outcomeOf(checkUrl({ ...caller, grant: { ...caller.grant, name } }, url))
      const waiting = yield* Effect.forkChild(
        Effect.forEach(["usual", "second", "usual", "third"], (name, at) => check(`https://${at}.example/`, name), {
          concurrency: "unbounded",
        }),
      )
      yield* TestClock.adjust(3_000)

      expect(yield* Fiber.join(waiting)).toEqual([
        "allowed",
        "allowed",
        "The name of another URL of this API key is still being looked up. Retry later.",
        "The names of other URLs are still being looked up. Retry later.",
      ])
      expect([yield* check("https://93.184.215.14/"), yield* check("https://10.0.0.1/secret")]).toEqual([
        "allowed",
        'Invalid request body "url": expected an address of the public internet, received another URL.',
      ])
    }),
  )
})
