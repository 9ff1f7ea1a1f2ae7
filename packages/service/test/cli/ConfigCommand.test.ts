import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { canary, daybook, timeout } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** A file whose keys are in lines 2 to 4. */
const file = (listen: string, database: string, chains: string, more = "") =>
  `{\n"listen": ${listen},\n"database": ${database},\n"chains": ${chains}${more}\n}`

const [listen, database] = [`"127.0.0.1:8080"`, `"sqlite:data"`]
const chain = (more: string) => `{ "eth": { "rpc": ["http://127.0.0.1:1"], ${more} } }`
const chains = chain(`"fromBlock": 0`)
const node = (url: string) => `{ "eth": { "rpc": [${url}] } }`
const more = (key: string) => file(listen, database, chains, `,\n${key}`)
const tlsFiles = Object.fromEntries(
  ["cert", "key"].map((kind) => [kind, join(import.meta.dirname, `../server/fixtures/localhost.${kind}.pem`)]),
)
const secret = "a value that is not shown"

/** Broken files, with the line, the key, the accepted and the received value. */
const broken: ReadonlyArray<readonly [text: string, line: number, key: string, expected: string, received: string]> = [
  [file("8080", database, chains), 2, "listen", "a string or an object", "8080"],
  [file(`"8080"`, database, chains), 2, "listen", "host:port, or unix: and a path", `"8080"`],
  [
    file(`"unix:~/daybook.sock"`, database, chains),
    2,
    "listen",
    'unix: and a path without "~", which only a shell expands',
    `"unix:~/daybook.sock"`,
  ],
  [file(`{ "host": "*", "port": 1 }`, database, chains), 2, "listen.host", "a name or an address", `"*"`],
  [file(`{ "host": "::" }`, database, chains), 2, "listen.port", "a number", "nothing"],
  [
    file(`{ "host": "::",\n "port": 65536 }`, database, chains),
    3,
    "listen.port",
    "a value between 0 and 65535",
    "65536",
  ],
  [file(listen, `"mysql://${canary}"`, chains), 3, "database", `"sqlite:" and a folder`, "a URL in another form"],
  [file(listen, `"sqlite://${canary}"`, chains), 3, "database", `"sqlite:" and a folder`, "a URL in another form"],
  [
    file(listen, `"postgres://u:${canary}/x@h/name"`, chains),
    3,
    "database",
    "a PostgreSQL URL",
    'a URL in another form; write "/" in a password as %2F',
  ],
  [
    file(listen, `"postgres://u:${canary}@/name?host=/run/postgresql"`, chains),
    3,
    "database",
    "a PostgreSQL URL",
    'a user without a host; write a socket as "user@%2Frun%2Fpostgresql/name"',
  ],
  [
    file(listen, `"postgres://u:/${canary}@h/name"`, chains),
    3,
    "database",
    "a PostgreSQL URL",
    'a database name with "/", "@" or ":"; write "/" in a password as %2F',
  ],
  [
    file(listen, `"postgres://u:${canary}%@h/name"`, chains),
    3,
    "database",
    "a PostgreSQL URL",
    'a "%" that is not written as %25',
  ],
  [
    file(listen, `"postgres://h/name?sslmode=${canary}"`, chains),
    3,
    "database",
    "a PostgreSQL URL",
    'an "sslmode" other than disable, allow, prefer, require, verify-ca, verify-full',
  ],
  [
    file(listen, `"postgres://h/name?ssl=${canary}"`, chains),
    3,
    "database",
    "a PostgreSQL URL",
    'a parameter that has no effect; write TLS as "sslmode=require"',
  ],
  [
    file(listen, `"postgres://h/name?sslcert=${canary}"`, chains),
    3,
    "database",
    "a PostgreSQL URL",
    '"sslcert" or "sslkey" without the other',
  ],
  [
    file(listen, `{ "url": "sqlite:data",\n"replicas": ["sqlite:${canary}"] }`, chains),
    4,
    "database.replicas[0]",
    "a replica of a PostgreSQL database",
    "another URL",
  ],
  [file(listen, `{ "uri": "x" }`, chains), 3, "database.uri", "one of the keys url, replicas", "an unknown key"],
  [file(listen, database, node(`"x"`).replace(/[[\]]/g, "")), 4, "chains.eth.rpc", "an array", secret],
  [file(listen, database, "[]"), 4, "chains", "an object", "an empty array"],
  [file(listen, database, node("")), 4, "chains.eth.rpc", "at least 1 item", "an empty array"],
  [file(listen, database, node(`"127.0.0.1/${canary}"`)), 4, "chains.eth.rpc[0]", "an http or https URL", secret],
  [
    file(listen, database, node(`\n"http://a",\n"wss://b"`)),
    6,
    "chains.eth.rpc[1]",
    "an http or https URL (WebSocket",
    secret,
  ],
  [
    file(listen, database, node('"${UNSET_4711}"')),
    4,
    "chains.eth.rpc[0]",
    "the environment variable UNSET_4711 to be set",
    "nothing",
  ],
  [
    file(listen, database, node('{ "url": "http://a", "jwt": "x" }')),
    4,
    "chains.eth.rpc[0].jwt",
    "a token of three parts",
    secret,
  ],
  [file(listen, database, chain(`\n"traces": "on"`)), 5, "chains.eth.traces", `"auto" or "off"`, `"on"`],
  [
    file(listen, database, chain(`"watch": ["0x1"]`)),
    4,
    "chains.eth.watch[0]",
    "an address: 0x and 40 hex digits",
    `"0x1"`,
  ],
  [file(listen, database, chain(`"fromDate": "soon"`)), 4, "chains.eth.fromDate", "an ISO 8601 date", `"soon"`],
  [more(`"maxLimit": 5000`), 5, "maxLimit", "a value between 1 and 1000", "5000"],
  [more(`"limits": {\n"pageBytes": "1 MB" }`), 6, "limits.pageBytes", "a number", `"1 MB"`],
  [
    more(`"limits": { "drainIdleMillis": 3000000000 }`),
    5,
    "limits.drainIdleMillis",
    "a value between 1 and 1000000000",
    "3000000000",
  ],
  [more(`"rateLimits": {}`), 5, "rateLimits", "one of the keys listen, monitoring", "an unknown key"],
  [
    more(`"allowedOrigins": ["https://a.example/"]`),
    5,
    "allowedOrigins[0]",
    `"*" or an origin`,
    `"https://a.example/"`,
  ],
  [
    more(`"allowedHosts": ["https://a.example"]`),
    5,
    "allowedHosts[0]",
    "a name without a scheme",
    `"https://a.example"`,
  ],
  [more(`"explorer": "open", "tls": { "cert": "c" }`), 5, "tls.key", "a string", "nothing"],
]

