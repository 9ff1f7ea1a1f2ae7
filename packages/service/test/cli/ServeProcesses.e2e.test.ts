import { execFileSync, spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { Agent, get } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Engine from "../../src/store/Engine.ts"
import * as ChainSchema from "../../src/store/sqlite/ChainSchema.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"
import { addKey, daybook, daybookProcess, main, timeout, withConfig } from "./daybook.ts"
import { freePort } from "@daybook/harness/FreePort"

/** Status of a request on a separate connection. */
const statusOf = (url: string, headers: Record<string, string> = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { headers, agent: new Agent({ keepAlive: false }) }, (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode ?? 0))
    }).on("error", reject)
  })

const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map(Number)
  } catch {
    return []
  }
}

/** Starts `serve --processes 2` and waits until both processes run; the process is killed when the scope ends. */
const serve = (base: string, role: "all" | "serve" = "serve") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [main, "serve", "--processes", "2", "--role", role], {
        cwd: base,
        stdio: ["ignore", "ignore", "pipe"],
      })
      const output = { text: "" }
      child.stderr.on("data", (chunk: Buffer) => (output.text += chunk.toString()))
      const ended = new Promise<number | null>((resolve) => void child.on("close", resolve))
      return { child, output, ended, pid: child.pid! }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL")),
  )

const eventually = (condition: () => boolean, what: string) =>
  Effect.promise(() => Eventually.until(condition, { what, withinMillis: timeout, everyMillis: 50 }))

const burst = 10

describe("daybook serve --processes", () => {
  it.live(
    "serve: shares one port and one rate limit between processes, restarts one that is killed, and stops all on SIGTERM",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(freePort)
        const url = `http://127.0.0.1:${port}`
        const base = yield* withConfig({
          listen: { host: "127.0.0.1", port },
          rateLimit: { perSecond: 1, burst },
        })
        const key = yield* addKey(base, "a")
        const { child, ended, output, pid } = yield* serve(base)
        const isReady = () => output.text.includes(`Listening on ${url}`) && childrenOf(pid).length === 2
        yield* eventually(isReady, "both processes run")

        const wallet = `${url}/api/v2.2/0x${"1".padStart(40, "0")}/verbose`
        const startedAt = performance.now()
        const statuses = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 3 * burst }, () => statusOf(wallet, { "x-api-key": key }))),
        )
        const refilled = Math.ceil((performance.now() - startedAt) / 1000)
        const limited = statuses.filter((status) => status === 429).length
        expect(limited).toBeLessThanOrEqual(2 * burst)
        expect(limited).toBeGreaterThanOrEqual(2 * burst - refilled)
        expect(yield* Effect.promise(() => statusOf(`${url}/metrics`))).toBe(200)

        const [killed] = childrenOf(pid)
        process.kill(killed!, "SIGSTOP")
        const requests = Array.from({ length: 4 }, () => statusOf(`${url}/health`).catch(() => 0))
        yield* Effect.promise(() => Promise.race(requests))
        process.kill(killed!, "SIGKILL")
        // That of the process ends, which it was handed and has not taken.
        expect(
          yield* Effect.timeout(
            Effect.promise(() => Promise.all(requests)),
            "30 seconds",
          ),
        ).toContain(200)
        yield* eventually(
          () => output.text.includes(`A serving process ended: SIGKILL (pid ${killed})`),
          "the end is reported",
        )
        expect(yield* Effect.promise(() => statusOf(`${url}/health`))).toBe(200)
        const isRestarted = () => childrenOf(pid).length === 2 && !childrenOf(pid).includes(killed!)
        yield* eventually(isRestarted, "another process is started")

        const children = childrenOf(pid)
        child.kill("SIGTERM")
        expect(yield* Effect.promise(() => ended)).toBe(0)
        for (const one of children) expect(() => process.kill(one, 0)).toThrow("ESRCH")
      }).pipe(Effect.scoped),
    2 * timeout,
  )

  it.live(
    "serve: a key has at most limits.eventStreams open streams in all processes together",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(freePort)
        const url = `http://127.0.0.1:${port}`
        const base = yield* withConfig({
          listen: { host: "127.0.0.1", port },
          limits: { eventStreams: 4, drainSeconds: 1 },
        })
        const key = yield* addKey(base, "a")
        const store = yield* TestStore.open(yield* Engine.fromUrl("sqlite:data", base), { name: "eth", id: 1 })
        yield* store.append(null, [Rows.block(0, [])])
        const { output, pid } = yield* serve(base)
        const isReady = () => output.text.includes(`Listening on ${url}`) && childrenOf(pid).length === 2
        yield* eventually(isReady, "both processes run")
        const events = `${url}/api/v2.2/0x${"1".padStart(40, "0")}/events?types=wallet.transaction`
        const open = new AbortController()
        const responses = yield* Effect.promise(() =>
          Promise.all(
            Array.from({ length: 16 }, () => fetch(events, { headers: { "x-api-key": key }, signal: open.signal })),
          ),
        )
        open.abort()
        const statuses = responses.map(({ status }) => status)

        expect(new Set(statuses)).toEqual(new Set([200, 429]))
        expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4)
      }).pipe(Effect.scoped),
    2 * timeout,
  )

  it.live(
    "serve: migrates a database of an earlier version before a process listens",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        mkdirSync(join(base, "data"), { mode: 0o700 })
        const database = new DatabaseSync(join(base, "data", "chain-eth.sqlite"))
        const { applicationId, firstVersion, steps } = ChainSchema.schema
        database.exec(`${steps[0]}; PRAGMA application_id=${applicationId}; PRAGMA user_version=${firstVersion}`)
        database.close()
        const { output } = yield* serve(base, "all")
        yield* eventually(() => output.text.includes("Listening on"), "the service listens")

        expect(output.text).toMatch(/Migrated in .*Listening on/s)
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "serve: reports a port that cannot be used once, and rejects a number of processes that is not one",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig({ listen: { host: "192.0.2.1", port: 8080 } })
        const [address, number, role] = yield* Effect.all(
          [
            daybookProcess(base, "serve", "--processes", "2"),
            daybook(base, "serve", "--processes", "65"),
            daybook(base, "serve", "--processes", "2", "--role", "index"),
          ],
          { concurrency: 3 },
        )

        expect([address.code, number.code, role.code]).toEqual([5, 2, 2])
        expect(address.err.match(/Cannot listen on 192\.0\.2\.1:8080/g)).toHaveLength(1)
        expect(number.err).toBe(
          'daybook: Invalid option "--processes": expected a whole number from 1 to 64, received "65".\n',
        )
        expect(role.err).toBe(
          'daybook: Invalid option "--processes": expected 1 for a role without HTTP, received 2.\n',
        )
      }),
    timeout,
  )
})
