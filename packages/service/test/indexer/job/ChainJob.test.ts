import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Config } from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as ChainJob from "../../../src/indexer/job/ChainJob.ts"
import * as HashRules from "../../../src/verification/HashRules.ts"

const config = (chains: object) =>
  Schema.decodeUnknownSync(Config)({ listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains })

const rpc = ["http://127.0.0.1:8545"]

const jobsOf = (chains: object) => {
  const decoded = config(chains)
  return Result.map(ServedChain.fromChains(decoded.chains), (served) =>
    ChainJob.fromChains(served, decoded, { baseFolder: "/srv", owner: "me" }),
  )
}

const jobOf = (chain: object): ChainJob.ChainJob => Result.getOrThrow(jobsOf(chain))[0]!

describe("ChainJob", () => {
  it("fromChains: makes a job for each chain, under the interface's name if it is listed", () => {
    const chains = { eth: { rpc }, "Polygon-Amoy": { rpc }, linea: { rpc }, mine: { id: 31337, rpc } }
    const jobs = Result.getOrThrow(jobsOf(chains))

    expect(jobs.map(({ chain, chainId }) => [chain, chainId])).toEqual([
      ["eth", 1],
      ["polygon amoy", 80002],
      ["linea", 59144],
      ["mine", 31337],
    ])
    expect(jobs[0]).toMatchObject({
      database: "sqlite:data",
      baseFolder: "/srv",
      owner: "me",
      config: { fromBlock: 0 },
    })
  })

  it("fromChains: rejects a configuration with an unknown chain that has no id", () => {
    const jobs = jobsOf({ mine: { rpc } })

    expect(Result.isFailure(jobs) && jobs.failure._tag).toBe("InvalidConfig")
  })

  it("threadsOf: divides all cores but one among the chains, at most 4 threads each and 0 instead of 1, unless a number is configured", () => {
    const one = { eth: { rpc } }
    const three = { ...one, polygon: { rpc }, linea: { rpc } }
    const threads = (chains: object, cores: number, more: object = {}) =>
      ChainJob.threadsOf({ ...config(chains), ...more }, cores)

    expect([1, 2, 3, 4, 16].map((cores) => threads(one, cores))).toEqual([0, 0, 2, 3, 4])
    expect([2, 4, 6, 7, 8].map((cores) => threads(three, cores))).toEqual([0, 0, 0, 2, 2])
    expect(threads(three, 2, { backfillThreads: 6 })).toBe(6)
    expect(threads(one, 8, { backfillThreads: 1 })).toBe(1)
  })

  it("redact: removes keys and whole URLs from a text", () => {
    const url = "https://user:secret0pass@node.example/v3/secret0key?token=secret0token"
    const text = `${url} answered: secret0key and secret0token of secret0pass`
    const clean = ChainJob.redact(jobOf({ eth: { rpc: [url] } }), text)

    expect(clean).not.toMatch(/secret0/)
    expect(clean).toContain("answered")
  })

  it("redact: removes the values of a node's headers from a text", () => {
    const node = { url: "https://node.example", headers: { authorization: "Bearer secret0token" } }
    const job = jobOf({ eth: { rpc: [node] } })

    expect(ChainJob.redact(job, "node.example rejected secret0token")).not.toMatch(/secret0/)
  })

  it("pollMillis: is the configured time, otherwise 250 ms for local nodes and the block time up to 2 s for others", () => {
    expect(ChainJob.pollMillis(jobOf({ eth: { rpc, pollMillis: 77 } }), true)).toBe(77)
    expect(ChainJob.pollMillis(jobOf({ eth: { rpc } }), true)).toBe(250)
    expect(ChainJob.pollMillis(jobOf({ eth: { rpc } }), false)).toBe(2_000)
    expect(ChainJob.pollMillis(jobOf({ arbitrum: { rpc } }), false)).toBeLessThan(2_000)
  })

  it("rewinds: is true only for a development chain whose single node is on this machine, unless configured", () => {
    const other = [...rpc, "http://127.0.0.1:2"]
    expect(ChainJob.rewinds(jobOf({ local: { id: 31_337, rpc } }), true)).toBe(true)
    expect(ChainJob.rewinds(jobOf({ local: { id: 1_337, rpc } }), true)).toBe(true)
    expect(ChainJob.rewinds(jobOf({ local: { id: 31_337, rpc } }), false)).toBe(false)
    expect(ChainJob.rewinds(jobOf({ local: { id: 31_337, rpc: other } }), true)).toBe(false)
    expect(ChainJob.rewinds(jobOf({ eth: { rpc } }), true)).toBe(false)
    expect(ChainJob.rewinds(jobOf({ eth: { rpc, rewinds: true } }), false)).toBe(true)
    expect(ChainJob.rewinds(jobOf({ local: { id: 31_337, rpc, rewinds: false } }), true)).toBe(false)
  })

  it("hashRules: are those of the configuration, otherwise those of the chain, otherwise to be detected", () => {
    expect(ChainJob.hashRules(jobOf({ eth: { rpc, ethereumRules: false } }))).toBe(HashRules.none)
    expect(ChainJob.hashRules(jobOf({ eth: { rpc } }))).toEqual(HashRules.ofChain(1))
    expect(ChainJob.hashRules(jobOf({ mine: { id: 31337, rpc } }))).toBe("detect")
  })
})
