import { spawn } from "node:child_process"
import { chmodSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as TestStore from "../store/TestStore.ts"
import { addKey, canSwitchUser, main, runAs, timeout, unprivileged, withConfig } from "./daybook.ts"
import * as Rows from "../server/rows.ts"

/** Serves a folder as a user without write access, and requests a page and readiness once. */
const serveReadOnly = (cwd: string, key: string, role = "serve") =>
  Effect.promise(
    () =>
      new Promise<ReadonlyArray<unknown>>((resolve, reject) => {
        const args = [main, "serve", "--role", role]
        const child = spawn(process.execPath, args, { ...unprivileged, cwd, stdio: ["ignore", "ignore", "pipe"] })
        let err = ""
        let isAsked = false
        const ask = async (url: string) => {
          const headers = { "x-api-key": key }
          const page = await fetch(`${url}/api/v2.2/${Rows.alice}/verbose`, { headers })
          const ready = await fetch(`${url}/ready`)
          return [
            page.status,
            ((await page.json()) as { result?: ReadonlyArray<unknown> }).result?.length,
            ready.status,
            ((await ready.json()) as { chains: ReadonlyArray<{ state: string; message: string }> }).chains[0],
          ]
        }
        child.stderr.on("data", (chunk: Buffer) => {
          err += chunk.toString()
          const [, url] = /Listening on (http:\S+);/.exec(err) ?? []
          if (url === undefined || isAsked) return
          isAsked = true
          ask(url)
            .then(resolve, reject)
            .finally(() => child.kill("SIGTERM"))
        })
        child.on("close", () => reject(new Error(err)))
      }),
  )

describe("daybook serve on a read-only file system", () => {
  it.live.skipIf(!canSwitchUser)(
    "serve and status: report a database that the indexer cannot write",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const key = yield* addKey(base, "alice")
        const data = join(base, "data")
        const stopped = { state: "stopped", traces: null, nodeHead: null, message: "Blocks were removed." } as const
        yield* Effect.scoped(
          Effect.flatMap(TestStore.inFolder(data, { name: "eth", id: 1 }), (store) =>
            Effect.andThen(store.append(null, Rows.chain(2, 8)), store.writeStatus(stopped)),
          ),
        )
        for (const name of readdirSync(data)) chmodSync(join(data, name), 0o444)
        chmodSync(base, 0o755)
        chmodSync(data, 0o555)

        const [, , , ready] = yield* serveReadOnly(base, key, "all")
        const printed = yield* runAs(unprivileged, base, ["status"])

        expect(ready).toMatchObject({ state: "misconfigured", indexed: { from: 2, to: 8 } })
        expect(ready).toMatchObject({ message: expect.stringMatching(/^Cannot write database: .*permission denied/) })
        expect(printed.out).toMatch(/^eth: stopped, .* Blocks were removed\. Cannot write database: /)
      }),
    2 * timeout,
  )

  it.live.skipIf(!canSwitchUser)(
    "serve: --role serve serves pages from a read-only folder, and leaves nothing in it",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const key = yield* addKey(base, "alice")
        const data = join(base, "data")
        yield* Effect.scoped(
          Effect.flatMap(TestStore.inFolder(data, { name: "eth", id: 1 }), (store) =>
            store.append(null, Rows.chain(2, 8)),
          ),
        )
        for (const name of readdirSync(data)) chmodSync(join(data, name), 0o444)
        chmodSync(base, 0o755)
        chmodSync(data, 0o555)
        const before = readdirSync(data)

        const answers = yield* serveReadOnly(base, key)

        expect(answers).toEqual([200, expect.any(Number), 200, expect.objectContaining({ state: "not_started" })])
        expect(readdirSync(data)).toEqual(before)
      }),
    timeout,
  )
})
