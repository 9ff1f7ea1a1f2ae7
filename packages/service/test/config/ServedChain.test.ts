import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"

const chain = (more: object = {}) => ({ rpc: ["http://127.0.0.1:8545"], ...more })

const decode = (chains: object) =>
  Result.flatMap(Config.decode({ listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains }), (config) =>
    ServedChain.fromChains(config.chains),
  )

const issuesOf = (chains: object): ReadonlyArray<string> => {
  const decoded = decode(chains)
  return Result.isFailure(decoded) ? decoded.failure.issues : []
}

describe("ServedChain.fromChains", () => {
  it("fromChains: assigns a chain the name and id of the interface, or those of the operator", () => {
    const served = Result.getOrThrow(
      decode({ AMOY: chain(), "my chain": chain({ id: 31_337 }), mainnet: chain({ id: 1 }) }),
    )

    expect(served.map(({ id, key, known, name }) => [key, name, id, known?.rpcName])).toEqual([
      ["AMOY", "polygon amoy", 80_002, "amoy"],
      ["my chain", "my chain", 31_337, undefined],
      ["mainnet", "eth", 1, "eth"],
    ])
  })

  it("fromChains: assigns each chain its own labels", () => {
    const address = `0x${"Ab".repeat(20)}`
    const [eth, base] = Result.getOrThrow(decode({ eth: chain({ labels: { [address]: "Me" } }), base: chain() }))

    expect([eth?.label(address.toLowerCase()), base?.label(address.toLowerCase())]).toEqual(["Me", null])
  })

  it("fromChains: rejects a configuration without a chain", () => {
    expect(issuesOf({})).toEqual(['No chain is configured: "chains" is empty. Add one.'])
  })

  it("fromChains: rejects an unknown chain without an id, and suggests eth for its other names", () => {
    expect(issuesOf({ mine: chain() })).toEqual([
      'Unknown chain without an id: "chains.mine". Give its EIP-155 id as "id", or with --chain NAME:ID=URL.',
    ])
    expect(issuesOf({ Mainnet: chain() })).toEqual([
      'Unknown chain without an id: "chains.Mainnet". Give its EIP-155 id as "id", or with --chain NAME:ID=URL. Did you mean eth?',
    ])
  })

  it("fromChains: rejects an id that conflicts with the name", () => {
    expect(issuesOf({ eth: chain({ id: 5 }) })).toEqual([
      'The id 5 conflicts with the id 1 of eth: "chains.eth". Remove "id", or give the chain another name.',
    ])
  })

  it("fromChains: rejects an identifier in place of a name", () => {
    expect(issuesOf({ "0x89": chain() })).toEqual([
      'A chain is named by an identifier: "chains.0x89". Use its name: polygon.',
    ])
  })

  it("fromChains: rejects two entries for one chain", () => {
    expect(issuesOf({ eth: chain(), ETH: chain() })).toEqual([
      'Two chains have the id 1: "eth" and "ETH". Remove one of them.',
    ])
    expect(issuesOf({ amoy: chain(), "polygon-amoy": chain() })).toHaveLength(1)
  })

  it("fromChains: rejects two names that requests or the database do not distinguish", () => {
    expect(issuesOf({ "my chain": chain({ id: 5 }), My_Chain: chain({ id: 6 }) })).toEqual([
      'Two chains have the same name: "my chain" and "My_Chain". Case, spaces, hyphens and underscores are ignored; rename one of them.',
    ])
  })

  it("fromChains: rejects a label of something that is not an address", () => {
    expect(issuesOf({ eth: chain({ labels: { "0x12": "me" } }) })).toEqual([expect.stringContaining('"0x12"')])
  })
})
