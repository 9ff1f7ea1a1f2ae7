import { spawn, spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { folder, request } from "./server/service.ts"

const main = join(import.meta.dirname, "../src/main.ts")

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command line to its end. */
const runAs = (user: { readonly uid?: number; readonly gid?: number }, cwd: string, args: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve) => {
        const child = spawn(process.execPath, [main, ...args], { ...user, cwd, stdio: ["ignore", "pipe", "pipe"] })
        let out = ""
        let err = ""
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
        child.on("close", (code) => resolve({ code, out, err }))
      }),
  )

const daybook = (cwd: string, ...args: ReadonlyArray<string>) => runAs({}, cwd, args)

/** The same as a user to whom no file belongs; root may write whatever its mode. */
const nobody = (cwd: string, ...args: ReadonlyArray<string>) => runAs({ uid: 65_534, gid: 65_534 }, cwd, args)

const isNobodyAble =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [main, "--version"], { uid: 65_534, gid: 65_534, cwd: "/" }).status === 0

/** Runs `serve` until it says something, then stops it by a signal. */
const serve = (cwd: string, words: RegExp, signal: NodeJS.Signals, then: (found: RegExpExecArray) => Promise<void>) =>
  Effect.promise(
    () =>
      new Promise<Ended & { readonly millis: number }>((resolve, reject) => {
        const args = [main, "serve", "--config", "daybook.json", "--log-level", "debug"]
        const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
        let out = ""
        let err = ""
        let stoppedAt = 0
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr.on("data", (chunk: Buffer) => {
          err += chunk.toString()
          const found = words.exec(err)
          if (found === null || stoppedAt > 0) return
          stoppedAt = performance.now()
          then(found).then(() => {
            stoppedAt = performance.now()
            child.kill(signal)
          }, reject)
        })
        child.on("close", (code) => resolve({ code, out, err, millis: performance.now() - stoppedAt }))
      }),
  )

const canary = "CANARY0123456789"

const withConfig = Effect.fnUntraced(function* (more: object = {}) {
  const base = yield* folder
  const chains = { eth: { rpc: [`http://127.0.0.1:65535/${canary}`] } }
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains, ...more }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
  return base
})

const seconds = 1000

