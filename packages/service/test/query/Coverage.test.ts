/** Which wallets an index covers. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Checkpoint } from "../../src/block/BlockRows.ts"
import * as Coverage from "../../src/query/Coverage.ts"

const walletOf = (number: number) => `0x${number.toString(16).padStart(40, "a")}`

const checkpointOf = (watch: ReadonlyArray<string>): Checkpoint => ({
  first: 100,
  head: { number: 199, hash: `0x${"1".repeat(64)}` },
  headTimestamp: 1_700_000_000,
  finalized: null,
  watch,
})

/** Whether each of these wallets is covered. */
const covered = (checkpoint: Checkpoint | null, wallets: ReadonlyArray<string>, watch?: ReadonlyArray<string>) =>
  Effect.forEach(wallets, (wallet) => {
    // Sound: nothing else of a chain is read.
    const chain = { name: "test", config: { watch } } as unknown as Parameters<typeof Coverage.checkWallet>[0]
    return Effect.match(Coverage.checkWallet(chain, checkpoint, wallet), {
      onFailure: ({ wallet: missing }) => `lacks ${missing}`,
      onSuccess: () => true,
    })
  })

describe("Coverage.checkWallet", () => {
  const [one, two, three] = [walletOf(1), walletOf(2), walletOf(3)] as const
  const expected = [true, `lacks ${three}`, true, `lacks ${three}`]

  it.effect("fails for each wallet that the list of the index lacks, in any order of look-up", () =>
    Effect.gen(function* () {
      expect(yield* covered(checkpointOf([one, two]), [one, three, two, three])).toEqual(expected)
      expect(yield* covered(checkpointOf([one, two]), [three, one])).toEqual([`lacks ${three}`, true])
    }),
  )

  it.effect(
    "compares with the configured wallets in any case while the index is empty, and permits all if none are configured",
    () =>
      Effect.gen(function* () {
        const watch = [one.toUpperCase(), two]

        expect(yield* covered(null, [one, three, two, three], watch)).toEqual(expected)
        expect(yield* covered(null, [three])).toEqual([true])
      }),
  )

  it.effect("reads a list at most twice, however many wallets are compared with it", () =>
    Effect.gen(function* () {
      const wallets = Array.from({ length: 1_000 }, (_, number) => walletOf(number))
      let reads = 0
      const watch = new Proxy(wallets, {
        get: (list, key, receiver) => {
          if (/^\d+$/.test(String(key))) reads += 1
          return Reflect.get(list, key, receiver) as unknown
        },
      })

      expect(new Set(yield* covered(checkpointOf(watch), wallets))).toEqual(new Set([true]))
      expect(reads).toBeLessThanOrEqual(2_000)
    }),
  )
})

describe("Coverage.missingTransactions", () => {
  it("counts the gaps that leave a transaction without a row", () => {
    expect(Coverage.missingTransactions({ trace: 1, receipt: 20, transaction: 300, check: 4_000 })).toBe(320)
  })
})
