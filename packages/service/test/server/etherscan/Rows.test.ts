import { describe, expect, it } from "vitest"
import type { WalletTransactionWire } from "@daybook/schema/WalletTransaction"
import type { TokenMetadata } from "../../../src/ledger/TokenMetadata.ts"
import type { Document } from "../../../src/query/TransactionParts.ts"
import type { Transfer } from "../../../src/query/WalletTransfers.ts"
import * as Etherscan from "../../../src/server/etherscan/Rows.ts"
import * as Rows from "../rows.ts"

const input = `0xa9059cbb${"0".repeat(128)}`

const documentOf = (own: Partial<WalletTransactionWire>): Document => {
  const block_timestamp = "2026-01-01T00:00:01.000Z"
  const shared = { block_number: "7", block_timestamp, to_address: Rows.contract, input }
  // Sound: what is missing of a transaction is left out of its row.
  return { row: { block: 7 }, transaction: { ...shared, ...own }, internal: null } as unknown as Document
}

const context: Etherscan.Context = {
  head: 9,
  callOf: () => ({
    // Sound: no other member is read.
    ...({} as ReturnType<Etherscan.Context["callOf"]> & object),
    label: "transfer",
    params: [
      { name: "to", value: Rows.bob, type: "address" },
      { name: "", value: "1", type: "uint256" },
    ],
  }),
}

const part: Transfer = {
  standard: "erc20",
  token: Rows.contract,
  tokenId: null,
  from: Rows.alice,
  to: Rows.bob,
  amount: 5n,
  logIndex: "3",
}

const token: TokenMetadata = { name: "Gold", symbol: "GLD", decimals: 6, block: 1 }

const transferOf = (
  action: Etherscan.TokenAction,
  metadata: TokenMetadata | undefined,
  flags: ReadonlyArray<string> = [],
  own: Partial<WalletTransactionWire> = {},
) => Etherscan.transfer(action, { document: documentOf(own), part }, metadata, context, flags)

describe("Rows", () => {
  it("transfer: has how the token describes itself, and empty texts where that is not known", () => {
    expect(transferOf("tokentx", token)).toMatchObject({
      value: "5",
      tokenName: "Gold",
      tokenSymbol: "GLD",
      tokenDecimal: "6",
      logIndex: "3",
      timeStamp: "1767225601",
      confirmations: "2",
      functionName: "transfer(address to, uint256)",
    })
    expect(transferOf("tokentx", undefined)).toMatchObject({ tokenName: "", tokenSymbol: "", tokenDecimal: "" })
  })

  it("transfer: a single token has an id and no decimals, one of several has an amount beside its id", () => {
    expect(transferOf("tokennfttx", token)).toMatchObject({ tokenID: "0", tokenDecimal: "0" })
    expect(transferOf("tokennfttx", token)).not.toHaveProperty("tokenValue")
    expect(transferOf("token1155tx", token)).toMatchObject({ tokenID: "0", tokenValue: "5" })
    expect(transferOf("token1155tx", token)).not.toHaveProperty("tokenDecimal")
  })

  it("transfer: has the selector of its call, and none of a creation of a contract", () => {
    expect(transferOf("tokentx", token).methodId).toBe("0xa9059cbb")
    expect(transferOf("tokentx", token, [], { to_address: null }).methodId).toBe("0x")
    expect(transferOf("tokentx", token, [], { input: "0xa9059c" }).methodId).toBe("0x")
  })

  it("transfer: has its flags as a text, and no such key without one", () => {
    expect(transferOf("tokentx", token, ["lookalike", "link"])).toMatchObject({ flags: "lookalike,link" })
    expect(transferOf("tokentx", token)).not.toHaveProperty("flags")
  })
})
