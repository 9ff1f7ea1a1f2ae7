import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as CreatedContracts from "../../src/contract/CreatedContracts.ts"

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

const creationOf = (number: number) => {
  return { body: JSON.stringify({ receipt_contract_address: addressOf(number) }), internal: null }
}

describe("CreatedContracts", () => {
  it.effect("takeNew: returns the newest 10,000 addresses, with one that was created again last", () =>
    Effect.gen(function* () {
      const created = yield* CreatedContracts.make
      for (let number = 0; number <= 10_000; number++) yield* created.take([creationOf(number)])
      yield* created.take([creationOf(0)])

      const taken = created.takeNew()
      expect([taken.length, taken[0], taken.at(-1)]).toEqual([10_000, addressOf(2), addressOf(0)])
      expect(created.takeNew()).toEqual([])
      expect(created.all()).toEqual(taken)
    }),
  )

  it.effect("take: finds contracts created by internal calls, in upper or lower case, and ignores other texts", () =>
    Effect.gen(function* () {
      const created = yield* CreatedContracts.make
      const internals = [
        [
          { type: "create", to: addressOf(2) },
          null,
          { type: "call", to: addressOf(9) },
          { type: "CREATE2", to: addressOf(3) },
        ],
        [
          { type: "CREATE2", to: addressOf(4) },
          { type: "create", to: null },
        ],
        { type: "create", to: addressOf(9) },
      ].map((calls) => JSON.stringify(calls))
      yield* created.take([{ body: "{}", internal: null }])
      yield* created.take([...internals, `"type":"create`].map((internal) => ({ body: "{}", internal })))
      yield* created.take([{ ...creationOf(5), internal: internals[0]! }])

      expect(created.all()).toEqual([4, 5, 2, 3].map(addressOf))
    }),
  )

  it.effect("awaitNew: ends once a contract is created, and not with other transactions", () =>
    Effect.gen(function* () {
      const created = yield* CreatedContracts.make
      yield* created.take([{ body: "{}", internal: null }])
      const waiting = yield* Effect.forkChild(created.awaitNew, { startImmediately: true })
      const isDone = () => waiting.pollUnsafe() !== undefined
      const before = isDone()
      yield* created.take([{ body: "{}", internal: null }, creationOf(1), { body: "{}", internal: null }])
      yield* Fiber.join(waiting)

      expect(before).toBe(false)
    }),
  )
})
