import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as WebhookTurns from "../../../src/server/webhook/WebhookTurns.ts"
import type { Webhooks } from "../../../src/store/Webhooks.ts"

/** Keeps the thread busy, like an SQLite statement. */
const work = (millis: number) => {
  const end = performance.now() + millis
  while (performance.now() < end);
}

describe("WebhookTurns", () => {
  it.live("bounded: webhooks that are due together are processed in several turns of the event loop", () =>
    Effect.gen(function* () {
      let turn = 0
      const begun: Array<number> = []
      const acquire: Webhooks["acquire"] = () =>
        Effect.sync(() => {
          work(6)
          begun.push(turn)
          setImmediate(() => turn++)
          return null
        })
      const turns = Turns.make(() => performance.now())
      const webhooks = WebhookTurns.bounded({ acquire } as Webhooks, turns)

      yield* Effect.all(
        Array.from({ length: 10 }, (_, at) => webhooks.acquire(`wh${at}`, "owner", 1000)),
        { concurrency: "unbounded" },
      )

      expect(begun).toHaveLength(10)
      expect(new Set(begun).size).toBe(10)
    }),
  )
})
