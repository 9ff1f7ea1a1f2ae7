/** A million of each: `DAYBOOK_VALUES=1000000 pnpm exec vitest run --project @daybook/schema test/mutations`. */
import { describe, expect, it } from "vitest"
import { answers, tryMutations, tryRandom } from "./mutations.ts"

const count = Number(process.env["DAYBOOK_VALUES"] ?? 5000)
const timeout = 60_000 + count

describe("values that nobody sent", () => {
  it(
    "random JSON gives a SchemaError or a value that comes back",
    () => {
      const accepted = tryRandom(count, 1)
      console.log(`${count} random values, ${accepted} accepted`)
      expect(accepted).toBeGreaterThan(0)
    },
    timeout,
  )

  it(
    "mutations of real answers too, of which at least 30 in 100 are accepted",
    () => {
      expect(answers.length).toBeGreaterThan(100)
      const accepted = tryMutations(count, 2)
      console.log(`${count} mutations, ${((accepted / count) * 100).toFixed(1)} % accepted`)
      expect(accepted / count).toBeGreaterThanOrEqual(0.3)
    },
    timeout,
  )
})
