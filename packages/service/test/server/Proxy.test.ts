/** The shipped proxy configuration, with a real HAProxy in front of a service; skipped if HAProxy is missing. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { Eventually } from "@daybook/harness"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { start } from "./service.ts"
import { freePort } from "@daybook/harness/FreePort"

const haproxy = process.env["HAPROXY"] ?? "/usr/sbin/haproxy"
const isThere = existsSync(haproxy)
if (!isThere)
  console.warn(
    `The tests of deploy/haproxy.cfg are skipped: ${haproxy} is missing (Debian package haproxy, or HAPROXY).`,
  )

const file = join(import.meta.dirname, "../../../../deploy/haproxy.cfg")

/** Status and body of a GET whose path is sent unchanged. */
const responseTo = (port: number, path: string) =>
  Effect.promise(
    () =>
      new Promise<readonly [status: number, body: string]>((resolve) => {
        const sent = httpRequest({ host: "127.0.0.1", port, path, headers: { host: "localhost" } }, (response) => {
          let body = ""
          response.on("data", (chunk: Buffer) => (body += chunk.toString()))
          response.on("end", () => resolve([response.statusCode ?? 0, body]))
        })
        sent.on("error", () => resolve([0, ""])).end()
      }),
  )

const statusOf = (port: number, path: string) => Effect.map(responseTo(port, path), ([status]) => status)

/** Starts HAProxy in front of a service, with the shipped configuration and changes to it; returns its port. */
const proxied = Effect.fnUntraced(function* (service: string, change: (text: string) => string = (text) => text) {
  const [port, metrics] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
  const changed = join(yield* temporaryFolder, "haproxy.cfg")
  writeFileSync(changed, change(readFileSync(file, "utf8")))
  const env = {
    ...process.env,
    DAYBOOK_BIND: `127.0.0.1:${port}`,
    DAYBOOK_METRICS: `127.0.0.1:${metrics}`,
    DAYBOOK_SERVE_1: service,
    DAYBOOK_SERVE_2: service,
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(haproxy, ["-db", "-f", changed], { env, stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill("SIGKILL")),
  )
  const health = statusOf(port, "/health")
  yield* Effect.promise(() =>
    Eventually.until(async () => (await Effect.runPromise(health)) === 200, { what: "HAProxy and the service" }),
  )
  return port
})

const encodedPaths = ["/%6detrics", "/metric%73", "/%6Detrics?x=1", "/%2e/metrics", "/metrics%2D", "/rpc/%65th/key"]

describe("encoded paths", () => {
  it.live("the service rejects needlessly encoded characters, and reads others and the query unchanged", () =>
    Effect.gen(function* () {
      const { fetch, url } = yield* start()
      const port = Number(new URL(url).port)

      expect(yield* Effect.forEach(encodedPaths, (path) => statusOf(port, path))).toEqual(encodedPaths.map(() => 400))
      expect(yield* statusOf(port, "/metrics?%6d=1")).toBe(200)
      expect(yield* statusOf(port, "/health?x=%6d")).toBe(200)
      expect(yield* statusOf(port, "/a%20b")).toBe(404)
      const { json } = yield* fetch("/%6detrics")
      expect(json.message).toBe(
        'Invalid request "path": expected unencoded letters, digits and -._~, received one that is percent-encoded.',
      )
    }).pipe(Effect.scoped),
  )

  it.live.skipIf(!isThere)(
    "the shipped HAProxy configuration hides the metrics, whatever part of their path is encoded",
    () =>
      Effect.gen(function* () {
        const { url } = yield* start({ config: { trustedProxies: 1 } })
        const port = yield* proxied(new URL(url).host)

        expect(yield* Effect.forEach(encodedPaths, (path) => statusOf(port, path))).toEqual(encodedPaths.map(() => 400))
        const [status, body] = yield* responseTo(port, "/metrics")
        expect([status, JSON.parse(body)]).toEqual([
          404,
          { code: "not_found", message: "Path not found.", requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        ])
        expect(yield* statusOf(port, "/health?x=%6d")).toBe(200)
      }).pipe(Effect.scoped),
  )
})

describe("WebSockets", () => {
  it.live.skipIf(!isThere)("the shipped HAProxy configuration keeps a WebSocket open that is idle for long", () =>
    Effect.gen(function* () {
      const { key, url } = yield* start({ config: { trustedProxies: 1 } })
      const port = yield* proxied(new URL(url).host, (text) =>
        text.replaceAll(/^( +timeout (?:client|server)) \d+s$/gm, "$1 1s"),
      )
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => new WebSocket(`ws://127.0.0.1:${port}/rpc/eth/${key}`)),
        (own) => Effect.sync(() => own.close()),
      )
      const closed = new Promise<string>((resolve) => socket.addEventListener("close", () => resolve("closed")))
      yield* Effect.promise(() => new Promise((resolve) => socket.addEventListener("open", resolve)))

      expect(
        yield* Effect.raceFirst(
          Effect.promise(() => closed),
          Effect.as(Effect.sleep(1_500), "open"),
        ),
      ).toBe("open")
    }).pipe(Effect.scoped),
  )
})
