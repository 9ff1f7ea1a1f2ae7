import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Config } from "../../src/config/Config.ts"
import * as ChainRunner from "../../src/indexer/ChainRunner.ts"

const config = (chains: object) =>
  Schema.decodeUnknownSync(Config)({ listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains })

const rpc = ["http://127.0.0.1:8545"]

describe("Plan", () => {
  it("plans each chain of a configuration, under the interface's name where it has one", () => {
    const chains = { eth: { rpc }, "Polygon-Amoy": { rpc }, linea: { rpc }, mine: { id: 31337, rpc } }
    const plans = Result.getOrThrow(ChainRunner.fromConfig(config(chains), "/srv", "me"))
    expect(plans.map(({ chain, chainId }) => [chain, chainId])).toEqual([
      ["eth", 1],
      ["polygon amoy", 80002],
      ["linea", 59144],
      ["mine", 31337],
    ])
    expect(plans[0]).toMatchObject({
      database: "sqlite:data",
      baseFolder: "/srv",
      owner: "me",
      config: { fromBlock: 0 },
    })
  })

  it("refuses a configuration with a chain that has no id", () => {
    const plans = ChainRunner.fromConfig(config({ mine: { rpc } }), "/srv", "me")
    expect(Result.isFailure(plans) && plans.failure._tag).toBe("InvalidConfig")
  })

  it("takes keys out of a text, whole URLs too", () => {
    const url = "https://user:secret0pass@node.example/v3/secret0key?token=secret0token"
    const [plan] = Result.getOrThrow(ChainRunner.fromConfig(config({ eth: { rpc: [url] } }), "/srv", "me"))
    const clean = ChainRunner.scrub(plan!, `${url} said: secret0key and secret0token of secret0pass`)
    expect(clean).not.toMatch(/secret0/)
    expect(clean).toContain("said")
  })
})
