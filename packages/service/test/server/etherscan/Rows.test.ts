import { describe, expect, it } from "vitest"
import type { InternalTransactionWire } from "@daybook/schema/InternalTransaction"
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
  // Sound: missing fields of a transaction are omitted from its row.
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

/** A transaction as a row. */
const rowOf = (own: Partial<WalletTransactionWire>, more: Partial<Etherscan.Context> = {}) =>
  Etherscan.transaction(documentOf({ receipt_status: "1", ...own }), { ...context, ...more })

/** A call inside a transaction as a row. */
const internalOf = (frame: Partial<Record<keyof InternalTransactionWire, string | null>>) => {
  const whole = { type: "CALL", from: Rows.alice, to: Rows.bob, value: "5", gas: "100", gas_used: "50", ...frame }
  return Etherscan.internal({
    document: documentOf({ hash: "0x1" }),
    // Sound: the other members of a call are not read.
    part: { frame: whole as unknown as InternalTransactionWire, index: 3 },
  })
}

const block = { number: 7, hash: "", parentHash: "", timestamp: 1_700_000_000 }

describe("Rows", () => {
  it("transaction: failed by its status, or before Byzantium if a call used all its gas", () => {
    const failed = ([receipt_status, gas, receipt_gas_used]: readonly [string, string, string]) => {
      const { isError, txreceipt_status } = rowOf({ receipt_status, gas, receipt_gas_used })
      return [isError, txreceipt_status]
    }

    expect(failed(["0", "90000", "40000"])).toEqual(["1", "0"])
    expect(failed(["1", "90000", "90000"])).toEqual(["0", "1"])
    expect(failed(["", "90000", "90000"])).toEqual(["1", ""])
    expect(failed(["", "90000", "40000"])).toEqual(["0", ""])
    expect(failed(["", "21000", "21000"])).toEqual(["0", ""])
  })

  it("transaction: a creation has the contract's address instead of a recipient, and the first bytes of its code as methodId", () => {
    const created = { to_address: null, receipt_contract_address: Rows.contract, input: "0x6080604052" }

    expect(rowOf(created)).toMatchObject({ to: "", contractAddress: Rows.contract, methodId: "0x60806040" })
    expect(rowOf({ to_address: null })).toMatchObject({ contractAddress: "" })
    expect(["0x12345678", "0x123456", "0x"].map((input) => rowOf({ input }).methodId)).toEqual([
      "0x12345678",
      "0x",
      "0x",
    ])
    expect(rowOf({ receipt_contract_address: Rows.contract })).toMatchObject({
      to: Rows.contract,
      contractAddress: "",
      methodId: "0xa9059cbb",
      functionName: "transfer(address to, uint256)",
      confirmations: "2",
    })
    expect(rowOf({}, { callOf: () => null, head: 6 })).toMatchObject({ functionName: "", confirmations: "0" })
  })

  it("internal: has the created contract instead of the recipient, and the error of a failed call", () => {
    expect(internalOf({})).toEqual({
      blockNumber: "7",
      timeStamp: "1767225601",
      hash: "0x1",
      from: Rows.alice,
      to: Rows.bob,
      value: "5",
      contractAddress: "",
      input: "",
      type: "call",
      gas: "100",
      gasUsed: "50",
      isError: "0",
      errCode: "",
      traceId: "3",
    })
    for (const type of ["CREATE", "CREATE2"]) {
      expect(internalOf({ type })).toMatchObject({ to: "", contractAddress: Rows.bob, type: type.toLowerCase() })
    }
    expect(internalOf({ type: "SELFDESTRUCT" })).toMatchObject({
      to: Rows.bob,
      contractAddress: "",
      type: "self-destruct",
    })
    expect(internalOf({ type: "CALLCODE" })).toMatchObject({ type: "callcode" })
    expect(internalOf({ to: null, error: "out of gas" })).toMatchObject({
      to: "",
      isError: "1",
      errCode: "out of gas",
    })
  })

  it("withdrawal, minedBlock: state amounts and the time of their block", () => {
    expect(Etherscan.withdrawal(Rows.alice, { block, index: 1n, validator: 2n, amount: 3n })).toEqual({
      withdrawalIndex: "1",
      validatorIndex: "2",
      address: Rows.alice,
      amount: "3",
      blockNumber: "7",
      timestamp: "1700000000",
    })
    expect(Etherscan.minedBlock({ block, amount: 3n })).toEqual({
      blockNumber: "7",
      timeStamp: "1700000000",
      blockReward: "3",
    })
  })

  it("transfer: has the token's description of itself, and empty texts if unknown", () => {
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

  it("transfer: a single token has an id and no decimals, and one of several has an amount in addition to its id", () => {
    expect(transferOf("tokennfttx", token)).toMatchObject({ tokenID: "0", tokenDecimal: "0" })
    expect(transferOf("tokennfttx", token)).not.toHaveProperty("tokenValue")
    expect(transferOf("token1155tx", token)).toMatchObject({ tokenID: "0", tokenValue: "5" })
    const ofId = { document: documentOf({}), part: { ...part, tokenId: 9n } }
    expect(Etherscan.transfer("tokennfttx", ofId, token, context, [])).toMatchObject({ tokenID: "9" })
    expect(transferOf("token1155tx", token)).not.toHaveProperty("tokenDecimal")
  })

  it("transfer: has the first four bytes of the transaction's input as methodId, also of a contract creation", () => {
    expect(transferOf("tokentx", token).methodId).toBe("0xa9059cbb")
    expect(transferOf("tokentx", token, [], { to_address: null, input: "0x6080604052" }).methodId).toBe("0x60806040")
    expect(transferOf("tokentx", token, [], { input: "0xa9059c" }).methodId).toBe("0x")
  })

  it("transfer: has its flags as a text, and no such key without flags", () => {
    expect(transferOf("tokentx", token, ["lookalike", "link"])).toMatchObject({ flags: "lookalike,link" })
    expect(transferOf("tokentx", token)).not.toHaveProperty("flags")
  })
})
