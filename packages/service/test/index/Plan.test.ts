import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Config } from "../../src/Config.ts"
import * as Plan from "../../src/index/Plan.ts"

const config = (chains: object) =>
  Schema.decodeUnknownSync(Config)({ listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains })

const rpc = ["http://127.0.0.1:8545"]

describe("Plan", () => {
  it("plans each chain of a configuration, by its own id or by its name", () => {
    const chains = { eth: { rpc }, "Polygon-Amoy": { rpc }, linea: { rpc }, mine: { id: 31337, rpc } }
    const plans = Result.getOrThrow(Plan.fromConfig(config(chains), "/srv", "me"))
    expect(plans.map(({ chain, chainId }) => [chain, chainId])).toEqual([
      ["eth", 1],
      ["Polygon-Amoy", 80002],
      ["linea", 59144],
      ["mine", 31337],
    ])
    expect(plans[0]).toMatchObject({ database: "sqlite:data", baseFolder: "/srv", owner: "me" })
  })

  it("takes a chain's own id before that of its name", () => {
    const plans = Plan.fromConfig(config({ eth: { id: 31337, rpc } }), "/srv", "me")
    expect(Result.getOrThrow(plans)[0]?.chainId).toBe(31337)
  })

  it("names a chain that has no id", () => {
    const plans = Plan.fromConfig(config({ mine: { rpc } }), "/srv", "me")
    expect(Result.isFailure(plans) && [plans.failure._tag, plans.failure.message]).toEqual([
      "UnknownChain",
      `The configuration's chain "mine" is not one of the interface: give its EIP-155 id as "id".`,
    ])
  })

  it("takes keys out of a text, whole URLs too", () => {
    const url = "https://user:secret0pass@node.example/v3/secret0key?token=secret0token"
    const [plan] = Result.getOrThrow(Plan.fromConfig(config({ eth: { rpc: [url] } }), "/srv", "me"))
    const clean = Plan.scrub(plan!, `${url} said: secret0key and secret0token of secret0pass`)
    expect(clean).not.toMatch(/secret0/)
    expect(clean).toContain("said")
  })
})
