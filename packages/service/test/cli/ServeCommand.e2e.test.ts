import { spawn } from "node:child_process"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { expect } from "vitest"
import * as CommandLine from "../../src/cli/CommandLine.ts"
import * as Terminal from "../../src/cli/Terminal.ts"
import { request } from "../server/service.ts"
import { addKey, canary, daybook, type Ended, main, timeout, withConfig } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

interface Running {
  readonly role: "all" | "serve"
  /** What standard error matches before the signal. */
  readonly pattern: RegExp
  readonly signal: NodeJS.Signals
  /** The configuration is changed before the signal. */
  readonly isReloaded?: boolean
}

/** A process that serves. */
interface Process {
  readonly signal: (signal: NodeJS.Signals) => void
  readonly text: () => string
}

/** Starts `serve`, runs `then` once standard error matches, and ends the process with a signal. */
const serve = (
  cwd: string,
  { pattern, role, signal }: Running,
  then: (found: RegExpExecArray, process: Process) => Promise<void>,
) =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve, reject) => {
        const args = [main, "serve", "--config", "daybook.json", "--role", role, "--log-level", "debug"]
        const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
        let out = ""
        let err = ""
        let isStarted = false
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr.on("data", (chunk: Buffer) => {
          err += chunk.toString()
          const found = pattern.exec(err)
          if (found === null || isStarted) return
          isStarted = true
          then(found, { signal: (one) => child.kill(one), text: () => err }).then(() => child.kill(signal), reject)
        })
        child.on("close", (code) => resolve({ code, out, err }))
      }),
  )

/** Runs `serve` in this process until `use` has ended; returns its output. */
const serveHere = Effect.fnUntraced(function* <A, E>(
  args: ReadonlyArray<string>,
  use: (url: string, printed: () => string) => Effect.Effect<A, E>,
) {
  let [out, err] = ["", ""]
  const output: Terminal.Output = {
    print: (line) => void (out += `${line}\n`),
    note: (line) => void (err += `${line}\n`),
  }
  yield* Effect.forkScoped(
    Effect.ignore(Effect.provideService(CommandLine.run(["serve", ...args]), Terminal.Output, output)),
  )
  const listening = () => /Listening on (\S+);/.exec(err)?.[1]
  yield* Effect.promise(() => Eventually.until(() => listening() !== undefined, { what: "the service listens" }))
  yield* use(listening()!, () => out)
  return { out, err }
}, Effect.scoped)

/** Has a process reload an invalid configuration, and then a valid one. */
const reload = async (base: string, { signal, text }: Process): Promise<void> => {
  const path = join(base, "daybook.json")
  const before = readFileSync(path, "utf8")
  const change = async (config: string, message: string) => {
    writeFileSync(path, config)
    signal("SIGHUP")
    await Eventually.until(() => text().includes(message), { what: message })
  }
  const invalid = `Configuration not reloaded: daybook.json:1: Invalid configuration "maxLimit": expected `
  await change(before.replace("{", '{"maxLimit":0,'), invalid)
  await change(before.replace("{", '{"maxLimit":7,'), "Configuration reloaded: maxLimit\n")
}

const failed = (err: string) => ({ code: 5, out: "", err })

