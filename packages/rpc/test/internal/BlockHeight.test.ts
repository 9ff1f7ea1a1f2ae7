/** The highest block that endpoints have shown. */
import { describe, expect, it } from "@effect/vitest"
import { EndpointPool } from "../../src/index.ts"
import * as BlockHeight from "../../src/internal/BlockHeight.ts"

const call = (method: string, ...params: ReadonlyArray<unknown>) => ({ id: 1, method, params })

const blockNumber = call("eth_blockNumber")
const latest = call("eth_getBlockByNumber", "latest", false)
const fifth = call("eth_getBlockByNumber", "0x5", false)

describe("BlockHeight", () => {
  it("needsHead: is true only for the newest block and its number", () => {
    expect([blockNumber, latest, fifth, call("eth_chainId")].map(BlockHeight.needsHead)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it("observe: reports a head below the highest block of another endpoint", () => {
    const pool = EndpointPool.make({ endpoints: ["a", "b"] })

    expect(BlockHeight.observe(pool, 0, blockNumber, "0x64", 0)).toBeUndefined()
    expect(BlockHeight.observe(pool, 1, latest, { number: "0x5f" }, 0)).toBe("behind")
    expect(BlockHeight.observe(pool, 1, blockNumber, "0x65", 0)).toBeUndefined()
    expect(pool.state()).toMatchObject({ highest: 0x65n, endpoints: [{ height: 0x64n }, { height: 0x65n }] })
  })

  it("observe: reports a missing block only below the highest one", () => {
    const pool = EndpointPool.make({ endpoints: ["a", "b"] })
    BlockHeight.observe(pool, 0, blockNumber, "0x4", 0)

    expect(BlockHeight.observe(pool, 1, fifth, null, 0)).toBeUndefined()
    BlockHeight.observe(pool, 0, blockNumber, "0x5", 0)
    expect(BlockHeight.observe(pool, 1, fifth, null, 0)).toBe("missing")
  })

  it("observe: reports nothing with one endpoint, whose chain may be reset", () => {
    const pool = EndpointPool.make({ endpoints: ["a"] })
    BlockHeight.observe(pool, 0, blockNumber, "0x64", 0)

    expect(BlockHeight.observe(pool, 0, blockNumber, "0x1", 0)).toBeUndefined()
  })

  it("observe: ignores results that show no height", () => {
    const pool = EndpointPool.make({ endpoints: ["a", "b"] })

    for (const result of ["100", null, {}, [], "0x"]) BlockHeight.observe(pool, 0, blockNumber, result, 0)

    expect(pool.state().highest).toBe(-1n)
  })
})
