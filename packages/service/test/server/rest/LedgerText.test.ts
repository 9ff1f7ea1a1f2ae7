import { describe, it } from "@effect/vitest"
import { expect } from "vitest"
import * as Holding from "../../../src/ledger/Holding.ts"
import * as Totals from "../../../src/ledger/Totals.ts"
import type { Known } from "../../../src/query/WalletSums.ts"
import * as JsonText from "../../../src/server/rest/JsonText.ts"
import * as LedgerText from "../../../src/server/rest/LedgerText.ts"
import type { ComparedHolding, WalletProof } from "../../../src/store/Proofs.ts"
import * as Rows from "../rows.ts"
import { type Json } from "../service.ts"
import { token } from "./ledgers.ts"

describe("LedgerText", () => {
  const block = { number: 9, hash: "0x9", parentHash: "0x8", timestamp: 0 }
  const other = Rows.address("e")
  const held = (standard: Holding.Standard, asset: string, tokenId: string | null = null) => ({
    standard,
    asset,
    tokenId,
  })
  const compared = (holding: Holding.Holding, more: Partial<ComparedHolding> = {}): ComparedHolding => ({
    holding,
    block: 3,
    expected: 5n,
    found: 5n,
    firstBlock: null,
    ...more,
  })
  const proofOf = (holdings: ReadonlyArray<ComparedHolding>, provedBlock: number | null = null): WalletProof => ({
    wallet: Rows.alice,
    first: 0,
    block,
    provedBlock,
    holdings,
    unchecked: [],
  })
  const jsonOf = (value: unknown): Json => JSON.parse([...JsonText.textsOf(value)].join(""))
  const known: Known = {
    openings: [{ holding: Holding.native, amount: 0n }],
    proof: null,
    assets: undefined,
    tokens: new Map(),
    directOnlyTo: undefined,
    untracedTo: undefined,
    unstatedTo: undefined,
    searchedTo: undefined,
  }
  /** Sums of 5 each. */
  const totalsOf = (...assets: ReadonlyArray<Pick<Totals.Sum, "asset" | "kind" | "tokenId">>): Totals.Totals => ({
    ...Totals.make(),
    sums: new Map(assets.map((one, at) => [String(at), { ...one, count: 1, in: 5n, out: 0n }])),
  })
  const ether = { asset: "native", kind: "value", tokenId: null } as const

  it("balances: each has the block at which a holding of its standard was equal, and an id that of either standard", () => {
    const totals = totalsOf(
      ether,
      { asset: token, kind: "erc20", tokenId: null },
      { asset: token, kind: "erc721", tokenId: "1" },
      { asset: token, kind: "erc1155", tokenId: "2" },
      { asset: other, kind: "erc20", tokenId: null },
      { asset: other, kind: "erc721", tokenId: "1" },
    )
    const proof = proofOf([
      compared(Holding.native),
      compared(held("erc20", token), { block: 4 }),
      compared(held("erc721", token, "1"), { block: 5 }),
      compared(held("erc1155", token, "2"), { block: 6 }),
      compared(held("erc20", other), { found: 6n }),
      compared(held("erc721", other, "2"), { block: 7 }),
    ])
    const provedIn = (more: Pick<Known, "proof">) =>
      jsonOf(LedgerText.balances(block, totals, { ...known, ...more })).result.map((one: Json) => one.proved_at_block)

    expect(provedIn({ proof })).toEqual(["3", "4", "5", "6", null, null])
    expect(provedIn({ proof: null })).toEqual([null, null, null, null, null, null])
  })

  it("balances: state what the sums lack, and nothing that they have", () => {
    const incompleteOf = (totals: Totals.Totals, more: Partial<Known> = {}) =>
      jsonOf(LedgerText.balances(block, totals, { ...known, ...more })).incomplete
    const lacking = { ...totalsOf(ether), merged: new Set([other, token]), omitted: 2 }

    expect(incompleteOf(totalsOf(ether))).toEqual({ opening: false, places: "0", first_block: null })
    expect(incompleteOf(lacking, { directOnlyTo: 0, untracedTo: 8, unstatedTo: 7 })).toEqual({
      opening: false,
      places: "0",
      first_block: null,
      merged: [token, other].toSorted(),
      omitted: "2",
      direct_only_to: "0",
      untraced_to: "8",
      unstated_to: "7",
    })
    expect(incompleteOf({ ...totalsOf(ether), incomplete: 3, incompleteBlocks: [2, 7] })).toMatchObject({
      places: "3",
      first_block: "2",
    })
  })

  it("statement: has no previous block from the first block, and states the first incomplete entry of its range", () => {
    const partsOf = (from: number) => {
      const opening = from === 0 ? Totals.make() : { ...Totals.make(), incomplete: 1, incompleteBlocks: [2] }
      const closing = { ...totalsOf(ether), incomplete: 2, incompleteBlocks: [2, 7] }
      return LedgerText.statement({ address: Rows.alice, from, block, opening, closing, known })
    }
    const [whole, later] = [partsOf(0), partsOf(3)]
      .map(jsonOf)
      .map(({ incomplete, opening }) => [opening.block_number, incomplete])

    expect(whole).toEqual([null, { opening: false, places: "2", first_block: "2" }])
    expect(later).toEqual(["2", { opening: false, places: "1", first_block: "7" }])
  })

  it("proof: lists the differences, and what was compared with a state root, if anything", () => {
    const byNode = proofOf([compared(Holding.native, { isByStateRoot: false }), compared(held("erc20", token))], 9)
    const differing = proofOf([
      compared(Holding.nonce, { isByStateRoot: true }),
      compared(held("erc721", token, "1"), { found: null }),
      compared(Holding.native, { isByStateRoot: true, found: 0n, firstBlock: 0 }),
      compared(held("erc20", token), { isByStateRoot: true }),
    ])

    expect(LedgerText.proof(byNode)).toEqual({
      block_number: "9",
      proved: true,
      proved_at_block: "9",
      differences: [],
      not_compared: [],
    })
    expect(LedgerText.proof(differing)).toEqual({
      block_number: "9",
      proved: false,
      proved_at_block: null,
      differences: [
        { asset: token, token_id: "1", expected: "5", found: null, first_block: null },
        { asset: "native", token_id: null, expected: "5", found: "0", first_block: "0" },
      ],
      not_compared: [],
      by_state_root: ["native", "nonce"],
    })
  })

  it("sizeOf: grows with the number of sums", () => {
    expect([totalsOf(), totalsOf(ether, ether)].map(LedgerText.sizeOf)).toEqual([0, 640])
  })
})
