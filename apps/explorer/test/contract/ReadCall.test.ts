import { decodeFunctionData, encodeFunctionResult } from "viem"
import { describe, expect, it } from "vitest"
import { decode, encode } from "../../src/contract/ReadCall.ts"

const pair = {
  name: "pair",
  type: "tuple",
  components: [
    { name: "owner", type: "address" },
    { name: "amounts", type: "uint256[]" },
  ],
}
const read = { type: "function", name: "read", inputs: [pair], outputs: [pair], stateMutability: "view" } as const
const owner = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const amounts = [2n ** 255n, 7n]

describe("ReadCall", () => {
  it("encode: makes the data of a call from texts, as viem decodes it", () => {
    const data = encode(read, [JSON.stringify([owner, amounts.map(String)])])

    expect(decodeFunctionData({ abi: [read], data })).toEqual({
      functionName: "read",
      args: [{ owner, amounts }],
    })
  })

  it("encode: rejects an argument that is not a value of its type, with its name", () => {
    expect(() => encode(read, ["[1"])).toThrow('Invalid argument "pair": expected a list in JSON.')
    expect(() => encode({ ...read, inputs: [{ name: "a", type: "uint8" }] }, ["x"])).toThrow(
      'Invalid argument "a": expected a whole number.',
    )
  })

  it("decode: returns the results in the form of the service's rows", () => {
    const data = encodeFunctionResult({ abi: [read], result: { owner, amounts } } as never)

    expect(decode(read, data)).toEqual([JSON.stringify([owner, amounts.map(String)])])
    expect(decode({ ...read, outputs: [] }, "0x")).toEqual([])
  })

  it("decode: rejects data that is not a clean encoding of the results", () => {
    const bool = { ...read, outputs: [{ name: "", type: "bool" }] }

    expect(decode(bool, `0x${"1".padStart(64, "0")}`)).toEqual(["true"])
    for (const data of ["0x", "0x01", `0x${"2".padStart(64, "0")}`, `0x${"f".repeat(64)}`, "no hex"]) {
      expect(() => decode(bool, data)).toThrow("Invalid result: expected what the ABI states, received other data.")
    }
  })
})
