import { describe, expect, it } from "@effect/vitest"
import * as DocumentText from "../../../src/store/rows/DocumentText.ts"

const hash = `0x${"1".repeat(64)}`
const from = `0x${"a".repeat(40)}`
const to = `0x${"b".repeat(40)}`
const created = `0x${"c".repeat(40)}`

const documentOf = (fields: Record<string, string | null>) =>
  JSON.stringify({
    hash,
    nonce: "1",
    transaction_index: "0",
    from_address: from,
    to_address: to,
    value: "0",
    input: "0x",
    receipt_contract_address: "",
    receipt_status: "1",
    logs: [],
    ...fields,
  })

describe("DocumentText.namesOf", () => {
  it.each([
    ["a call", {}, [from, to]],
    ["a transfer to oneself", { to_address: from }, [from]],
    ["a creation", { to_address: null, receipt_contract_address: created }, [from, created]],
    ["a call that creates", { receipt_contract_address: created }, [from, to, created]],
    ["a creation that failed", { to_address: null }, [from]],
  ])("namesOf: finds the hash and the wallets of %s", (_, fields, addresses) => {
    const body = documentOf(fields)

    expect(DocumentText.namesOf(body)).toEqual({ hash, addresses })
    for (const address of [from, to, created]) {
      expect(DocumentText.isOf(body, address)).toBe((addresses as ReadonlyArray<string>).includes(address))
    }
  })

  it.each([
    ["no JSON", "{"],
    ["another form", JSON.stringify({ number: 1 })],
    ["a hash of another length", documentOf({ hash: "0x12" })],
    ["an address in upper case", documentOf({ from_address: from.toUpperCase() })],
    ["no created contract", documentOf({}).replace("receipt_contract_address", "contract")],
  ])("namesOf: returns nothing for %s", (_, body) => {
    expect(DocumentText.namesOf(body)).toBeNull()
  })
})
