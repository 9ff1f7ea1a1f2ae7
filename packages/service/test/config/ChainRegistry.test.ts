import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import { format } from "@daybook/schema/Issue"
import * as ChainRegistry from "../../src/config/ChainRegistry.ts"

const served = (chains: Readonly<Record<string, number | undefined>>) => {
  const rpc = ["http://127.0.0.1:65535"]
  const entries = Object.entries(chains).map(([name, id]) => [name, id === undefined ? { rpc } : { rpc, id }])
  const listen = { host: "127.0.0.1", port: 0 }
  const config = Config.decode({ listen, database: "sqlite:data", chains: Object.fromEntries(entries) })
  return Result.getOrThrow(Result.flatMap(config, (decoded) => ServedChain.fromChains(decoded.chains)))
}

const find = (chains: ReturnType<typeof served>, text: string): string => {
  const found = ChainRegistry.find(chains, text)
  return Result.isSuccess(found) ? found.success.name : found.failure.code
}

describe("ChainRegistry.find", () => {
  it("find: accepts the names of both operations in any case, with spaces, hyphens or underscores", () => {
    const chains = served({ eth: undefined, "Optimism-Sepolia": undefined, "polygon amoy": undefined })

    for (const text of ["eth", " ETH "]) expect(find(chains, text)).toBe("eth")
    for (const text of ["optimism sepolia", "optimism_testnet", "OPTIMISM-TESTNET"]) {
      expect(find(chains, text)).toBe("optimism sepolia")
    }
    expect(find(chains, "amoy")).toBe("polygon amoy")
  })

  it("find: accepts identifiers, listed or true, in hex, decimal and CAIP-2", () => {
    const chains = served({ eth: undefined, linea: undefined })

    for (const text of ["0x1", "0X01", "1", "eip155:1", "EIP155:1"]) expect(find(chains, text)).toBe("eth")
    for (const text of ["0xe708", "59144", "0xe705"]) expect(find(chains, text)).toBe("linea")
  })

  it("find: finds a chain of the operator by its name or its id", () => {
    const chains = served({ "My Chain": 31_337, "eth mirror": 17 })

    for (const text of ["my chain", "My-Chain", "0x7a69", "31337"]) expect(find(chains, text)).toBe("My Chain")
    expect(find(chains, "0x11")).toBe("eth mirror")
  })

  it("find: finds a chain of the interface under the operator's name for it", () => {
    const chains = served({ mainnet: 1 })

    for (const text of ["mainnet", "eth", "0x1"]) expect(find(chains, text)).toBe("eth")
  })

  it("find: distinguishes a chain that is not served from a text that names no chain", () => {
    const chains = served({ eth: undefined })

    for (const text of ["polygon", "0x89", "137", "eip155:137", "0x7a69", "0xe705"]) {
      expect(find(chains, text)).toBe("chain_not_served")
    }
    for (const text of ["atlantis", "", " ", "0x", "0xzz", "-1", "1.0", "eip155:", `0x${"f".repeat(65)}`]) {
      expect(find(chains, text)).toBe("bad_request")
    }
  })

  it("find: names both rows of a shared identifier that is not served", () => {
    const found = ChainRegistry.find(served({ eth: undefined }), "0xe705")

    expect(Result.isFailure(found) && format("parameter", found.failure.issue)).toBe(
      'Invalid parameter "chain": expected a chain that is served here (eth), received "0xe705" (linea or linea sepolia).',
    )
  })

  it("find: truncates a long text in its message", () => {
    const found = ChainRegistry.find(served({ eth: undefined }), "x".repeat(10_000))

    expect(Result.isFailure(found) && format("parameter", found.failure.issue).length).toBeLessThan(250)
  })

  it("finder: returns the result of find, also for a repeated text", () => {
    const chains = served({ eth: undefined, linea: undefined })
    const finder = ChainRegistry.finder(chains)

    for (const text of ["eth", "0x1", "linea", "polygon", "atlantis", "eth", "polygon"]) {
      expect(finder(text)).toEqual(ChainRegistry.find(chains, text))
    }
  })
})
