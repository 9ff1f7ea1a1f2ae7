import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/config/Config.ts"

const smallest = {
  listen: { host: "127.0.0.1", port: 8080 },
  database: "sqlite:data",
  chains: { eth: { rpc: ["http://127.0.0.1:8545"], fromBlock: 0 } },
}

const chain = (more: object = {}) => ({ rpc: ["http://127.0.0.1:8545"], ...more })

const issues = (input: unknown): ReadonlyArray<string> => {
  const decoded = Config.decode(input)
  return Result.isFailure(decoded) ? decoded.failure.issues : []
}

describe("Config", () => {
  describe("decode", () => {
    it("reads the smallest configuration, and fills in what it leaves out", () => {
      expect(Result.getOrThrow(Config.decode(smallest))).toEqual({
        ...smallest,
        chains: {
          eth: { rpc: ["http://127.0.0.1:8545"], fromBlock: 0, traces: "auto", allFrames: false, labels: {} },
        },
        empty: "string",
        maxLimit: 100,
        rateLimit: { perSecond: 25, burst: 50 },
        relay: { cacheMebibytes: 64 },
        allowedOrigins: ["*"],
      })
    })

    it("fills in one half of a limit", () => {
      const { rateLimit } = Result.getOrThrow(Config.decode({ ...smallest, rateLimit: { perSecond: 3 } }))
      expect(rateLimit).toEqual({ perSecond: 3, burst: 50 })
    })

    it("names every key that is missing or unknown", () => {
      expect(issues({})).toEqual([`"listen" is missing.`, `"database" is missing.`, `"chains" is missing.`])
      expect(issues({ ...smallest, rcp: 1, listen: { ...smallest.listen, ip: "::" } })).toEqual([
        `"rcp" is not a known key; accepted: listen, database, chains, empty, maxLimit, rateLimit, relay, allowedOrigins.`,
        `"listen.ip" is not a known key; accepted: host, port.`,
      ])
      expect(issues({ ...smallest, relay: { cache: 1 } })).toEqual([
        `"relay.cache" is not a known key; accepted: cacheMebibytes.`,
      ])
      expect(issues({ ...smallest, chains: { "my chain": chain({ id: 5, url: "x" }) } })).toEqual([
        `"chains."my chain".url" is not a known key; accepted: ${Object.keys(Config.ChainConfig.fields).join(", ")}.`,
      ])
    })

    it("names every value that is wrong, what came and what is accepted", () => {
      const input = {
        listen: { host: "", port: 70_000 },
        database: 5,
        chains: {
          eth: { rpc: [], fromBlock: 1.5, traces: "on", pollMillis: 0, labels: { [`0x${"a".repeat(40)}`]: 1 } },
        },
        empty: "nil",
        maxLimit: 0,
        rateLimit: { burst: -1 },
        relay: { cacheMebibytes: -1 },
        allowedOrigins: "*",
      }
      expect(issues(input)).toEqual([
        `"listen.host" is ""; accepted: a value with a length of at least 1.`,
        `"listen.port" is 70000; accepted: a value between 0 and 65535.`,
        `"database": accepted: string.`,
        `"chains.eth.rpc" is empty; accepted: a list of at least one URL.`,
        `"chains.eth.fromBlock" is 1.5; accepted: an integer.`,
        `"chains.eth.traces" is "on"; accepted: "auto" | "off".`,
        `"chains.eth.pollMillis" is 0; accepted: a value between 1 and 3600000.`,
        `"chains.eth.labels.0x${"a".repeat(40)}" is 1; accepted: string.`,
        `"empty" is "nil"; accepted: "string" | "null".`,
        `"maxLimit" is 0; accepted: a value between 1 and 1000.`,
        `"rateLimit.burst" is -1; accepted: a value greater than or equal to 1.`,
        `"relay.cacheMebibytes" is -1; accepted: a value between 0 and 1048576.`,
        `"allowedOrigins" is "*"; accepted: array.`,
      ])
      for (const whole of [null, [], "text", 5]) expect(issues(whole)).toHaveLength(1)
    })

    it("shows no URL of a node and no database, right or wrong", () => {
      const canary = "CANARY0123"
      const inputs = [
        { ...smallest, database: { url: canary } },
        { ...smallest, chains: { eth: { rpc: `https://node.example/${canary}` } } },
        { ...smallest, chains: { eth: { rpc: [`ftp://node.example/${canary}`, `${canary}`, { url: canary }] } } },
        { ...smallest, database: `postgres://user:${canary}@host/name`, chains: {} },
      ]
      for (const input of inputs) {
        expect(issues(input).length).toBeGreaterThan(0)
        expect(issues(input).join(" ")).not.toContain(canary)
      }
      expect(issues(inputs[2])).toEqual([
        `"chains.eth.rpc[0]": accepted: an http or https URL.`,
        `"chains.eth.rpc[1]": accepted: an http or https URL.`,
        `"chains.eth.rpc[2]": accepted: string.`,
      ])
    })

    it("refuses a block and a date to begin with, also where the block is the default", () => {
      for (const fromBlock of [0, 5]) {
        expect(issues({ ...smallest, chains: { eth: chain({ fromBlock, fromDate: "2024-01-31" }) } })).toEqual([
          `"chains.eth" has both "fromBlock" and "fromDate": give one of them.`,
        ])
      }
      expect(issues({ ...smallest, chains: { eth: chain({ fromDate: "2024-01-31" }) } })).toEqual([])
    })

    it("takes origins as browsers send them, and nothing that none would ever send", () => {
      const of = (...allowedOrigins: ReadonlyArray<string>) => issues({ ...smallest, allowedOrigins })
      const accepted = `"*" or an origin: scheme, host, and port if it has one, without a path`

      expect(of()).toEqual([])
      expect(of("*", "https://app.example", "http://localhost:5173", "http://[::1]:80a")).toHaveLength(1)
      expect(of("https://app.example:8443", "http://127.0.0.1:5173", "chrome-extension://abcdef")).toEqual([])
      expect(of("x")).toEqual([`"allowedOrigins[0]" is "x"; accepted: ${accepted}.`])
      expect(of("*", "https://x/y")).toEqual([
        `"allowedOrigins[1]" is "https://x/y"; accepted: ${accepted} (here https://x).`,
      ])
      for (const text of [
        "https://x/",
        "https://X",
        "https://x:443",
        "https://u@x",
        "null",
        "",
        "x.example",
        "*.x.example",
      ]) {
        expect([text, of(text).length]).toEqual([text, 1])
      }
    })

    it("refuses more rows of a page, and a longer wait, than make sense", () => {
      expect(issues({ ...smallest, maxLimit: 1e9 })).toEqual([
        `"maxLimit" is 1000000000; accepted: a value between 1 and 1000.`,
      ])
      expect(issues({ ...smallest, maxLimit: 1000 })).toEqual([])
      expect(issues({ ...smallest, chains: { eth: chain({ pollMillis: 1e12 }) } })).toEqual([
        `"chains.eth.pollMillis" is 1000000000000; accepted: a value between 1 and 3600000.`,
      ])
    })

    it("repeats little of a long value", () => {
      const secret = `0x${"0123456789abcdef".repeat(4)}`
      const said = issues({
        ...smallest,
        empty: secret,
        [secret]: 1,
        chains: { eth: chain({ watch: [secret], labels: { [secret]: "me" } }), [`${secret}`]: chain() },
      }).join(" ")
      expect(said).toContain(`"empty" is "0x01234567..." (66 characters);`)
      expect(said).not.toContain(secret.slice(0, 20))
      const later = issues({ ...smallest, chains: { eth: chain({ labels: { [secret]: "me" } }) } }).join(" ")
      expect(later).toContain(`Labels: "0x01234567..." (66 characters) is not an address`)
      expect(issues({ ...smallest, chains: { [secret]: chain() } }).join(" ")).not.toContain(secret.slice(0, 20))
    })

    it("refuses chains that cannot be told apart or have no id", () => {
      const of = (chains: object) => issues({ ...smallest, chains })
      expect(of({})).toEqual([`"chains" is empty; accepted: at least one chain.`])
      expect(of({ mine: chain() })).toEqual([
        `"chains.mine" is not a chain of the interface: give its EIP-155 id as "id".`,
      ])
      expect(of({ eth: chain({ id: 5 }) })).toEqual([
        `"chains.eth" has the id 5, but eth is 1: leave "id" out, or give the chain another name.`,
      ])
      expect(of({ "0x89": chain() })).toEqual([`"chains.0x89" is an identifier; name the chain: polygon.`])
      expect(of({ eth: chain(), ETH: chain() })).toEqual([`"chains" names chain 1 twice: "eth" and "ETH".`])
      expect(of({ amoy: chain(), "polygon-amoy": chain() })).toHaveLength(1)
      expect(of({ eth: chain({ labels: { "0x12": "me" } }) })).toEqual([
        `"chains.eth": Labels: "0x12" is not an address. Write each as "0x" and 40 hex digits: "text".`,
      ])
    })
  })

  describe("servedChains", () => {
    it("gives the interface's name and id, or the operator's own", () => {
      const config = Result.getOrThrow(
        Config.decode({
          ...smallest,
          chains: { AMOY: chain(), "my chain": chain({ id: 31337 }), mainnet: chain({ id: 1 }) },
        }),
      )
      const served = Result.getOrThrow(Config.servedChains(config))
      expect(served.map(({ id, key, known, name }) => [key, name, id, known?.rpcName])).toEqual([
        ["AMOY", "polygon amoy", 80_002, "amoy"],
        ["my chain", "my chain", 31_337, undefined],
        ["mainnet", "eth", 1, "eth"],
      ])
    })

    it("looks up the labels of its own chain", () => {
      const address = `0x${"Ab".repeat(20)}`
      const config = Result.getOrThrow(
        Config.decode({ ...smallest, chains: { eth: chain({ labels: { [address]: "Me" } }), base: chain() } }),
      )
      const [eth, base] = Result.getOrThrow(Config.servedChains(config))
      expect([eth?.label(address.toLowerCase()), base?.label(address.toLowerCase())]).toEqual(["Me", null])
    })
  })

  it("says that WebSocket is not served, and which chain was likely meant", () => {
    const issues = (chains: object) => {
      const decoded = Config.decode({ ...smallest, chains })
      return Result.isFailure(decoded) ? decoded.failure.issues : []
    }
    expect(issues({ eth: chain({ rpc: ["wss://node.example/secret"] }) })).toEqual([
      `"chains.eth.rpc[0]": accepted: an http or https URL (nodes are not asked over WebSocket).`,
    ])
    expect(issues({ Mainnet: chain() })).toEqual([
      `"chains.Mainnet" is not a chain of the interface: give its EIP-155 id as "id". Did you mean eth?`,
    ])
    expect(issues({ mine: chain() })).toEqual([
      `"chains.mine" is not a chain of the interface: give its EIP-155 id as "id".`,
    ])
  })
})