describe("daybook serve", () => {
  it.live(
    "serve, status: report each issue of the configuration on its own line and exit with 3",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ maxLimit: 0, chains: { eth: { rpc: [canary] } } })
        const [missing, wrong, status] = yield* Effect.all(
          [daybook(base, "serve", "--config", "nothing.json"), daybook(base, "serve"), daybook(base, "status")],
          { concurrency: 3 },
        )

        expect(missing).toMatchObject({
          code: 3,
          out: "",
          err: expect.stringMatching(/^daybook: [^\n]*nothing\.json[^\n]*\n$/),
        })
        expect(wrong).toMatchObject({
          code: 3,
          out: "",
          err: expect.stringMatching(/^(daybook: daybook\.json:1: [^\n]*\n){2}$/),
        })
        expect(wrong.err).toContain('"chains.eth.rpc[0]"')
        expect(wrong.err).toContain('"maxLimit"')
        expect(wrong.err).not.toContain(canary)
        expect(status.code).toBe(3)
      }),
    timeout,
  )

  it.live(
    "serve: rejects an unknown command, role and database, and never prints the password of a database",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ database: `mysql://user:${canary}@host/name` })
        const [command, role, database] = yield* Effect.all(
          [daybook(base, "sevre"), daybook(base, "serve", "--role", "both"), daybook(base, "serve")],
          { concurrency: 3 },
        )

        expect([command.code, role.code, database.code]).toEqual([2, 2, 3])
        expect(command.err).toContain("sevre")
        expect(role.err).toContain("both")
        expect(database.err).toContain("PostgreSQL")
        expect(database.err).not.toContain(canary)
      }),
    timeout,
  )

  it.live(
    "serve: runs until SIGTERM or SIGINT, reloads at SIGHUP, exits 0, leaves whole files for their owner, and writes no key",
    () =>
      Effect.gen(function* () {
        // One of them indexes, and reports that it cannot reach its node.
        const running: ReadonlyArray<Running> = [
          { role: "all", pattern: /Listening on (http:\S+);[^]*eth: Could not connect/, signal: "SIGTERM" },
          { role: "serve", pattern: /Listening on (http:\S+);/, signal: "SIGINT" },
          { role: "serve", pattern: /Listening on (http:\S+);/, signal: "SIGTERM", isReloaded: true },
        ]
        const call = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`
        const run = Effect.fnUntraced(function* (one: Running) {
          const base = yield* withConfig()
          const key = yield* addKey(base, "a")
          const ended = yield* serve(base, one, async ([, url], process) => {
            if (one.isReloaded === true) await reload(base, process)
            const relay = await fetch(`${url}/rpc/eth/${key}`, { method: "POST", body: call })
            expect([relay.status, (await relay.text()).includes(canary)]).toEqual([503, false])
          })
          return { ...ended, base, key }
        })
        const ended = yield* Effect.forEach(running, run, { concurrency: 3 })
        const status = yield* daybook(ended[0]!.base, "status")

        for (const { base, code, err, key, out } of ended) {
          expect([code, out]).toEqual([0, ""])
          expect(err).toMatch(
            / DEBUG +eth: request method=POST route=\/rpc\/:chain\/:apiKey status=503 key=a bytes=\d+ millis=/,
          )
          expect(err.match(/ INFO +Stopping; /g)).toHaveLength(1)
          expect(err).not.toContain(canary)
          expect(err).not.toContain(key)
          const data = join(base, "data")
          expect((statSync(data).mode & 0o777).toString(8)).toBe("700")
          const files = readdirSync(data).map((name) => {
            const { mode, size } = statSync(join(data, name))
            return { name, mode, size }
          })
          expect(files.map(({ mode, name }) => [name, (mode & 0o777).toString(8)])).toEqual(
            files.map(({ name }) => [name, "600"]),
          )
          expect(files.filter(({ name, size }) => name.endsWith("-wal") && size > 0)).toEqual([])
          for (const line of err.trimEnd().split("\n")) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z [A-Z]+ +\S/)
        }
        expect([status.code, status.err]).toEqual([1, "daybook: Not ready: eth.\n"])
        expect(status.out).toMatch(
          /^eth: stopped, nothing indexed, head unknown, traces \w+\. [^\n]*127\.0\.0\.1:65535[^\n]*\n$/,
        )
      }),
    2 * timeout,
  )

  it.live(
    "serve: exits at once with code 1 on a second signal, even with a request in flight",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const code = yield* Effect.promise(
          () =>
            new Promise<number | null>((resolve) => {
              const child = spawn(process.execPath, [main, "serve", "--role", "serve"], {
                cwd: base,
                stdio: ["ignore", "ignore", "pipe"],
              })
              let err = ""
              let isOpen = false
              child.stderr.on("data", (chunk: Buffer) => {
                err += chunk.toString()
                const port = /Listening on http:\/\/127\.0\.0\.1:(\d+);/.exec(err)?.[1]
                if (port !== undefined && !isOpen) {
                  isOpen = true
                  const socket = connect(Number(port), "127.0.0.1", () => {
                    socket.write("GET /health HTTP/1.1\r\n", () => child.kill("SIGTERM"))
                  })
                  socket.on("error", () => socket.destroy())
                }
                if (/Stopping; /.test(err)) child.kill("SIGHUP")
              })
              child.on("close", resolve)
            }),
        )

        expect(code).toBe(1)
      }),
    timeout,
  )

  it.live(
    "serve: without a file, serves the chains of its flags from a separate database, and prints a key once",
    () =>
      Effect.gen(function* () {
        const args = ["--chain", `eth=http://127.0.0.1:65535/${canary}`, "--listen", "127.0.0.1:0", "--role", "rest"]
        const wallet = `api/v2.2/0x${"a".repeat(40)}/verbose`
        const first = yield* serveHere(args, (url, printed) =>
          Effect.gen(function* () {
            const answer = yield* request(`${url}/${wallet}`, { headers: { "x-api-key": printed().trim() } })
            // The key is accepted; no indexer has made the index.
            expect([answer.status, answer.json.code]).toEqual([503, "unavailable"])
            expect((yield* request(`${url}/${wallet}`)).status).toBe(401)
          }),
        )
        const second = yield* serveHere(args, () => Effect.void)
        const listed = yield* daybook(yield* temporaryFolder, "keys", "list")

        expect(first.out).toMatch(/^dbk_[\w-]{43}\n$/)
        expect(first.err).not.toContain(first.out.trim())
        expect(second.out).toBe("")
        expect(listed).toEqual({
          code: 0,
          out: expect.stringMatching(/^default {2}all chains {2}.+\n$/),
          err: expect.stringMatching(/^NAME +GRANT +LAST USED\n$/),
        })
        for (const { err } of [first, second]) expect(err).not.toContain(canary)
      }),
    timeout,
  )

  it.live(
    "serve: reports that its port is taken and exits with 5",
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

        expect(ended).toMatchObject(failed(expect.stringMatching(/^daybook: [^\n]*\n$/)))
        expect(ended.err).toContain(`127.0.0.1:${port}`)
        const after = yield* Effect.exit(Effect.timeout(request(`http://127.0.0.1:${port}/`), "1 second"))
        expect(after._tag).toBe("Failure")
      }),
    timeout,
  )
})
