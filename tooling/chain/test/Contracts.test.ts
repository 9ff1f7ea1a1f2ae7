import { describe, expect, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { Contracts } from "@daybook/chain"
import { compile } from "../scripts/contracts.ts"

const folder = new URL("../artifacts/", import.meta.url)

describe("Contracts", () => {
  describe("artifacts", () => {
    it("artifacts: are the compiler output for the sources", () => {
      const compiled = compile()
      const checkedIn = new Map([...compiled.keys()].map((name) => [name, readFileSync(new URL(name, folder), "utf8")]))

      expect([...compiled.keys()].toSorted()).toEqual(readdirSync(folder).toSorted())
      expect(checkedIn).toEqual(compiled)
    }, 60_000)

    it("names: lists every artifact", () => {
      expect([...Contracts.names]).toEqual(
        readdirSync(folder)
          .map((file) => file.replace(".json", ""))
          .toSorted(),
      )
    })
  })

  describe("createdAddress", () => {
    it("createdAddress: gives the known address of the first contract of the first development account", () => {
      expect(Contracts.createdAddress("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", 0)).toBe(
        "0x5fbdb2315678afecb367f032d93f642f64180aa3",
      )
    })
  })

  describe("create2Address", () => {
    it("create2Address: gives the first example of EIP-1014", () => {
      expect(Contracts.create2Address(`0x${"00".repeat(20)}`, `0x${"00".repeat(32)}`, "0x00")).toBe(
        "0x4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38",
      )
    })
  })
})
