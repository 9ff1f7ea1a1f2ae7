import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CreatedContracts from "../../src/contract/CreatedContracts.ts"

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

const creationOf = (number: number) => {
  return { body: JSON.stringify({ receipt_contract_address: addressOf(number) }), internal: null }
}

describe("CreatedContracts", () => {
  it.effect("takeNew: has the newest 10,000 addresses, of which one that was created again is the last", () =>
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
})