const sentences: ReadonlyArray<readonly [text: string, message: string]> = [
  [file(listen, database, "{}"), ':4: No chain is configured: "chains" is empty. Add one.'],
  [
    file(listen, database, `{\n"mine": { "rpc": ["http://a"] } }`),
    ':5: Unknown chain without an id: "chains.mine". Give its EIP-155 id as "id", or with --chain NAME:ID=URL.',
  ],
  [
    file(listen, database, chain(`"fromDate": "2024-01-31", "fromBlock": 0`)),
    ':4: Both "fromBlock" and "fromDate" are configured: "chains.eth". Give one of them.',
  ],
  [`{\n"listen": }`, ", line 2, column 11."],
]

const check = Effect.fnUntraced(function* (text: string, ...args: ReadonlyArray<string>) {
  const base = yield* temporaryFolder
  writeFileSync(join(base, "daybook.json"), text)
  return yield* daybook(base, "config", "check", ...args)
})

/** Files with an unknown key, and the intended key. */
const misspelt: ReadonlyArray<readonly [text: string, hint: string]> = [
  [more(`"databse": "sqlite:x"`), ' Did you mean "database"?'],
  [more(`"rateLimits": {}`), ' Did you mean "rateLimit"?'],
  [more(`"LISTEN": 1`), ' Did you mean "listen"?'],
  [file(listen, database, chain(`"fromblock": 1`)), ' Did you mean "fromBlock"?'],
  [file(listen, database, chain(`"finality": 1`)), ' Did you mean "finalityBlocks"?'],
  [more(`"tls": { "certificate": "x", "key": "y" }`), ' Did you mean "cert"?'],
  [more(`"labels": {}`), ' It is a key of a chain: write it in "chains.NAME".'],
  [file(listen, database, node(`"http://a"`).replace(/[[\]]/g, "")), ' Write ["http://127.0.0.1:8545"].'],
  [more(`"zebra": 1`), "received an unknown key."],
]

