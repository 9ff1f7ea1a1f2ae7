import { describe, expect, it } from "vitest"
import { mayLack } from "../../../src/pages/address/MayLack.ts"

describe("mayLack", () => {
  const complete = { opening: false, places: 0, first_block: null }

  it("is false for complete sums", () => expect(mayLack(complete)).toBe(false))

  it.each([
    ["opening", { opening: true }],
    ["places", { places: 1, first_block: 7n }],
    ["direct_only_to", { direct_only_to: 0n }],
    ["untraced_to", { untraced_to: 0n }],
    ["unstated_to", { unstated_to: 0n }],
  ] as const)("is true for sums that state %s", (_, lack) => expect(mayLack({ ...complete, ...lack })).toBe(true))
})
