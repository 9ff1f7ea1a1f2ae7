import * as Schema from "effect/Schema"
import { describe, expect, it } from "@effect/vitest"
import * as Balance from "../src/Balance.ts"
import * as Decimal from "../src/Decimal.ts"
import * as Movement from "../src/Movement.ts"
import * as Statement from "../src/Statement.ts"
import * as Token from "../src/Token.ts"
import { address, hash } from "./fixture.ts"
import { decodesAndEncodes, encodesAndDecodes, refusal } from "./law.ts"

const fee = {
  kind: "fee",
  asset: "native",
  token_id: null,
  token: null,
  amount: "-21000",
  counterparty: null,
  counterparty_label: null,
  transaction_hash: hash("a"),
  transaction_index: "0",
  log_index: null,
  movement_index: "0",
  block_number: "16",
  block_hash: hash("b"),
  block_timestamp: "2023-02-15T14:51:23.000Z",
  failed: false,
  incomplete: false,
  roles: ["sender"],
  flags: [],
}

const token = { address: address("3"), name: "Tether ₮", symbol: "USD₮", decimals: "6", block_number: "12" }

const withdrawal = {
  ...fee,
  kind: "withdrawal",
  amount: "1000000000",
  transaction_hash: null,
  transaction_index: null,
  roles: ["withdrawal_recipient"],
  flags: [],
}

const decode = Schema.decodeUnknownSync(Movement.Movement)

const balance = { asset: "native", token_id: null, token: null, balance: "5", proved_at_block: null }
const incomplete = { opening: false, places: "0", first_block: null }
const balances = { block_number: "16", block_hash: hash("b"), incomplete, result: [balance] }
const statement = {
  address: address("1"),
  from_block: "2",
  block_number: "16",
  block_hash: hash("b"),
  block_timestamp: "2023-02-15T14:51:23.000Z",
  opening: { block_number: "1", result: [] },
  sums: [{ asset: "native", token_id: null, token: null, kind: "value", count: "2", in: "7", out: "-2", amount: "5" }],
  closing: balances,
  proof: {
    block_number: "12",
    proved: false,
    proved_at_block: "3",
    not_compared: ["The node has no state of the first block."],
    differences: [{ asset: address("3"), token_id: "1", expected: "1", found: null, first_block: "4" }],
  },
  incomplete,
}

describe("Movement", () => {
  it("Movement: decodes amounts to signed bigint, and null for the transaction of a movement by a block", () => {
    expect(decode(fee)).toMatchObject({ amount: -21000n, transaction_index: 0, block_number: 16n })
    expect(decode(withdrawal)).toMatchObject({ amount: 10n ** 9n, transaction_hash: null, transaction_index: null })
  })

  it.each([
    ["a fee", Movement.Movement, fee],
    ["a withdrawal", Movement.Movement, withdrawal],
    [
      "a token with an id",
      Movement.Movement,
      { ...fee, kind: "erc1155", asset: address("3"), token_id: "7", log_index: "2" },
    ],
    ["a token that describes itself", Movement.Movement, { ...fee, kind: "erc20", asset: address("3"), token }],
    [
      "a token that does not",
      Balance.Balances,
      {
        ...balances,
        result: [{ ...balance, asset: address("3"), token: { ...token, name: null, symbol: null, decimals: null } }],
      },
    ],
    ["a kind and a role of a later version", Movement.Movement, { ...fee, kind: "gift", roles: ["giver"] }],
    ["a page", Movement.MovementPage, { cursor: "next", page: "0", page_size: "1", result: [fee] }],
    ["balances", Balance.Balances, balances],
    ["a statement", Statement.Statement, statement],
    ["a statement without a proof", Statement.Statement, { ...statement, proof: null }],
  ] as const)("decodes and encodes %s without loss", (_name, schema, wire) => {
    decodesAndEncodes(schema, wire)
  })

  it.prop("Movement: encodes and decodes without loss", [Movement.Movement], ([movement]) => {
    encodesAndDecodes(Movement.Movement, movement)
  })

  it.each([
    ["asset", "ether", "native, or the address of a token"],
    ["amount", "1.5", "at most 100 decimal digits such as -21000"],
    ["amount", "-0", "at most 100 decimal digits such as -21000"],
    ["amount", "9".repeat(101), "at most 100 decimal digits such as -21000"],
    ["kind", "", "a kind of movement such as value"],
    ["failed", "false", "boolean"],
  ])("Movement: refuses %s %j", (key, value, expected) => {
    const message = refusal(Movement.Movement, { ...fee, [key]: value })
    expect(message).toContain(expected)
    expect(message).toContain(`["${key}"]`)
  })

  it.prop("Token: encodes and decodes without loss", [Token.Token], ([one]) => {
    encodesAndDecodes(Token.Token, one)
  })

  it("Token: decodes decimals to a number, and empty texts to null", () => {
    const decoded = Schema.decodeUnknownSync(Token.Token)({ ...token, name: "", decimals: 77, usd: "1" })
    expect(decoded).toMatchObject({ name: null, symbol: "USD₮", decimals: 77, block_number: 12n })
    expect(Token.extras(decoded)).toEqual({ usd: "1" })
  })

  it.each([
    ["name", "A\u202eB"],
    ["name", "a\nb"],
    ["symbol", "\ud83d"],
    ["symbol", "x".repeat(65)],
    ["decimals", "78"],
    ["decimals", "-1"],
    ["decimals", "1e2"],
  ])("Token: refuses %s %j", (key, value) => {
    const expected =
      key === "decimals" ? "a number from 0 to 77" : "text of at most 64 characters without control characters"
    expect(refusal(Token.Token, { ...token, [key]: value })).toContain(expected)
  })

  it("Movement: keeps and lists unknown keys", () => {
    expect(Movement.extras(decode({ ...fee, usd: "1" }))).toEqual({ usd: "1" })
    expect(Balance.extras(Schema.decodeUnknownSync(Balance.Balances)({ ...balances, more: 1 }))).toEqual({ more: 1 })
    expect(Statement.extras(Schema.decodeUnknownSync(Statement.Statement)({ ...statement, more: 1 }))).toEqual({
      more: 1,
    })
  })
})

describe("Decimal.Signed", () => {
  it.prop("Signed: decodes what it encodes, of either sign", [Decimal.Signed], ([value]) => {
    encodesAndDecodes(Decimal.Signed, value)
  })

  it("Signed: accepts the sum of two 256-bit amounts", () => {
    decodesAndEncodes(Decimal.Signed, (-(2n ** 257n)).toString())
  })
})
