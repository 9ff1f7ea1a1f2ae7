import { describe, expect, it } from "@effect/vitest"
import * as Books from "../../src/ledger/Books.ts"
import type * as Movement from "../../src/ledger/Movement.ts"
import * as Holding from "../../src/ledger/Holding.ts"

const token = `0x${"70".repeat(20)}`
const wallet = `0x${"a1".repeat(20)}`
const word = (text: string) => text.padStart(64, "0")

const movement = (kind: Movement.Kind, tokenId: string | null = null, asset = token) =>
  Holding.fromMovement({ kind, tokenId, asset })

describe("Holding", () => {
  it("fromMovement: counts ERC-721 tokens together, and ERC-1155 tokens by id", () => {
    expect(movement("erc20")).toEqual({ standard: "erc20", asset: token, tokenId: null })
    expect(movement("erc721", "7")).toEqual({ standard: "erc721", asset: token, tokenId: null })
    expect(movement("erc1155", "7")).toEqual({ standard: "erc1155", asset: token, tokenId: "7" })
    expect(movement("fee", null, "native")).toEqual(Holding.native)
    expect(movement("value")).toMatchObject({ standard: "native" })
  })

  it("fromMovement: treats an opening balance with an id as ERC-1155, and one without as ERC-20", () => {
    expect(movement("genesis")).toEqual({ standard: "erc20", asset: token, tokenId: null })
    expect(movement("genesis", "7")).toEqual({ standard: "erc1155", asset: token, tokenId: "7" })
    expect(movement("genesis", null, "native")).toEqual(Holding.native)
  })

  it("keyOf: distinguishes standards, contracts and ids", () => {
    const holdings = [
      Holding.native,
      Holding.nonce,
      movement("erc20"),
      movement("erc1155", "1"),
      movement("erc1155", "2"),
    ]

    expect(new Set(holdings.map(Holding.keyOf)).size).toBe(holdings.length)
  })

  it("callOf: reads balances by the standard of the asset, at the block", () => {
    const account = word("a1".repeat(20))
    const dataOf = (holding: Holding.Holding) => {
      const { method, params } = Holding.callOf(holding, wallet, 9)
      expect(params?.[1]).toBe(9)
      return [method, params?.[0]]
    }

    expect(dataOf(Holding.native)).toEqual(["eth_getBalance", wallet])
    expect(dataOf(Holding.nonce)).toEqual(["eth_getTransactionCount", wallet])
    expect(dataOf(movement("erc20"))).toMatchObject(["eth_call", { to: token, data: `0x70a08231${account}` }])
    expect(dataOf(movement("erc721", "7"))).toMatchObject(["eth_call", { to: token, data: `0x70a08231${account}` }])
    const owned = Holding.ownedId({ kind: "erc721", asset: token, tokenId: "26" })!
    expect(dataOf(owned)).toMatchObject(["eth_call", { to: token, data: `0x6352211e${word("1a")}` }])
    expect(dataOf(movement("erc1155", "26"))).toMatchObject([
      "eth_call",
      { to: token, data: `0x00fdd58e${account}${word("1a")}` },
    ])
  })

  it("callAmong: reads the number of ids by erc721BalanceOf for a contract that is also ERC-20", () => {
    const [amount, ids] = [movement("erc20"), movement("erc721", "7")]
    const account = word("a1".repeat(20))
    const dataOf = (holding: Holding.Holding, among: ReadonlyArray<Holding.Holding>) =>
      Holding.callAmong(among)(holding, wallet, 9).params?.[0]

    expect(dataOf(ids, [ids])).toMatchObject({ to: token, data: `0x70a08231${account}` })
    expect(dataOf(amount, [ids, amount])).toMatchObject({ to: token, data: `0x70a08231${account}` })
    expect(dataOf(ids, [ids, amount])).toMatchObject({ to: token, data: `0xb3f9ea34${account}` })
  })

  it("amountOf: reads the first word of a result, and returns null for any other form", () => {
    expect(Holding.amountOf(5n)).toBe(5n)
    expect(Holding.amountOf(5)).toBe(5n)
    expect(Holding.amountOf(`0x${word("ff")}${word("1")}`)).toBe(255n)
    expect([`0x${"f".repeat(63)}`, "0x", null, undefined, {}].map(Holding.amountOf)).toEqual(Array(5).fill(null))
  })

  it("heldIn: an ERC-721 id is held only by its owner, and no owner means no balance", () => {
    const id = Holding.ownedId({ kind: "erc721", asset: token, tokenId: "7" })!
    const held = (result: unknown) => Holding.heldIn(id, wallet, result)

    expect([held(`0x${word(wallet.slice(2))}`), held(`0x${word("ff")}`), held("0x")]).toEqual([1n, 0n, null])
    expect(Holding.heldIn(movement("erc721"), wallet, `0x${word("ff")}`)).toBe(255n)
    expect(Holding.ownedId({ kind: "erc1155", asset: token, tokenId: "7" })).toBeNull()
  })
})

describe("Books", () => {
  it("countOwnedBefore: counts the ids of a contract whose first movement leaves the wallet", () => {
    const books = Books.make(wallet)
    const transfer = (tokenId: string, amount: bigint) =>
      // Sound: books read only these fields of a movement.
      ({ kind: "erc721", asset: token, tokenId, amount }) as Movement.Movement
    const movements = [transfer("1", -1n), transfer("2", 1n), transfer("2", -1n), transfer("3", -1n), transfer("3", 1n)]
    for (const [at, movement] of movements.entries())
      Books.addRow(books, at, { index: 0, roles: 0, movements: [movement] })

    expect([...Books.countOwnedBefore(books)]).toEqual([[token, 2n]])
  })
})
