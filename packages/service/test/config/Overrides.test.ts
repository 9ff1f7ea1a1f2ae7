import { describe, expect, it } from "@effect/vitest"
import * as Overrides from "../../src/config/Overrides.ts"

describe("Overrides", () => {
  it("parseNode: reads a name and a URL, and the id of a chain that is not listed", () => {
    const url = "http://127.0.0.1:8545/?key=a=b:1"

    expect(Overrides.parseNode(`eth=${url}`)).toEqual({ chain: "eth", url })
    expect(Overrides.parseNode(` dev:31337 = ${url}`)).toEqual({ chain: "dev", id: 31337, url })
    for (const text of ["", "eth", "=x", "eth=", url, ":1=x", "dev:=x", "dev:x=y", "dev:1:2=y"]) {
      expect(Overrides.parseNode(text)).toBeUndefined()
    }
  })

  it("apply: sets the nodes and the id of a chain, and keeps its other keys", () => {
    const nodes = [
      { chain: "dev", id: 5, url: "a" },
      { chain: "dev", url: "b" },
      { chain: "eth", url: "c" },
    ]

    expect(Overrides.apply({ chains: { eth: { rpc: ["d"], fromBlock: 7 } } }, { nodes })).toEqual({
      chains: { eth: { rpc: ["c"], fromBlock: 7 }, dev: { id: 5, rpc: ["a", "b"] } },
    })
    expect(Overrides.flagOf("chains.dev.id", { nodes }, false)).toBe("--chain")
    expect(Overrides.flagOf("chains.eth.id", { nodes }, false)).toBeUndefined()
    expect(Overrides.flagOf("chains.eth", { nodes }, false)).toBe("--chain")
    expect(Overrides.flagOf("chains.eth", { nodes }, true)).toBeUndefined()
  })
})
