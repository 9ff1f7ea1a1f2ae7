import { readFileSync } from "node:fs"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ChainConfig } from "../../src/config/ChainConfig.ts"
import * as Config from "../../src/config/Config.ts"
import { Limits } from "../../src/config/Limits.ts"

const smallest = {
  listen: { host: "127.0.0.1", port: 8080 },
  database: "sqlite:data",
  chains: { eth: { rpc: ["http://127.0.0.1:8545"], fromBlock: 0 } },
}

const chain = (more: object = {}) => ({ rpc: ["http://127.0.0.1:8545"], ...more })

const issuesOf = (input: unknown): ReadonlyArray<string> => {
  const decoded = Config.decode(input)
  return Result.isFailure(decoded) ? decoded.failure.issues : []
}

const invalid = (path: string, expected: string, received: string) =>
  `Invalid configuration "${path}": expected ${expected}, received ${received}.`

describe("Config.decode", () => {
  it("decode: fills in the defaults of the smallest configuration", () => {
    expect(Result.getOrThrow(Config.decode(smallest))).toEqual({
      ...smallest,
      chains: {
        eth: { rpc: ["http://127.0.0.1:8545"], fromBlock: 0, traces: "auto", allFrames: false, labels: {} },
      },
      documents: "zstd",
      trustedProxies: 0,
      empty: "string",
      maxLimit: 100,
      rateLimit: { perSecond: 25, burst: 50 },
      relay: { cacheMebibytes: 64 },
      log: { format: "text", access: false },
      mcp: "on",
      allowedHosts: [],
      limits: Schema.decodeUnknownSync(Limits)({}),
      allowedOrigins: ["*"],
    })
  })

  it("decode: fills in the missing half of a rate limit", () => {
    const { rateLimit } = Result.getOrThrow(Config.decode({ ...smallest, rateLimit: { perSecond: 3 } }))

    expect(rateLimit).toEqual({ perSecond: 3, burst: 50 })
  })

  it("decode: accepts a database with replicas, and defaults to none", () => {
    const databaseOf = (database: object) => Result.getOrThrow(Config.decode({ ...smallest, database })).database

    expect(databaseOf({ url: "postgres://a/b" })).toEqual({ url: "postgres://a/b", replicas: [] })
    expect(databaseOf({ url: "postgres://a/b", replicas: ["postgres://c/b"] })).toEqual({
      url: "postgres://a/b",
      replicas: ["postgres://c/b"],
    })
  })

  it("decode: reports every missing key", () => {
    expect(issuesOf({})).toEqual([
      invalid("listen", "a string or an object", "nothing"),
      invalid("database", "a string or an object", "nothing"),
      invalid("chains", "an object", "nothing"),
    ])
  })

  it("decode: reports every unknown key with the known ones", () => {
    const unknown = (path: string, keys: string) => invalid(path, `one of the keys ${keys}`, "an unknown key")

    const issues = issuesOf({ ...smallest, proxies: 1, listen: { ...smallest.listen, ip: "::" } })
    expect(issues.toSorted()).toEqual([
      unknown("listen.ip", "host, port"),
      // A message has fewer than 300 characters, so a longer list is cut in the middle.
      expect.stringMatching(
        /^Invalid configuration "proxies": expected one of the keys listen, monitoring, .*…[^…]*, docs, mcp, webhooks, allowedOrigins, received an unknown key\.$/,
      ),
    ])
    expect(issuesOf({ ...smallest, relay: { cache: 1 } })).toEqual([
      `${unknown("relay.cache", "cacheMebibytes")} Did you mean "cacheMebibytes"?`,
    ])
    expect(issuesOf({ ...smallest, chains: { "my chain": chain({ id: 5, url: "x" }) } })).toEqual([
      unknown("chains.my chain.url", Object.keys(ChainConfig.fields).join(", ")),
    ])
  })

  it.each([
    [16, []],
    [0, []],
    [17, [invalid("backfillThreads", "a value between 0 and 16", "17")]],
    [-1, [invalid("backfillThreads", "a value between 0 and 16", "-1")]],
  ])("decode: backfillThreads %d has the issues %j", (backfillThreads, issues) => {
    expect(issuesOf({ ...smallest, backfillThreads })).toEqual(issues)
  })

  it("decode: reports every invalid value with what was expected and received", () => {
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

    expect(issuesOf(input)).toEqual([
      invalid("listen.host", "a value with a length of at least 1", "an empty string"),
      invalid("listen.port", "a value between 0 and 65535", "70000"),
      invalid("database", "a string or an object", "5"),
      invalid("chains.eth.rpc", "at least 1 item", "an empty array"),
      invalid("chains.eth.fromBlock", "an integer", "1.5"),
      invalid("chains.eth.traces", '"auto" or "off"', '"on"'),
      invalid("chains.eth.pollMillis", "a value between 1 and 3600000", "0"),
      invalid(`chains.eth.labels.0x${"a".repeat(40)}`, "a string", "1"),
      invalid("empty", '"string" or "null"', '"nil"'),
      invalid("maxLimit", "a value between 1 and 1000", "0"),
      invalid("rateLimit.burst", "a value greater than or equal to 1", "-1"),
      invalid("relay.cacheMebibytes", "a value between 0 and 1048576", "-1"),
      invalid("allowedOrigins", "an array", '"*"'),
    ])
  })

  it.each([null, [], "text", 5])("decode: reports one issue for %j instead of an object", (whole) => {
    expect(issuesOf(whole)).toHaveLength(1)
  })

  it("decode: shows neither the URL of a node nor that of the database", () => {
    const canary = "CANARY0123"
    const inputs = [
      { ...smallest, database: { uri: canary } },
      { ...smallest, database: { url: canary, replicas: canary } },
      { ...smallest, database: { url: canary, replicas: [5, canary] } },
      { ...smallest, chains: { eth: { rpc: `https://node.example/${canary}` } } },
      { ...smallest, chains: { eth: { rpc: [`ftp://node.example/${canary}`, canary, { url: canary }] } } },
      { ...smallest, database: `postgres://user:${canary}@host/name`, chains: {} },
    ]

    for (const input of inputs) {
      expect(issuesOf(input).length).toBeGreaterThan(0)
      expect(issuesOf(input).join(" ")).not.toContain(canary)
    }
    expect(issuesOf(inputs[4])).toEqual([
      invalid("chains.eth.rpc[0]", "an http or https URL", "a value that is not shown"),
      invalid("chains.eth.rpc[1]", "an http or https URL", "a value that is not shown"),
      invalid("chains.eth.rpc[2].url", "an http or https URL", "a value that is not shown"),
    ])
  })

  describe("nodes with limits", () => {
    const url = "https://node.example/key"
    const decodeRpc = (rpc: ReadonlyArray<unknown>, environment: Readonly<Record<string, string>> = {}) =>
      Config.decode({ ...smallest, chains: { eth: { rpc } } }, environment)

    it("decode: accepts URLs, and URLs with limits and headers", () => {
      const limited = { url, perSecond: 0.5, concurrency: 4, maxBatchSize: 20, headers: { "x-team": "data" } }
      const decoded = Result.getOrThrow(decodeRpc([url, limited]))

      expect(decoded.chains["eth"]?.rpc).toEqual([url, limited])
    })

    it("decode: replaces environment variables in URLs and tokens, and never shows them", () => {
      const environment = { KEY: "canary0123", SECRET: "ab".repeat(32), TOKEN: "aa.bb.cc", HOST: "canary0123 host" }
      const rpc = ["https://node.example/${KEY}", { url: "${URL}", jwt: "${SECRET}" }]
      const decoded = Result.getOrThrow(decodeRpc(rpc, { ...environment, URL: "http://127.0.0.1:1/${KEY}" }))
      const failed = decodeRpc(["${KEY}", { url: "https://${HOST}/", jwt: "${KEY}" }, "${NONE}"], environment)

      expect(decoded.chains["eth"]?.rpc).toEqual([
        "https://node.example/canary0123",
        { url: "http://127.0.0.1:1/${KEY}", jwt: environment.SECRET },
      ])
      expect(Result.isSuccess(decodeRpc([{ url, jwt: "${TOKEN}" }], environment))).toBe(true)
      expect(Result.isFailure(failed) && failed.failure.issues).toEqual([
        invalid("chains.eth.rpc[2]", "the environment variable NONE to be set", "nothing"),
        invalid("chains.eth.rpc[0]", "an http or https URL", "a value that is not shown"),
        invalid("chains.eth.rpc[1].url", "an http or https URL", "a value that is not shown"),
        invalid(
          "chains.eth.rpc[1].jwt",
          "a token of three parts, or a secret of 32 bytes in hex",
          "a value that is not shown",
        ),
      ])
    })

    it("decode: replaces environment variables in the URLs of the database, and reports those that are not set", () => {
      const own = { ...smallest, database: "postgres://daybook:${PASSWORD}@${HOST}/daybook" }
      const decoded = Result.getOrThrow(Config.decode(own, { PASSWORD: "canary0123", HOST: "db" }))
      const failed = Config.decode(own, { PASSWORD: "canary0123" })

      const replicas = ["postgres://${HOST}/one", "postgres://${OTHER}/one"]
      const replicated = Config.decode(
        { ...smallest, database: { url: "postgres://db/one", replicas } },
        { HOST: "two" },
      )

      expect(decoded.database).toBe("postgres://daybook:canary0123@db/daybook")
      expect(Result.isFailure(replicated) && replicated.failure.issues).toEqual([
        invalid("database.replicas[1]", "the environment variable OTHER to be set", "nothing"),
      ])
      expect(Result.isFailure(failed) && failed.failure.issues).toEqual([
        invalid("database", "the environment variable HOST to be set", "nothing"),
      ])
    })

    it("decode: accepts the configuration of the deployment", () => {
      const text = readFileSync(new URL("../../../../deploy/daybook.json", import.meta.url), "utf8")
      const environment = { DATABASE_HOST: "db", DATABASE_PASSWORD: "secret", NODE_URL: "http://node:8545" }
      const { chains, database, trustedProxies } = Result.getOrThrow(Config.decode(JSON.parse(text), environment))

      expect(database).toBe("postgres://daybook:secret@db:5432/daybook")
      expect(chains["eth"]?.rpc).toEqual(["http://node:8545"])
      expect(trustedProxies).toBe(1)
    })

    it("decode: replaces environment variables in the values of headers", () => {
      const headers = { authorization: "Bearer ${NODE_JWT}", "x-two": "${ONE}-${TWO}", "x-plain": "$NODE_JWT" }
      const decoded = Result.getOrThrow(decodeRpc([{ url, headers }], { NODE_JWT: "secret", ONE: "1", TWO: "$&" }))

      expect(decoded.chains["eth"]?.rpc).toEqual([
        { url, headers: { authorization: "Bearer secret", "x-two": "1-$&", "x-plain": "$NODE_JWT" } },
      ])
    })

    it("decode: reports every unset variable, and shows no value of a set one", () => {
      const headers = { authorization: "Bearer ${CANARY} ${NODE_JWT}", "x-two": "${EMPTY}" }
      const decoded = decodeRpc([url, { url, headers }], { CANARY: "canary0123", EMPTY: "" })

      expect(Result.isFailure(decoded) && decoded.failure.issues).toEqual([
        invalid("chains.eth.rpc[1].headers.authorization", "the environment variable NODE_JWT to be set", "nothing"),
        invalid("chains.eth.rpc[1].headers.x-two", "the environment variable EMPTY to be set", "nothing"),
      ])
    })

    it("decode: reports invalid limits, and shows no header", () => {
      const decoded = decodeRpc([
        { url, perSecond: 0 },
        { url, concurrency: 1.5 },
        { url, maxBatchSize: 0 },
        { url, headers: { authorization: ["canary0123"] } },
        { url, rate: 5 },
        { perSecond: 5 },
        5,
      ])
      const issues = Result.isFailure(decoded) ? decoded.failure.issues : []

      expect(issues.join(" ")).not.toContain("canary0123")
      expect(issues.map((issue) => /"(.*?)"/.exec(issue)?.[1])).toEqual([
        "chains.eth.rpc[0].perSecond",
        "chains.eth.rpc[1].concurrency",
        "chains.eth.rpc[2].maxBatchSize",
        "chains.eth.rpc[3].headers.authorization",
        "chains.eth.rpc[4].rate",
        "chains.eth.rpc[5].url",
        "chains.eth.rpc[6]",
      ])
    })
  })

  it("decode: reports that WebSocket URLs are not supported", () => {
    expect(issuesOf({ ...smallest, chains: { eth: chain({ rpc: ["wss://node.example/secret"] }) } })).toEqual([
      invalid("chains.eth.rpc[0]", "an http or https URL (WebSocket is not supported)", "a value that is not shown"),
    ])
  })

  it.each([0, 5])("decode: rejects a start date beside the start block %j", (fromBlock) => {
    expect(issuesOf({ ...smallest, chains: { eth: chain({ fromBlock, fromDate: "2024-01-31" }) } })).toEqual([
      `Both "fromBlock" and "fromDate" are configured: "chains.eth". Give one of them.`,
    ])
  })

  it("decode: accepts a start date without a start block", () => {
    expect(issuesOf({ ...smallest, chains: { eth: chain({ fromDate: "2024-01-31" }) } })).toEqual([])
  })

  it("decode: accepts origins in the form that browsers send", () => {
    const of = (...allowedOrigins: ReadonlyArray<string>) => issuesOf({ ...smallest, allowedOrigins })

    expect(of()).toEqual([])
    expect(of("*")).toEqual([])
    expect(of("https://app.example:8443", "http://127.0.0.1:5173", "chrome-extension://abcdef")).toEqual([])
  })

  it.each([
    "x",
    "https://x/",
    "https://X",
    "https://x:443",
    "https://u@x",
    "null",
    "",
    "x.example",
    "*.x.example",
    "http://[::1]:80a",
  ])("decode: rejects the origin %j", (origin) => {
    expect(issuesOf({ ...smallest, allowedOrigins: [origin] })).toEqual([
      expect.stringMatching(/^Invalid configuration "allowedOrigins\[0\]": expected "\*" or an origin: /),
    ])
  })

  it("decode: names the origin of a URL that has a path", () => {
    expect(issuesOf({ ...smallest, allowedOrigins: ["*", "https://x/y"] })).toEqual([
      invalid(
        "allowedOrigins[1]",
        '"*" or an origin: scheme, host and optional port, without a path (here https://x)',
        '"https://x/y"',
      ),
    ])
  })

  it("decode: bounds the rows of a page and the poll interval", () => {
    expect(issuesOf({ ...smallest, maxLimit: 1000 })).toEqual([])
    expect(issuesOf({ ...smallest, maxLimit: 1e9 })).toEqual([
      invalid("maxLimit", "a value between 1 and 1000", "1000000000"),
    ])
    expect(issuesOf({ ...smallest, chains: { eth: chain({ pollMillis: 1e12 }) } })).toEqual([
      invalid("chains.eth.pollMillis", "a value between 1 and 3600000", "1000000000000"),
    ])
  })

  it("decode: truncates long values and keys, which may be secrets", () => {
    const secret = `0x${"0123456789abcdef".repeat(4)}`
    const reported = issuesOf({
      ...smallest,
      empty: secret,
      [secret]: 1,
      chains: { eth: chain({ watch: [secret], labels: { [secret]: "me" } }), [secret]: chain() },
    }).join(" ")
    const label = issuesOf({ ...smallest, chains: { eth: chain({ labels: { [secret]: "me" } }) } }).join(" ")
    const name = issuesOf({ ...smallest, chains: { [secret]: chain() } }).join(" ")

    expect(reported).toContain(`received "0x01234567…" (66 characters)`)
    expect(label).toContain(`"0x01234567…" (66 characters)`)
    for (const text of [reported, label, name]) expect(text).not.toContain(secret.slice(0, 20))
  })

  it("decode: rejects headers that no request can have, and does not show their values", () => {
    const node = { url: "http://127.0.0.1:8545", headers: { "x-key": "s3cret\n" } }
    const issues = issuesOf({
      ...smallest,
      chains: { eth: chain({ rpc: [{ ...node, headers: {} }, node] }) },
      otlp: { url: "http://127.0.0.1:4318", headers: { "x key": "s3cret" } },
    })

    expect(issues).toEqual([
      'Invalid configuration "chains.eth.rpc[1].headers.x-key": expected a value of Latin-1 characters on one line, received a value with other characters.',
      'Invalid configuration "otlp.headers.x key": expected a header name of letters, digits and hyphens, received a name with other characters.',
    ])
  })

  it.each(["bodySeconds", "pingSeconds", "writeSeconds", "drainSeconds"])(
    "decode: refuses a %s that no timer of the engine can wait for",
    (name) => {
      expect(issuesOf({ ...smallest, limits: { [name]: 3_000_000 } })).toEqual([
        `Invalid configuration "limits.${name}": expected a value between 1 and 1000000, received 3000000.`,
      ])
    },
  )

  it.each([
    [{ fromDate: "yesterday" }, /"chains\.eth\.fromDate": expected an ISO 8601 date .*, received "yesterday"\.$/],
    [{ fromDate: "2024-02-31" }, /"chains\.eth\.fromDate": expected an ISO 8601 date .*, received "2024-02-31"\.$/],
    [{ fromDate: "2024-13-31" }, /"chains\.eth\.fromDate": expected an ISO 8601 date .*, received "2024-13-31"\.$/],
    [{ watch: ["0x12"] }, /"chains\.eth\.watch\[0\]": expected an address: 0x and 40 hex digits, received "0x12"\.$/],
    [{ watch: [] }, /"chains\.eth\.watch": expected at least 1 item, received an empty array\.$/],
    [{ checks: "some" }, /"chains\.eth\.checks": expected "links" or "standard" or "full", received "some"\.$/],
    [
      { finalityBlocks: 0 },
      /"chains\.eth\.finalityBlocks": expected a value greater than or equal to 1, received 0\.$/,
    ],
  ])("decode: reports the invalid option %j of a chain", (options, expected) => {
    expect(issuesOf({ ...smallest, chains: { eth: chain(options) } })).toEqual([expect.stringMatching(expected)])
  })

  it("decode: preserves the options of a chain", () => {
    const options = {
      fromDate: "2024-01-31T12:00:00Z",
      watch: [`0x${"aB".repeat(20)}`],
      checks: "full",
      ethereumRules: false,
      finalityBlocks: 7,
    }
    const decoded = Result.getOrThrow(Config.decode({ ...smallest, chains: { eth: chain(options) } }))

    expect(decoded.chains["eth"]).toMatchObject(options)
  })
})
