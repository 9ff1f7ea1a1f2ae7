import { describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expect } from "vitest"
import * as Bisection from "../../src/ledger/Bisection.ts"

const Block = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }))
const Change = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -9n, maximum: 9n }))

describe("Bisection", () => {
  it.prop(
    "fromChanges: adds up the changes above one block up to another",
    { changes: Schema.Array(Schema.Tuple([Block, Change])), after: Block, to: Block },
    ({ after, changes, to }) => {
      const [low, high] = after <= to ? [after, to] : [to, after]
      const expected = changes
        .filter(([block]) => block > low && block <= high)
        .reduce((sum, [, change]) => sum + change, 0n)

      expect(Bisection.fromChanges(changes)(low, high)).toBe(expected)
    },
  )

  it("statusOf: settles explained ranges, locates single blocks, and divides everything else", () => {
    const part = { after: 3, to: 9, before: 5n, value: 7n }
    const known: Bisection.KnownChange = () => 2n

    expect(Bisection.statusOf(part, known)).toBe("settled")
    expect(Bisection.statusOf(part, known, 4)).toBe("divided")
    expect(Bisection.statusOf(part, Bisection.noChange)).toBe("divided")
    expect(Bisection.statusOf({ ...part, after: 8 }, Bisection.noChange)).toBe("located")
    expect(Bisection.statusOf({ ...part, after: 8 }, known, 0)).toBe("settled")
    expect(Bisection.divide(part, 6n)).toEqual([
      { after: 3, to: 6, before: 5n, value: 6n },
      { after: 6, to: 9, before: 6n, value: 7n },
    ])
  })
})
