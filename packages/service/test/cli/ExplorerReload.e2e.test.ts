/**
 * A real process that listens on an address that it does not recognise as this machine's, and receives an explorer
 * without keys.
 */
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { expect } from "vitest"
import { addKey, main, timeout, withConfig } from "./daybook.ts"

/** Starts `serve` in a folder; the end of the scope ends it. */
const serve = Effect.fnUntraced(function* (cwd: string) {
  let err = ""
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [main, "serve"], { cwd, stdio: ["ignore", "ignore", "pipe"] })),
    (one) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            one.on("close", () => resolve())
            one.kill("SIGTERM")
          }),
      ),
  )
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
  const printed = (text: string) => Effect.promise(() => Eventually.until(() => err.includes(text), { what: text }))
  yield* printed("Listening on http")
  return { printed, port: Number(/Listening on http:\S+:(\d+)/.exec(err)![1]), signal: () => child.kill("SIGHUP") }
})

/** What a program sends that pretends to be a page of this machine. */
const pretended = { host: "localhost", "sec-fetch-site": "same-origin" }

const send = (
  port: number,
  path: string,
  { body, headers }: { readonly body?: string; readonly headers: Readonly<Record<string, string>> },
) =>
  Effect.promise(
    () =>
      new Promise<number>((resolve, reject) => {
        const method = body === undefined ? "GET" : "POST"
        const sent = request({ host: "::ffff:127.0.0.1", port, path, method, headers, agent: false }, (response) => {
          response.resume()
          response.on("end", () => resolve(response.statusCode ?? 0))
        })
        sent.on("error", reject)
        sent.end(body)
      }),
  )

it.live(
  "serve: still requires a key on a public address after a reload that opens the explorer on a loopback address",
  () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make({ chainId: 1 })
      yield* Head.mine(node)
      const chains = { eth: { rpc: [node.url], pollMillis: 100 } }
      const base = yield* withConfig({ listen: "[::ffff:127.0.0.1]:0", chains })
      const key = yield* addKey(base, "a")
      const { port, printed, signal } = yield* serve(base)
      const wallet = `/api/v2.2/${node.accounts[0]}/verbose?chain=eth`
      const trace = `{"jsonrpc":"2.0","id":1,"method":"debug_traceBlockByNumber","params":["0x1",{}]}`
      const statuses = Effect.all([
        send(port, wallet, { headers: pretended }),
        send(port, "/rpc/eth", { headers: pretended, body: trace }),
      ])
      const withKey = send(port, wallet, { headers: { ...pretended, "x-api-key": key } })
      yield* Eventually.untilEffect(Effect.map(withKey, (status) => status === 200))
      const before = yield* statuses
      const file = join(base, "daybook.json")
      const config = JSON.parse(readFileSync(file, "utf8")) as object
      writeFileSync(file, JSON.stringify({ ...config, listen: "127.0.0.1:0", explorer: "open" }))
      signal()
      yield* printed("Takes effect after a restart of the service: explorer, listen")
      const after = yield* statuses

      expect(before).toEqual([401, 401])
      expect(after).toEqual([401, 401])
    }).pipe(Effect.scoped),
  timeout,
)
