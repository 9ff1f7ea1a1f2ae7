import { describe, expect, it } from "vitest"
import { readdirSync } from "node:fs"
import { Contracts } from "@daybook/chain"
import { compiledDigest, digest } from "../scripts/contracts.ts"

const folder = new URL("../artifacts/", import.meta.url)

describe("Contracts", () => {
  describe("artifacts", () => {
    it("artifacts: match a compilation of these sources with this version of the compiler", () => {
      expect(digest(), "Run pnpm --filter @daybook/chain contracts").toBe(compiledDigest())
    })

    it("names: lists every artifact", () => {
      expect([...Contracts.names]).toEqual(
        readdirSync(folder)
          .map((file) => file.replace(".json", ""))
          .toSorted(),
      )
    })
  })

  describe("createdAddress", () => {
    it("createdAddress: returns the known address of the first contract of the first development account", () => {
      expect(Contracts.createdAddress("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", 0)).toBe(
        "0x5fbdb2315678afecb367f032d93f642f64180aa3",
      )
    })
  })

  describe("create2Address", () => {
    it("create2Address: returns the first example of EIP-1014", () => {
      expect(Contracts.create2Address(`0x${"00".repeat(20)}`, `0x${"00".repeat(32)}`, "0x00")).toBe(
        "0x4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38",
      )
    })
  })
})