describe("daybook", () => {
  it.live(
    "keys add prints the key and nothing else on standard output, and stores only a hash of it",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const first = yield* daybook("/", "keys", "add", "alice", "--config", join(base, "daybook.json"))
        const [second, taken] = yield* Effect.all(
          [
            daybook(base, "keys", "add", "bob", "--operator", "--empty", "null", "--config", "daybook.json"),
            daybook(base, "keys", "add", "alice", "--config", "daybook.json"),
          ],
          { concurrency: 2 },
        )
        const listed = yield* daybook(base, "keys", "list", "--config", "daybook.json")

        expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^dbk_[\w-]{43}\n$/) })
        expect(first.err).toBe(`The key of "alice" follows. It is shown this once: only its hash is stored.\n`)
        expect(second.code).toBe(0)
        expect(taken).toEqual({
          code: 1,
          out: "",
          err: `daybook: There is a key named "alice" already: take another name.\n`,
        })
        expect(listed).toEqual({ code: 0, out: "alice\nbob\toperator\tempty null\n", err: "" })
        const gone = yield* daybook(base, "keys", "revoke", "bob")
        const [again, nameless] = yield* Effect.all(
          [daybook(base, "keys", "revoke", "bob"), daybook(base, "keys", "add", " ")],
          { concurrency: 2 },
        )
        expect([gone.code, again.code, nameless.code, nameless.out]).toEqual([0, 1, 1, ""])
        expect(again.err).toBe(`daybook: There is no key named "bob"; "daybook keys list" names them.\n`)
        expect(nameless.err).toContain("The name of a key is empty")
        const files = readdirSync(join(base, "data")).map((name) => readFileSync(join(base, "data", name), "latin1"))
        expect(files.length).toBeGreaterThan(0)
        for (const file of files) expect(file).not.toContain(first.out.trim())
      }),
    20 * seconds,
  )

  it.live(
    "says in one line what is wrong with its configuration, and exits 1",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ maxLimit: 0, chains: { eth: { rpc: [canary] } } })
        const [missing, wrong, empty] = yield* Effect.all(
          [
            daybook(base, "serve", "--config", "nothing.json"),
            daybook(base, "serve", "--config", "daybook.json"),
            daybook(base, "status"),
          ],
          { concurrency: 3 },
        )

        expect(missing).toEqual({
          code: 1,
          out: "",
          err: "daybook: The configuration cannot be used: nothing.json: there is no such file.\n",
        })
        expect(wrong).toEqual({
          code: 1,
          out: "",
          err: `daybook: The configuration cannot be used: "chains.eth.rpc[0]": accepted: an http or https URL. "maxLimit" is 0; accepted: a value between 1 and 1000.\n`,
        })
        expect(empty.code).toBe(1)
      }),
    20 * seconds,
  )

  it.live(
    "refuses a command, a role and a database that it does not know",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ database: `postgres://user:${canary}@host/name` })
        const [command, role, database] = yield* Effect.all(
          [daybook(base, "sevre"), daybook(base, "serve", "--role", "both"), daybook(base, "serve")],
          { concurrency: 3 },
        )

        expect([command.code, role.code, database.code]).toEqual([1, 1, 1])
        expect(command.err).toContain("sevre")
        expect(role.err).toContain("both")
        expect(database.err).toContain("SQLite")
        expect(database.err).not.toContain(canary)
      }),
    20 * seconds,
  )

  it.live.skipIf(!isNobodyAble)(
    "lists keys that it may only read, and says which path it may not write, and why",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* daybook(base, "keys", "add", "alice")
        const data = join(base, "data")
        for (const [path, mode] of [
          [base, 0o755],
          [data, 0o555],
          [join(data, "daybook.sqlite"), 0o444],
        ] as const) {
          chmodSync(path, mode)
        }
        const [listed, added] = yield* Effect.all([nobody(base, "keys", "list"), nobody(base, "keys", "add", "bob")], {
          concurrency: 2,
        })

        expect(listed).toEqual({ code: 0, out: "alice\n", err: "" })
        expect(added).toEqual({
          code: 1,
          out: "",
          err: `daybook: The database ${data}/daybook.sqlite cannot be written (EACCES, permission denied).\n`,
        })
      }),
    20 * seconds,
  )

  it.live(
    "says which file of its own stands where another belongs",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* daybook(base, "keys", "add", "alice")
        copyFileSync(join(base, "data/daybook.sqlite"), join(base, "data/chain-eth.sqlite"))

        const ended = yield* daybook(base, "status")

        expect(ended.code).toBe(1)
        expect(ended.out).toBe(
          "eth: unreadable, nothing indexed, head unknown, traces unknown. The database chain-eth.sqlite is another file of Daybook: it holds the API keys, not the index of a chain. Give the files their own names back.\n",
        )
      }),
    20 * seconds,
  )

  it.live(
    "reindex removes nothing until it is told from where",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const two = yield* withConfig({
          chains: { eth: { rpc: ["http://127.0.0.1:65535"] }, "my chain": { id: 5, rpc: ["http://127.0.0.1:65535"] } },
        })
        const wrong = yield* Effect.all(
          [daybook(base, "reindex", "--from", "-5"), daybook(base, "verify", "--from=-5")],
          { concurrency: 2 },
        )
        const [several, named, every] = yield* Effect.all(
          [
            daybook(two, "reindex", "--all"),
            daybook(two, "reindex", "--all", "--chain", "my-chain"),
            daybook(two, "reindex", "--from", "7", "--all-chains"),
          ],
          { concurrency: 2 },
        )
        const [bare, both, all] = yield* Effect.all(
          [
            daybook(base, "reindex"),
            daybook(base, "reindex", "--all", "--from", "3"),
            daybook(base, "reindex", "--all", "--chain", "eth"),
          ],
          { concurrency: 2 },
        )

        expect(bare).toEqual({
          code: 1,
          out: "",
          err: 'daybook: Nothing is removed: say "--from N" for the blocks from N on, or "--all" for the whole index.\n',
        })
        for (const ended of wrong) {
          expect(ended).toMatchObject({ code: 1, out: "" })
          expect(ended.err).toMatch(
            /^daybook: Nothing is (removed|verified): "--from" is ".*; accepted: a block number in decimal digits, 0 or more and at most 9007199254740991\.\n$/,
          )
        }
        expect(several).toEqual({
          code: 1,
          out: "",
          err: 'daybook: Nothing is removed: the configuration has several chains (eth, my chain): say which with "--chain NAME", or "--all-chains".\n',
        })
        expect([named.code, named.out.split("\n").length, named.out]).toEqual([
          0,
          2,
          expect.stringMatching(/^my chain: 0 blocks removed/),
        ])
        expect([every.code, every.out.match(/^(eth|my chain): 0 blocks/gm)?.length]).toEqual([0, 2])
        expect(both).toMatchObject({ code: 1, out: "", err: expect.stringContaining("give one of them") })
        expect(all).toMatchObject({ code: 0, out: expect.stringContaining("eth: 0 blocks removed") })
      }),
    60 * seconds,
  )

  it.live(
    "serves until SIGTERM or SIGINT, exits 0 soon after, and writes no key",
    () =>
      Effect.gen(function* () {
        const listening = /Listening on (http:\S+);[^]*eth: Could not connect/
        const call = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`
        const run = Effect.fnUntraced(function* (signal: NodeJS.Signals) {
          const base = yield* withConfig()
          const key = (yield* daybook(base, "keys", "add", "a", "--config", "daybook.json")).out.trim()
          const ended = yield* serve(base, listening, signal, async ([, url]) => {
            const relay = await fetch(`${url}/rpc/eth/${key}`, { method: "POST", body: call })
            expect([relay.status, (await relay.text()).includes(canary)]).toEqual([503, false])
          })
          return { ...ended, base, key }
        })
        const ended = yield* Effect.forEach(["SIGTERM", "SIGINT"] as const, run, { concurrency: 2 })
        const status = yield* daybook(ended[0].base, "status")

        for (const { code, err, key, millis, out } of ended) {
          expect([code, out]).toEqual([0, ""])
          expect(millis).toBeLessThan(5_000)
          expect(err).toMatch(/ DEBUG +POST \/rpc\/:chain\/:apiKey 503 \d+ ms [0-9a-f-]{36}\n/)
          expect(err.match(/ INFO +Stopping: /g)).toHaveLength(1)
          expect(err).not.toContain(canary)
          expect(err).not.toContain(key)
          for (const line of err.trimEnd().split("\n")) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z [A-Z]+ +\S/)
        }
        expect([status.code, status.err]).toEqual([1, "daybook: Not ready: eth.\n"])
        expect(status.out).toMatch(
          /^eth: stopped, nothing indexed, head unknown, traces \w+\. The indexer was stopped; "daybook serve" goes on\. Before that: Could not connect to 127\.0\.0\.1:65535.*\n$/,
        )
      }),
    30 * seconds,
  )

  it.live(
    "says in one line that its port is taken, and exits 1",
    () =>
      Effect.gen(function* () {
        const server = createServer()
        const port = yield* Effect.promise(
          () =>
            new Promise<number>((resolve) => {
              server.listen(0, "127.0.0.1", () => {
                const address = server.address()
                resolve(typeof address === "object" && address !== null ? address.port : 0)
              })
            }),
        )
        const base = yield* withConfig({ listen: { host: "127.0.0.1", port } })

        const ended = yield* daybook(base, "serve")
        server.close()

        expect(ended).toEqual({
          code: 1,
          out: "",
          err: `daybook: Cannot listen on 127.0.0.1:${port}: another program does. Stop it, or change "listen" in the configuration.\n`,
        })
        expect((yield* Effect.exit(Effect.timeout(request(`http://127.0.0.1:${port}/`), "1 second")))._tag).toBe(
          "Failure",
        )
      }),
    20 * seconds,
  )
})
