/** Reasons of reverts, from the bytes that nodes return. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeErrorResult, parseAbi } from "viem"
import { Revert, RpcClient } from "../src/index.ts"
import { refuses, script } from "./server.ts"

const abi = parseAbi(["error Error(string)", "error Panic(uint256)", "error Broke(address who, uint256 needed)"])
const words = encodeErrorResult({ abi, errorName: "Error", args: ['ünder 10 wei: "x"'] })
const panic = encodeErrorResult({ abi, errorName: "Panic", args: [0x11n] })
const custom = encodeErrorResult({ abi, errorName: "Broke", args: [`0x${"1".repeat(40)}`, 7n] })

describe("Revert", () => {
  it("formatReason: writes the text of an error, a panic with its code, and nothing for other bytes", () => {
    const written = [words, panic, custom, "0x", "reverted"].map((data) => Revert.formatReason(Revert.fromData(data)))

    expect(written).toEqual([
      'ünder 10 wei: "x"',
      "Panic 0x11: an arithmetic overflow or underflow",
      undefined,
      undefined,
      undefined,
    ])
  })

  describe("fromData", () => {
    it("fromData: decodes Error(string)", () => {
      expect(Revert.fromData(words)).toEqual({ _tag: "Error", reason: 'ünder 10 wei: "x"' })
    })

    it("fromData: decodes Panic(uint256)", () => {
      expect(Revert.fromData(panic)).toEqual({
        _tag: "Panic",
        code: 0x11n,
        reason: "an arithmetic overflow or underflow",
      })
    })

    it("fromData: leaves a custom error as data", () => {
      expect(Revert.fromData(custom)).toEqual({
        _tag: "Custom",
        selector: custom.slice(0, 10) as `0x${string}`,
        data: custom,
      })
    })

    it("fromData: treats truncated bytes as a custom error, and text as none", () => {
      expect(Revert.fromData(words.slice(0, 80))?._tag).toBe("Custom")
      expect(Revert.fromData("0x")).toEqual({ _tag: "Empty" })
      expect(Revert.fromData("reverted")).toBe(undefined)
      expect(Revert.fromData(`0x08c379a0${"f".repeat(64)}`)?._tag).toBe("Custom")
    })
  })

  describe("fromError", () => {
    it.each([
      ["geth", words],
      ["nethermind", `Reverted ${words}`],
      ["hardhat", { message: "x", data: words }],
      ["ganache", { hash: null, result: words, reason: "x" }],
      ["a relay", { originalError: { code: 3, data: words } }],
    ])("fromError: finds the bytes in the data of %s", (_name, data) => {
      expect(Revert.fromError(data)?._tag).toBe("Error")
    })

    it("fromError: returns undefined without bytes", () => {
      expect(Revert.fromError(undefined)).toBe(undefined)
      expect(Revert.fromError({ hash: "0x12", text: "0xzz" })).toBe(undefined)
    })
  })

  describe("of an RpcError", () => {
    it.live("RpcError: has a revert only when its kind is reverted", () =>
      Effect.gen(function* () {
        const reverting = yield* script(refuses(3, "execution reverted", 200, words))
        const refusing = yield* script(refuses(-32602, "invalid argument", 200, words))

        const one = yield* Effect.flip((yield* RpcClient.make({ url: reverting.url })).eth_chainId())
        const other = yield* Effect.flip((yield* RpcClient.make({ url: refusing.url })).eth_chainId())

        expect(one._tag === "RpcError" && one.revert?._tag).toBe("Error")
        expect(other._tag === "RpcError" && other.revert).toBe(undefined)
      }),
    )
  })
})