describe("daybook config check", () => {
  it.live.each(misspelt)("config check: of %j ends the line with %j", ([text, hint]) =>
    Effect.gen(function* () {
      const ended = yield* check(text)

      expect(ended.code).toBe(3)
      expect(ended.err.split("\n")[0]?.endsWith(hint)).toBe(true)
    }),
  )

  it.live.each(broken.filter(([, , key]) => key.startsWith("database")))(
    "config check: serve refuses %j with the same words and code",
    ([text]) =>
      Effect.gen(function* () {
        const checked = yield* check(text)
        const base = yield* temporaryFolder
        writeFileSync(join(base, "daybook.json"), text)

        expect(yield* daybook(base, "serve")).toEqual(checked)
      }),
    timeout,
  )

  it.live("config check: warns of an address that is reachable from other machines without TLS", () =>
    Effect.gen(function* () {
      const open = yield* check(file(`"0.0.0.0:8080"`, database, chains))
      const proxied = yield* check(file(`"0.0.0.0:8080"`, database, chains, `,\n"trustedProxies": 1`))
      const tls = yield* check(file(`"0.0.0.0:8080"`, database, chains, `,\n"tls": ${JSON.stringify(tlsFiles)}`))

      const valid = "daybook.json is valid: eth; listens on 0.0.0.0:8080\n"
      expect(open).toEqual({
        code: 0,
        out: `${valid}API keys are sent as plain text to 0.0.0.0:8080. Configure "tls", or a proxy with TLS and "trustedProxies".\n`,
        err: "",
      })
      expect([proxied.out, tls.out]).toEqual([valid, valid])
    }),
  )

  it.effect("config check: warns of a certificate that clients refuse", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2020, 0))
      const { code, out } = yield* check(more(`"tls": ${JSON.stringify(tlsFiles)}`))

      expect([code, out.split("\n")[1]]).toEqual([
        0,
        'The certificate of "tls" is not valid before 2026-11-23T08:01:07.000Z: clients reject it',
      ])
    }),
  )

  it.live("config check: names each file of the configuration that the service could not use", () =>
    Effect.gen(function* () {
      const ended = yield* check(
        more(`"signatures": "none",\n"signingKey": "no.key",\n"tls": { "cert": "c", "key": "k" }`),
      )

      expect(ended).toMatchObject({ code: 3, out: "" })
      expect(ended.err.trim().split("\n")).toEqual([
        expect.stringMatching(/Cannot read the signatures: .*none /),
        expect.stringMatching(/Invalid configuration "signingKey": /),
        expect.stringMatching(/Cannot use the certificate of "tls": .* \(ENOENT\)/),
      ])
    }),
  )

  it.live("config check: reads the certificates that the URL of a database names", () =>
    Effect.gen(function* () {
      const checkWith = (parameters: string) => check(file(listen, `"postgres://h/name?${parameters}"`, chains))
      const missing = yield* checkWith("sslrootcert=none.pem&sslmode=require")
      const own = yield* checkWith(`sslrootcert=${tlsFiles.cert}&sslcert=${tlsFiles.cert}&sslkey=${tlsFiles.key}`)
      const swapped = yield* checkWith(`sslcert=${tlsFiles.key}&sslkey=${tlsFiles.cert}`)

      expect([missing.code, own.code, swapped.code]).toEqual([3, 0, 3])
      expect(missing.err).toMatch(
        /Cannot use the certificates of "database": "none\.pem" \(ENOENT\)\. Give the certificates/,
      )
      expect(swapped.err).toMatch(/Cannot use the certificates of "database": .* \(ERR_\w+\)\. Give the certificates/)
    }),
  )

  it.live("config check: names paths that no socket and no database can have", () =>
    Effect.gen(function* () {
      const ended = yield* check(
        file(`"unix:${"x".repeat(108)}"`, `"sqlite:daybook.json/data"`, chains, `,\n"monitoring": "unix:daybook.json"`),
      )

      expect(ended).toMatchObject({ code: 3, out: "" })
      expect(ended.err.trim().split("\n")).toEqual([
        expect.stringMatching(
          /Cannot listen on unix:\/.*: the path of a socket has at most \d+ bytes, and this one has \d+\./,
        ),
        expect.stringMatching(/Cannot listen on unix:\/.*\/daybook\.json: a file that is not a socket is there\./),
        expect.stringMatching(
          /Invalid configuration "database": expected a folder, received the file \/.*\/daybook\.json\./,
        ),
      ])
    }),
  )

  it.live("config check: names a webhook key that the service would reject, and creates none", () =>
    Effect.gen(function* () {
      const base = yield* temporaryFolder
      writeFileSync(join(base, "daybook.json"), more(`"webhooks": {}`))
      const checked = daybook(base, "config", "check")
      const absent = yield* checked
      const isMade = existsSync(join(base, "data"))
      mkdirSync(join(base, "data"))
      writeFileSync(join(base, "data", "webhooks.key"), `${"k".repeat(43)}\n`, { mode: 0o644 })
      const readable = yield* checked

      expect([absent.code, isMade, readable.code]).toEqual([0, false, 3])
      expect(readable.err).toMatch(/"webhooks\.key": .*webhooks\.key is readable by others\./)
    }),
  )

  it.live.each(broken)("config check: of %j names line %d and %s", ([text, line, key, expected, received]) =>
    Effect.gen(function* () {
      const ended = yield* check(text)

      const head = `daybook: daybook.json:${line}: Invalid configuration "${key}": expected ${expected}`
      expect(ended).toMatchObject({ code: 3, out: "" })
      expect(ended.err.slice(0, head.length)).toBe(head)
      expect(ended.err.split("\n")[0]).toContain(`, received ${received}.`)
      expect(ended.err).not.toContain(canary)
    }),
  )

  it.live.each(sentences)("config check: of %j prints %j", ([text, message]) =>
    Effect.gen(function* () {
      const ended = yield* check(text)

      expect(ended.code).toBe(3)
      expect(ended.err.endsWith(`${message}\n`)).toBe(true)
    }),
  )

  it.live("config check: prints each of several issues in a line, and accepts a valid file", () =>
    Effect.gen(function* () {
      const wrong = yield* check(file("1", "2", "3"))
      const valid = yield* check(file(listen, database, chains))

      expect(wrong.err.match(/^daybook: daybook\.json:[234]: Invalid configuration /gm)).toHaveLength(3)
      expect(valid).toEqual({ code: 0, out: "daybook.json is valid: eth; listens on 127.0.0.1:8080\n", err: "" })
    }),
  )

  it.live("config check: prints the issues of chains beside those of other keys and of combinations of keys", () =>
    Effect.gen(function* () {
      const named = `{ "mine": { "rpc": ["http://a"] }, "eth": { "rpc": ["http://a"], "fromBlock": 1, "fromDate": "2024-01-31" } }`
      const unknownChain = expect.stringMatching(
        /^daybook: daybook\.json:4: Unknown chain without an id: "chains\.mine"/,
      )
      const wrongKey = yield* check(file(listen, database, named, `,\n"maxLimit": 5000`))
      const wrongExplorer = yield* check(file(`"0.0.0.0:1"`, database, named, `,\n"explorer": "open"`))

      expect(wrongKey.err.trim().split("\n")).toEqual([
        expect.stringMatching(/^daybook: daybook\.json:5: Invalid configuration "maxLimit"/),
        unknownChain,
        expect.stringMatching(/Both "fromBlock" and "fromDate" are configured: "chains\.eth"/),
      ])
      expect(wrongExplorer.err.trim().split("\n")).toEqual([
        expect.stringMatching(/^daybook: daybook\.json:5: Invalid configuration "explorer"/),
        expect.stringMatching(/Both "fromBlock" and "fromDate" are configured: "chains\.eth"/),
        unknownChain,
      ])
    }),
  )

  it.live(
    "config check: flags override keys of the file, and are named if their value is wrong",
    () =>
      Effect.gen(function* () {
        const text = file(listen, `"\${NOT_SET_EITHER}"`, node(`"http://127.0.0.1:1"`))
        const flags = ["--listen", "[::1]:1", "--database", "sqlite:other", "--chain", "base=http://127.0.0.1:2"]
        const replaced = yield* check(text, ...flags)
        const wrong = yield* check(file(listen, database, chains), "--listen", "1", "--chain", `eth=ftp://${canary}`)
        const nameless = yield* check(text, "--chain", "http://127.0.0.1:8545")
        const unknown = yield* check(file(listen, database, chains), "--chain", "moon=http://127.0.0.1:1")
        const conflicting = yield* check(file(listen, database, chains), "--chain", "eth:5=http://127.0.0.1:1")

        expect(replaced).toEqual({ code: 0, out: "daybook.json is valid: eth, base; listens on [::1]:1\n", err: "" })
        expect(wrong.err.split("\n")).toEqual([
          expect.stringMatching(/^daybook: --listen: Invalid configuration "listen": expected host:port, /),
          `daybook: --chain: Invalid configuration "chains.eth.rpc[0]": expected an http or https URL, received ${secret}.`,
          "",
        ])
        expect(nameless).toMatchObject({ code: 2, err: expect.stringContaining('Invalid option "--chain"') })
        expect(unknown.err).toMatch(/^daybook: --chain: Unknown chain without an id: "chains\.moon"\. /)
        expect(conflicting.err).toMatch(/^daybook: --chain: The id 5 conflicts with the id 1 of eth: "chains\.eth"\. /)
      }),
    timeout,
  )

  it.live("config check: needs no file if flags name a chain", () =>
    Effect.gen(function* () {
      const empty = yield* temporaryFolder
      const without = yield* daybook(empty, "config", "check")
      const named = yield* daybook(empty, "config", "check", "--chain", "eth=http://127.0.0.1:1")
      const missing = yield* daybook(
        empty,
        "config",
        "check",
        "--chain",
        "eth=http://127.0.0.1:1",
        "--config",
        "a.json",
      )

      expect(without).toMatchObject({
        code: 3,
        err: expect.stringContaining(
          "daybook.json (no such file). Create it, or name a chain and its node with --chain",
        ),
      })
      expect(named).toEqual({ code: 0, out: "The configuration is valid: eth; listens on 127.0.0.1:8080\n", err: "" })
      expect(missing).toMatchObject({ code: 3, err: expect.stringContaining("a.json (no such file)") })
    }),
  )
})
