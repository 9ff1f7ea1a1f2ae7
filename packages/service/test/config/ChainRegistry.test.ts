import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as Chains from "../../src/config/ChainRegistry.ts"

const served = (chains: Readonly<Record<string, number | undefined>>) => {
  const entries = Object.entries(chains).map(([name, id]) => [
    name,
    { rpc: ["http://127.0.0.1:65535"], ...(id === undefined ? {} : { id }) },
  ])
  const listen = { host: "127.0.0.1", port: 0 }
  const config = Config.decode({ listen, database: "sqlite:data", chains: Object.fromEntries(entries) })
  return Result.getOrThrow(Result.flatMap(config, Config.servedChains))
}

const find = (chains: ReturnType<typeof served>, text: string): string => {
  const found = Chains.find(chains, text)
  return Result.isSuccess(found) ? found.success.name : found.failure.code
}

describe("Chains", () => {
  describe("find", () => {
    it("takes names of both operations in any case, with spaces, hyphens or underscores", () => {
      const chains = served({ eth: undefined, "Optimism-Sepolia": undefined, "polygon amoy": undefined })
      for (const text of ["eth", " ETH "]) expect(find(chains, text)).toBe("eth")
      for (const text of ["optimism sepolia", "optimism_testnet", "OPTIMISM-TESTNET"]) {
        expect(find(chains, text)).toBe("optimism sepolia")
      }
      expect(find(chains, "amoy")).toBe("polygon amoy")
    })

    it("takes identifiers, listed or true, in hex, decimal and CAIP-2", () => {
      const chains = served({ eth: undefined, linea: undefined })
      for (const text of ["0x1", "0X01", "1", "eip155:1", "EIP155:1"]) expect(find(chains, text)).toBe("eth")
      for (const text of ["0xe708", "59144", "0xe705"]) expect(find(chains, text)).toBe("linea")
    })

    it("finds a chain of the operator by its name or its id", () => {
      const chains = served({ "My Chain": 31337, "eth mirror": 17 })
      for (const text of ["my chain", "My-Chain", "0x7a69", "31337"]) expect(find(chains, text)).toBe("My Chain")
      expect(find(chains, "0x11")).toBe("eth mirror")
    })

    it("finds a chain of the interface under the operator's name for it", () => {
      const chains = served({ mainnet: 1 })
      for (const text of ["mainnet", "eth", "0x1"]) expect(find(chains, text)).toBe("eth")
    })

    it("tells what is no chain from what is not served", () => {
      const chains = served({ eth: undefined })
      for (const text of ["polygon", "0x89", "137", "eip155:137", "0x7a69", "0xe705"]) {
        expect(find(chains, text)).toBe("chain_not_served")
      }
      for (const text of ["atlantis", "", " ", "0x", "0xzz", "-1", "1.0", "eip155:", `0x${"f".repeat(65)}`]) {
        expect(find(chains, text)).toBe("bad_request")
      }
    })

    it("names both rows of an identifier that nobody serves", () => {
      const found = Chains.find(served({ eth: undefined }), "0xe705")
      expect(Result.isFailure(found) && found.failure.message).toBe(
        `chain is "0xe705" (linea or linea sepolia), which is not served; served here: eth.`,
      )
    })

    it("shows no more of a long text than it needs", () => {
      const found = Chains.find(served({ eth: undefined }), "x".repeat(10_000))
      expect(Result.isFailure(found) && found.failure.message.length).toBeLessThan(250)
    })
  })
})
