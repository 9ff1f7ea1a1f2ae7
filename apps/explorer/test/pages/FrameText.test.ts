import { describe, expect, it } from "vitest"
import * as Signature from "@daybook/abi/Signature"
import * as Result from "effect/Result"
import type { AbiItem } from "@daybook/rest/ExplorerClient"
import * as FrameText from "../../src/pages/transaction/FrameText.ts"

const word = (value: bigint | number): string => value.toString(16).padStart(64, "0")
const textWords = (text: string): string => {
  const bytes = new TextEncoder().encode(text)
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${word(bytes.length)}${digits.padEnd(64, "0")}`
}

const parameterOf = (name: string, type: string) => ({ name, type })

const transferFrom: AbiItem = {
  type: "function",
  name: "transferFrom",
  inputs: [parameterOf("from", "address"), parameterOf("to", "address"), parameterOf("value", "uint256")],
  outputs: [parameterOf("", "bool")],
}

const input = `0x23b872dd${word(0xaan)}${word(0xbbn)}${word(5)}`
const output = `0x${word(1)}`

describe("FrameText", () => {
  it("decode: names arguments and results by the ABI of the contract", () => {
    const found = FrameText.decode([[transferFrom]], undefined, { input, output, isFailed: false })

    expect(found?.label).toBe("transferFrom")
    expect(found?.args.map(({ name, text }) => [name, text])).toEqual([
      ["from", "0x00000000000000000000000000000000000000AA"],
      ["to", "0x00000000000000000000000000000000000000bb"],
      ["value", "5"],
    ])
    expect(found?.results?.map(({ text }) => text)).toEqual(["true"])
  })

  it("decode: returns no results of a failed call, whose output is its error", () => {
    const found = FrameText.decode([[transferFrom]], undefined, { input, output: "0x08c379a0", isFailed: true })

    expect(found?.results).toBeUndefined()
    expect(found?.args).toHaveLength(3)
  })

  it("decode: reads arguments by a signature if there is no ABI, and nothing from data that does not fit it", () => {
    const signature = "transferFrom(address,address,uint256)"

    expect(FrameText.decode([], signature, { input, output, isFailed: false })?.args.map(({ text }) => text)[2]).toBe(
      "5",
    )
    expect(FrameText.decode([], signature, { input: input.slice(0, -64), output, isFailed: false })).toBeUndefined()
    expect(FrameText.decode([], "approve(address,uint256)", { input, output, isFailed: false })).toBeUndefined()
    expect(FrameText.decode([], undefined, { input, output, isFailed: false })).toBeUndefined()
  })

  it("decode: names struct fields and enum values, and limits the members that it shows", () => {
    const open: AbiItem = {
      type: "function",
      name: "open",
      inputs: [
        {
          name: "lock",
          type: "tuple",
          components: [parameterOf("amount", "uint256"), { name: "term", type: "uint8", enum: ["Short", "Long"] }],
        },
        parameterOf("ids", "uint256[]"),
      ],
    }
    const ids = Array.from({ length: 50 }, (_, at) => word(at)).join("")
    const data = `0x64d8c264${word(5)}${word(1)}${word(96)}${word(50)}${ids}`
    const call = { input: data, output: "0x", isFailed: false }
    const key = Signature.fromText("function open((uint256,uint8) lock, uint256[] ids)")
    const selector = Result.getOrThrow(key).key

    const found = FrameText.decode([[open]], undefined, { ...call, input: `${selector}${data.slice(10)}` })

    expect(found?.args[0]?.members.map(({ label, name, text }) => [name, text, label])).toEqual([
      ["amount", "5", undefined],
      ["term", "1", "Long"],
    ])
    expect([found?.args[1]?.members.length, found?.args[1]?.hidden]).toEqual([40, 10])
  })

  it("decodeCreation: reads the arguments after the code, and nothing if other bytes follow or the length is unknown", () => {
    const constructor: AbiItem = {
      type: "constructor",
      name: "",
      inputs: [parameterOf("owner", "address"), parameterOf("name", "string")],
      codeBytes: 3,
    }
    const args = `${word(0xaan)}${word(64)}${textWords("Gold")}`

    expect(FrameText.decodeCreation([constructor], `0x608060${args}`)).toMatchObject({
      signature: "constructor(address,string)",
      params: [
        { name: "owner", type: "address", value: "0x00000000000000000000000000000000000000AA" },
        { name: "name", type: "string", value: "Gold" },
      ],
    })
    expect(FrameText.decodeCreation([constructor], `0x608060${args}${word(1)}`)).toBeUndefined()
    expect(FrameText.decodeCreation([constructor], "0x60")).toBeUndefined()
    const { codeBytes: _, ...unknown } = constructor
    expect(FrameText.decodeCreation([unknown], `0x608060${args}`)).toBeUndefined()
    expect(FrameText.decodeCreation([], `0x608060${args}`)).toBeUndefined()
  })

  it("consoleText: writes the arguments of console.log by type", () => {
    expect(FrameText.consoleText(`0x41304fac${word(32)}${textWords("hello")}`)).toBe("hello")
    expect(FrameText.consoleText(`0xb60e72cc${word(64)}${word(7)}${textWords("left")}`)).toBe("left 7")
    expect(FrameText.consoleText("0x12345678")).toBeUndefined()
  })
})
