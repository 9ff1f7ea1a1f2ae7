/** A million of each: `DAYBOOK_VALUES=1000000 pnpm exec vitest run --project @daybook/schema test/mutations`. */
import { describe, expect, it } from "vitest"
import { captured, tryMutations, tryRandom } from "./mutations.ts"

const count = Number(process.env["DAYBOOK_VALUES"] ?? 5000)
const timeout = 60_000 + count

describe("mutations", () => {
  it(
    "decode: random JSON fails with a SchemaError or decodes to a value that encodes again",
    () => {
      const accepted = tryRandom(count, 1)
      console.log(`${count} random values, ${accepted} decode`)
      expect(accepted).toBeGreaterThan(0)
    },
    timeout,
  )

  it(
    "decode: mutated responses do too, of which at least 30 % decode",
    () => {
      expect(captured.length).toBeGreaterThan(100)
      const accepted = tryMutations(count, 2)
      console.log(`${count} mutations, ${((accepted / count) * 100).toFixed(1)} % decode`)
      expect(accepted / count).toBeGreaterThanOrEqual(0.3)
    },
    timeout,
  )
})
