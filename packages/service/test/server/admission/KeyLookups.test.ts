import { describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import type { KeyGrant } from "../../../src/store/ApiKeys.ts"
import { digestOf } from "../../../src/store/ApiKeys.ts"
import * as KeyLookups from "../../../src/server/admission/KeyLookups.ts"
import { start } from "../service.ts"

const grant: KeyGrant = { name: "a", operator: false, empty: null }

/** Keys of which some are valid, and the reads that they caused. */
const keysOf = (...right: ReadonlyArray<string>) => {
  const all = new Set(right)
  const reads = { find: 0, list: 0 }
  const find = (key: Redacted.Redacted<string>) =>
    Effect.sync(() => {
      reads.find++
      return all.has(Redacted.value(key)) ? grant : null
    })
  const digests = Effect.sync(() => {
    reads.list++
    return [...all].map((key) => digestOf(Redacted.make(key)))
  })
  const lookUp = KeyLookups.make({ find, digests })
  return { all, reads, lookUp: (key: string, address = "10.0.0.1") => lookUp(Redacted.make(key), address) }
}

const unknown = (count: number, prefix = "unknown") => Array.from({ length: count }, (_, at) => `${prefix}-${at}`)

describe("KeyLookups", () => {
  it.effect("an unknown key is looked up once in five seconds, and accepted then if it was created meanwhile", () =>
    Effect.gen(function* () {
      const { all, lookUp, reads } = keysOf()
      for (let count = 0; count < 100; count++) expect(yield* lookUp("later")).toBeNull()
      expect(reads).toEqual({ find: 1, list: 0 })
      all.add("later")
      yield* TestClock.adjust("5 seconds")

      expect(yield* lookUp("later")).toEqual(grant)
    }),
  )

  it.effect("an address may look up 20 unknown keys at once and 5 per second, and a valid key is always accepted", () =>
    Effect.gen(function* () {
      const { lookUp, reads } = keysOf("right")
      const outcomes = yield* Effect.forEach(unknown(1_000), (key) => Effect.exit(lookUp(key)), { concurrency: 50 })
      expect(outcomes.filter(({ _tag }) => _tag === "Success")).toHaveLength(20)
      expect(reads).toEqual({ find: 20, list: 1 })

      expect(yield* lookUp("right")).toEqual(grant)
      expect(yield* lookUp("other", "10.0.0.2")).toBeNull()
      yield* TestClock.adjust("1 second")
      const later = yield* Effect.forEach(unknown(100, "later"), (key) => Effect.exit(lookUp(key)))
      expect(later.filter(({ _tag }) => _tag === "Success")).toHaveLength(5)
      expect(reads.list).toBe(2)
    }),
  )

  it.effect("valid keys are not counted, however many one address sends for the first time", () =>
    Effect.gen(function* () {
      const names = unknown(500, "right")
      const { lookUp } = keysOf(...names)

      expect(yield* Effect.forEach(names, (key) => lookUp(key))).toEqual(names.map(() => grant))
      expect(yield* lookUp("unknown")).toBeNull()
    }),
  )

  it.effect("all addresses together may look up 1,000 unknown keys at once", () =>
    Effect.gen(function* () {
      const { lookUp, reads } = keysOf("right")
      yield* Effect.forEach(unknown(5_000), (key, at) => Effect.exit(lookUp(key, `10.0.${at >> 8}.${at & 255}`)))

      expect(reads).toEqual({ find: 1_000, list: 1 })
      expect(yield* lookUp("right", "10.9.9.9")).toEqual(grant)
    }),
  )

  it.live(
    "a service responds 429 to an address that sends many unknown keys, by REST and to the relay, and 200 to a valid key",
    () =>
      Effect.gen(function* () {
        const service = yield* start()
        const path = `/api/v2.2/0x${"a".repeat(40)}/verbose`
        const call = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" }) }
        // They are sent at once, as a loaded machine may take longer for one than the interval between look-ups.
        const atOnce = { concurrency: "unbounded" } as const
        const answers = yield* Effect.forEach(
          unknown(200),
          (key) => service.fetch(path, { headers: { "x-api-key": key } }),
          atOnce,
        )
        const relayed = yield* Effect.forEach(
          unknown(60),
          (key) => service.fetch(`/rpc/eth/relayed-${key}`, call),
          atOnce,
        )
        const limited = answers.find(({ status }) => status === 429)
        const refused = relayed.find(({ status }) => status === 429)

        expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(20)
        expect([limited?.headers["retry-after"], limited?.json.code]).toEqual(["1", "rate_limited"])
        expect(refused?.json.error.data.code).toBe("rate_limited")
        expect((yield* service.get(path)).status).toBe(200)
      }).pipe(Effect.scoped),
  )
})
