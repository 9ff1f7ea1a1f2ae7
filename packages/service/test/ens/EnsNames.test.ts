import { describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { namehash } from "viem/ens"
import { expect } from "vitest"
import * as EnsNames from "../../src/ens/EnsNames.ts"

const alice = `0x${"a".repeat(40)}`
const resolver = `0x${"5".repeat(40)}`
const wordOf = (digits: string) => digits.padStart(64, "0")
const textOf = (text: string) =>
  `0x${wordOf("20")}${wordOf(text.length.toString(16))}${Buffer.from(text).toString("hex").padEnd(64, "0")}`
const nodeOf = (name: string) => namehash(name).slice(2)

/** Answers of a registry and a resolver that name `alice`, by call. */
const answers: Readonly<Record<string, string>> = {
  [`0x0178b8bf${nodeOf(`${alice.slice(2)}.addr.reverse`)}`]: `0x${wordOf(resolver.slice(2))}`,
  [`0x0178b8bf${nodeOf("alice.eth")}`]: `0x${wordOf(resolver.slice(2))}`,
  [`0x691f3431${nodeOf(`${alice.slice(2)}.addr.reverse`)}`]: textOf("alice.eth"),
  [`0x3b3b57de${nodeOf("alice.eth")}`]: `0x${wordOf(alice.slice(2))}`,
}

const sourceOf = (more: Partial<EnsNames.Source>): EnsNames.Source => ({
  registry: `0x${"1".repeat(40)}`,
  callsPerMinute: 600,
  head: Effect.succeed(1),
  callAt: () => (_, data) => Effect.succeed(answers[data] ?? null),
  ...more,
})

describe("EnsNames", () => {
  it.effect("label: names an address even if few calls per minute are permitted", () =>
    Effect.gen(function* () {
      const { label } = yield* EnsNames.make(sourceOf({ callsPerMinute: 1 }))
      const before = label(alice)
      yield* TestClock.adjust("20 minutes")

      expect([before, label(alice)]).toEqual([null, "alice.eth"])
    }).pipe(Effect.scoped),
  )

  it.effect("find: calls no more often than the chain permits, over all searches", () =>
    Effect.gen(function* () {
      let calls = 0
      const callAt: EnsNames.Source["callAt"] = () => () => Effect.sync(() => (calls++, null))
      const { find } = yield* EnsNames.make(sourceOf({ callAt }))
      const search = Effect.forEach(Array.from({ length: 2_000 }), (_, at) => find(`name${at}.eth`), { concurrency: 4 })
      const searching = yield* Effect.forkChild(search)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(searching)

      expect(calls).toBeGreaterThan(400)
      expect(calls).toBeLessThanOrEqual(600 + 200 + 1)
    }).pipe(Effect.scoped),
  )

  it.effect("find: gives up after its time limit, even while others search", () =>
    Effect.gen(function* () {
      const { find } = yield* EnsNames.make(sourceOf({ head: Effect.never }))
      const searches = Array.from({ length: 40 }, () => find("alice.eth"))
      const searching = yield* Effect.forkChild(Effect.all(searches, { concurrency: "unbounded" }))
      yield* TestClock.adjust("5 seconds")

      expect(searching.pollUnsafe()?._tag).toBe("Success")
    }).pipe(Effect.scoped),
  )
})
