import { describe, expect, it } from "@effect/vitest"
import * as ToolResult from "../../../src/server/mcp/ToolResult.ts"

describe("ToolResult", () => {
  const contracts = Array.from({ length: 21 }, (_, at) => `0x${at}`)
  const whole = { opening: false, places: 0, first_block: null }

  it.each([
    ["nothing", {}, []],
    [
      "an opening",
      { opening: true },
      ["What the wallet held before the first indexed block is unknown and not part of the sums."],
    ],
    ["places", { places: 1 }, ["Movements may be missing in 1 transactions or blocks."]],
    [
      "places from a block on",
      { places: 2, first_block: 5n },
      ["Movements may be missing in 2 transactions or blocks, first in block 5."],
    ],
    [
      "20 contracts",
      { merged: contracts.slice(1) },
      [`The ids of each of these contracts are summed as one: ${contracts.slice(1).join(", ")}.`],
    ],
    [
      "21 contracts",
      { merged: contracts },
      [
        `The ids of each of these contracts are summed as one: ${contracts.slice(0, 20).join(", ")} and 1 further ones.`,
      ],
    ],
    [
      "movements",
      { omitted: 3 },
      ['3 movements of further contracts are not part of any sum; name those contracts in "asset".'],
    ],
  ])("lackOf: states what sums lack: %s", (_, more, sentences) => {
    // Sound: the parts from which sentences are made.
    expect(ToolResult.lackOf({ ...whole, ...more } as unknown as Parameters<typeof ToolResult.lackOf>[0])).toEqual(
      sentences,
    )
  })

  it("balanceOf: has a readable form if the decimals of the asset are known, and marks the texts of its token", () => {
    const token = (decimals: number | null, name: string | null) => ({ address: "0x5", name, symbol: name, decimals })
    const balanceOf = (asset: string, own: object | null) => {
      const row = { asset, token_id: 7n, token: own, balance: -1_500n, proved_at_block: 9n }
      // Sound: the parts from which an answer is made.
      return ToolResult.balanceOf(row as unknown as Parameters<typeof ToolResult.balanceOf>[0])
    }

    expect(balanceOf("native", null)).toEqual({
      asset: "native",
      token_id: "7",
      token: null,
      balance: "-1500",
      display: "-0.0000000000000015",
      proved_at_block: "9",
    })
    expect(balanceOf("0x5", token(2, "x".repeat(65)))).toMatchObject({
      display: "-15",
      token: { decimals: 2, untrusted_symbol: `${"x".repeat(63)}…`, untrusted_name: `${"x".repeat(63)}…` },
    })
    expect(balanceOf("0x5", token(null, null))).toMatchObject({
      display: null,
      token: { decimals: null, untrusted_symbol: null, untrusted_name: null },
    })
    expect(balanceOf("0x5", null)).toMatchObject({ display: null, token: null })
  })

  it("proofOf: has the first differences and sentences of a comparison, and their number", () => {
    const difference = { asset: "0x5", token_id: null, expected: 1n, found: null, first_block: null }
    const proof = {
      block_number: 9n,
      proved: false,
      proved_at_block: null,
      differences: [difference, { ...difference, token_id: 3n, found: 0n, first_block: 2n }, difference],
      not_compared: ["x".repeat(501), "y"],
    }
    const proofOf = (own: object | null, count = 2) => ToolResult.proofOf({ proof: own as never }, count)
    const shown = { asset: "0x5", token_id: null, expected: "1", found: null, first_block: null }

    expect(proofOf(null)).toBe(null)
    expect(proofOf({ ...proof, proved: true, proved_at_block: 9n }, 0)).toEqual({
      state: "equal",
      block: "9",
      proved_at_block: "9",
      differences_total: 3,
      differences: [],
      not_compared_total: 2,
      not_compared: [],
    })
    expect(proofOf(proof)).toEqual({
      state: "not proved",
      block: "9",
      proved_at_block: null,
      differences_total: 3,
      differences: [shown, { ...shown, token_id: "3", found: "0", first_block: "2" }],
      not_compared_total: 2,
      not_compared: [`${"x".repeat(499)}…`, "y"],
    })
  })
})
