import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as ConfigChanges from "../../src/config/ConfigChanges.ts"

const eth = { rpc: ["http://127.0.0.1:1/secret"] }

const decode = (more: object = {}) =>
  Result.getOrThrow(Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains: { eth }, ...more }, {}))

describe("ConfigChanges.between", () => {
  it("between: names no change if nothing differs, whatever the order of the keys", () => {
    const before = decode({ chains: { eth, base: eth } })
    const after = decode({ chains: { base: eth, eth } })

    expect(ConfigChanges.between(before, after)).toEqual({ applied: [], postponed: [] })
  })

  it("between: names the changes that can be applied and those that need a restart, without values", () => {
    const before = decode({ chains: { eth, base: eth, bsc: eth } })
    const after = decode({
      listen: "unix:/run/daybook.sock",
      database: "sqlite:other",
      relay: { cacheMebibytes: 0 },
      tls: {
        cert: "cert.pem",
        key: "key.pem",
      },
      backfillThreads: 1,
      indexThreads: 1,
      monitoring: "127.0.0.1:9464",
      rateLimit: { perSecond: 1 },
      maxLimit: 10,
      chains: {
        eth: {
          rpc: ["http://127.0.0.1:2/secret"],
          labels: { [`0x${"a".repeat(40)}`]: "me" },
        },
        base: eth,
        polygon: eth,
      },
    })

    expect(ConfigChanges.between(before, after)).toEqual({
      applied: [
        "maxLimit",
        "rateLimit",
        "chains.bsc (removed)",
        "chains.eth.labels",
        "chains.eth.rpc",
        "chains.polygon (added)",
      ],
      postponed: ["backfillThreads", "database", "indexThreads", "listen", "monitoring", "relay", "tls"],
    })
  })

  it("applicable: has the new values, except for changes that need a restart, which are then named again", () => {
    const before = decode({ backfillThreads: 2, indexThreads: 3 })
    const after = decode({ listen: "127.0.0.1:9", tls: { cert: "c", key: "k" }, maxLimit: 10 })
    const applied = ConfigChanges.applicable(before, after)

    expect(ConfigChanges.between(before, applied)).toEqual({ applied: ["maxLimit"], postponed: [] })
    expect(ConfigChanges.between(applied, after)).toEqual({
      applied: [],
      postponed: ["backfillThreads", "indexThreads", "listen", "tls"],
    })
  })

  it("applicable: an explorer without keys waits for the loopback address that it was configured with", () => {
    const before = decode({ listen: "192.0.2.1:8080", explorer: "keyed" })
    const after = decode({ listen: "127.0.0.1:8080", explorer: "open", maxLimit: 10 })

    expect(ConfigChanges.between(before, after)).toEqual({ applied: ["maxLimit"], postponed: ["explorer", "listen"] })
    expect(ConfigChanges.applicable(before, after)).toMatchObject({ explorer: "keyed", maxLimit: 10 })
    expect(ConfigChanges.applicable(decode({ listen: "192.0.2.1:8080" }), after)).not.toHaveProperty("explorer")
    expect(ConfigChanges.applicable(decode({ explorer: "keyed" }), after)).toMatchObject({ explorer: "open" })
  })
})
