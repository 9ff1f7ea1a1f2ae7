/** Contract tests of descriptions of contracts. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Contract, keyOf } from "../../src/store/Contracts.ts"
import * as Model from "./model.ts"
import * as TestDatabase from "./TestDatabase.ts"

const chains = [
  { name: "test", id: 31337 },
  { name: "other chain", id: 5 },
] as const

const addressOf = (digit: string): string => `0x${digit.repeat(40)}`

const generate = (numbers: Model.Seeded): Contract => ({
  address: numbers.pick([addressOf("a"), addressOf("b"), null]),
  name: numbers.pick(["Token", "Vault", `it's "quoted" \u202e`]),
  source: numbers.pick(["command", "/a project"]),
  abi: numbers.pick(["[]", `[{"type":"error","name":"No","inputs":[]}]`]),
  implementations: numbers.pick([[], [{ from: 0, address: addressOf("c") }]]),
})

/** Runs the suite of descriptions of contracts against an engine. */
export const contractsContract = (database: TestDatabase.Make, law: TestDatabase.Laws): void => {
  const opened = TestDatabase.opened(database)

  describe("contracts", () => {
    it.effect("a database without contracts lists none, and its revision is 0", () =>
      Effect.gen(function* () {
        const { connect } = yield* opened
        const { contracts } = yield* connect

        expect(yield* contracts.list(chains[0])).toEqual([])
        expect(yield* contracts.revision(chains[0])).toBe(0)
      }),
    )

    it.effect.prop(
      "any sequence of put and remove: each chain lists what a map returns, and its revision grows with each of its changes",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { connect } = yield* opened
          const { contracts } = yield* connect
          const numbers = Model.seeded(seed)
          const models = new Map(chains.map(({ id }) => [id as number, new Map<string, Contract>()]))
          for (let step = 0; step < 15; step++) {
            const [chain, other] = numbers.below(2) === 0 ? chains : [chains[1], chains[0]]
            const model = models.get(chain.id)!
            const before = [yield* contracts.revision(chain), yield* contracts.revision(other)] as const
            const one = generate(numbers)
            if (numbers.below(3) > 0) {
              yield* contracts.put(chain, [one])
              model.set(keyOf(one), one)
            } else {
              const removed = yield* contracts.remove(chain, [keyOf(one), "pack absent"])
              expect(removed).toEqual(model.delete(keyOf(one)) ? [keyOf(one)] : [])
            }
            expect(yield* contracts.revision(chain)).toBeGreaterThan(before[0])
            expect(yield* contracts.revision(other)).toBe(before[1])
          }
          const others = (yield* connect).contracts
          for (const chain of chains) {
            const expected = [...models.get(chain.id)!.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
            expect(yield* others.list(chain)).toEqual(expected)
            expect(yield* others.usage(chain)).toEqual({
              contracts: expected.length,
              characters: expected.reduce((sum, { abi }) => sum + abi.length, 0),
            })
          }
        }).pipe(Effect.scoped),
      law(10),
    )
  })
}
