/** The commands of maintenance as an operator runs them, on a store that `serve` wrote. */
import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head } from "@daybook/chain"
import * as SqliteEngine from "../../src/store/sqlite/SqliteEngine.ts"
import { caughtUp, folder, start } from "../indexer/chain.ts"
import { damage } from "../maintenance/damage.ts"

vi.setConfig({ testTimeout: 60_000 })

const main = join(import.meta.dirname, "../../src/main.ts")

interface Ended {
  readonly code: number | null
  readonly out: ReadonlyArray<string>
  readonly err: string
}

const daybook = (cwd: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve) => {
        const child = spawn(process.execPath, [main, ...args, "--config", "daybook.json"], { cwd })
        let out = ""
        let err = ""
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
        child.on("close", (code) => resolve({ code, out: out.trim().split("\n"), err }))
      }),
  )

describe("daybook", () => {
  it.live("verifies, mends, backs up and indexes again", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [from = "", to = ""] = node.accounts
      for (let block = 0; block < 4; block++) {
        yield* Head.transfer(node, { from, to, valueWei: 1n + BigInt(block) })
        yield* Head.mine(node)
      }
      const base = yield* folder
      const chains = { "my chain": { id: node.chainId, rpc: [node.url] } }
      const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains }
      writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
      const database = yield* SqliteEngine.fromConfig("sqlite:data", base)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* database.chainStore("my chain", node.chainId, "write")
          const indexer = yield* start(store, [node.url])
          yield* indexer.until(caughtUp(4))
          yield* indexer.stop
        }),
      )
      const file = join(base, "data/chain-my-chain.sqlite")

      const sound = yield* daybook(base, "verify")
      expect(sound).toMatchObject({
        code: 0,
        out: ["my chain: 5 blocks and 4 transactions looked at, no flaw"],
      })

      damage(file, `UPDATE "transaction" SET body = 'x' WHERE block = 2`)
      const flawed = yield* daybook(base, "verify", "--chain", "my-chain")
      expect([flawed.code, flawed.out.at(-1)]).toEqual([1, "my chain: 5 blocks and 4 transactions looked at, 1 flaw"])
      expect(flawed.out[0]).toContain("block 2: transaction 0")
      expect(flawed.err).toContain('1 flaw; "daybook verify --mend" mends.')
      const mended = yield* daybook(base, "verify", "--mend")
      expect([mended.code, mended.out.slice(-2)]).toEqual([
        0,
        ["my chain: 1 block fetched again, entries removed: 0", "my chain: no flaw is left"],
      ])

      const copied = yield* daybook(base, "backup", "copy")
      expect([copied.code, copied.out.length, copied.out[0]]).toEqual([
        0,
        1,
        expect.stringMatching(/^chain-my-chain\.sqlite\t\d+ bytes$/),
      ])
      expect(existsSync(join(base, "copy/chain-my-chain.sqlite"))).toBe(true)

      const removed = yield* daybook(base, "reindex", "--from", "3")
      expect(removed).toMatchObject({
        code: 0,
        out: ['my chain: 2 blocks removed, block 2 is the last; "daybook serve" fetches the others again'],
      })
      const status = yield* daybook(base, "status")
      expect(status).toMatchObject({
        code: 1,
        out: [
          'my chain: stopped, indexed 0 to 2, head unknown, traces trace_block. Blocks from 3 on were removed; "daybook serve" fetches them again.',
        ],
        err: "daybook: Not ready: my chain.\n",
      })
      const unknown = yield* daybook(base, "verify", "--chain", "moon")
      expect([unknown.code, unknown.err.trim()]).toEqual([
        1,
        'daybook: No chain of the configuration is named "moon"; it has: my chain.',
      ])
    }),
  )
})
