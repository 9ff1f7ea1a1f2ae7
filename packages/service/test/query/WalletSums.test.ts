/** Which openings sums lack. */
import { describe, expect, it } from "vitest"
import * as Holding from "../../src/ledger/Holding.ts"
import * as Totals from "../../src/ledger/Totals.ts"
import * as WalletSums from "../../src/query/WalletSums.ts"

const [token, collection] = ["7", "8"].map((digit) => `0x${digit.repeat(40)}`) as [string, string]

const erc20: Holding.Holding = { standard: "erc20", asset: token, tokenId: null }
const erc721: Holding.Holding = { standard: "erc721", asset: collection, tokenId: null }

const sum = (asset: string, kind: Totals.Sum["kind"]): Totals.Sum => {
  return { asset, tokenId: null, kind, count: 1, in: 1n, out: 0n }
}

/** Whether an opening is missing, for a wallet with these sums and openings and these requested assets. */
const lacks = (
  sums: ReadonlyArray<Totals.Sum>,
  openings: ReadonlyArray<readonly [holding: Holding.Holding, amount: bigint]>,
  { assets, merged = [] }: { readonly assets?: ReadonlyArray<string>; readonly merged?: ReadonlyArray<string> } = {},
) =>
  WalletSums.lacksOpening(
    { ...Totals.make(), merged: new Set(merged), sums: new Map(sums.map((one, at) => [String(at), one])) },
    {
      openings: openings.map(([holding, amount]) => ({ holding, amount })),
      assets: assets && new Set(assets),
      proof: null,
      tokens: new Map(),
      directOnlyTo: undefined,
      untracedTo: undefined,
      unstatedTo: undefined,
      searchedTo: undefined,
    },
  )

const native = [Holding.native, 0n] as const

describe("WalletSums.lacksOpening", () => {
  it.each([
    ["no opening is known", [], [], {}, true],
    ["the opening of the native currency is known, and nothing else moved", [], [native], {}, false],
    ["a token moved", [sum(token, "erc20")], [native], {}, true],
    ["a token moved, whose opening is known", [sum(token, "erc20")], [native, [erc20, 5n]], {}, false],
    ["a token moved, whose ids are merged", [sum(token, "erc1155")], [native], { merged: [token] }, false],
    ["a token has only an opening", [sum(token, "genesis")], [native], {}, false],
    ["a requested token has a known opening", [sum(token, "erc20")], [[erc20, 5n]], { assets: [token] }, false],
    ["a token is requested, and another one moved", [sum(token, "erc20")], [], { assets: [collection] }, false],
    ["the native currency is requested", [], [], { assets: ["native"] }, true],
    ["a collection was held, with no known ids", [], [native, [erc721, 1n]], {}, true],
    ["a collection was not held", [], [native, [erc721, 0n]], {}, false],
    ["a collection was held that is not requested", [], [native, [erc721, 1n]], { assets: ["native"] }, false],
    ["a token was held that is not a collection", [], [native, [erc20, 1n]], {}, false],
  ] as const)("if %s", (_, sums, openings, options, expected) => {
    expect(lacks(sums, openings, options)).toBe(expected)
  })
})
