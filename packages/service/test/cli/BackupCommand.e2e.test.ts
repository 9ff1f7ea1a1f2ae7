/** Backups, a standby and a snapshot of somebody else, by the commands that an operator runs, on a database that the indexer wrote. */
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import * as Engine from "../../src/store/Engine.ts"
import * as TestStore from "../store/TestStore.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import { dump } from "../maintenance/damage.ts"
import * as Stored from "../store/sqlite/storedRows.ts"
import { daybook, daybookProcess, main, timeout } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: timeout })

const file = "chain-my-chain.sqlite"

/** Runs a command; a backup lowers the priority of its process. */
const run = (base: string, name: "backup" | "restore" | "verify", ...args: ReadonlyArray<string>) =>
  Effect.map((name === "backup" ? daybookProcess : daybook)(base, name, ...args), ({ out, ...ended }) => ({
    ...ended,
    out: out.trim().split("\n"),
  }))

const transfer = (node: Anvil.Node, blocks: number) =>
  Effect.gen(function* () {
    const [from = "", to = ""] = node.accounts
    for (let block = 0; block < blocks; block++) {
      yield* Head.transfer(node, { from, to, valueWei: 1n })
      yield* Head.mine(node)
    }
  })

const configure = (base: string, { chainId, url }: Anvil.Node) => {
  mkdirSync(base, { recursive: true })
  const chains = { "my chain": { id: chainId, rpc: [url] } }
  const config = { listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data", chains }
  writeFileSync(join(base, "daybook.json"), JSON.stringify(config))
}

const index = (base: string, { chainId, url }: Anvil.Node, head: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const database = yield* Engine.fromUrl("sqlite:data", base)
      const indexer = yield* start(yield* TestStore.open(database, { name: "my chain", id: chainId }), [url])
      yield* indexer.until(caughtUp(head))
      yield* indexer.stop
    }),
  )

/** A node of four blocks, and a new folder with one of this name whose database has them. */
const indexed = Effect.fnUntraced(function* (name: string) {
  const node = yield* Anvil.make()
  yield* transfer(node, 4)
  const base = yield* temporaryFolder
  configure(join(base, name), node)
  yield* index(join(base, name), node, 4)
  return { base, node }
})

/** Runs `backup copy --follow`; the process is killed when the scope ends. */
const follow = (base: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [main, "backup", "copy", "--follow"], { cwd: base, stdio: "ignore" })
      const ended = new Promise<number | null>((resolve) => void child.on("close", resolve))
      return { child, ended }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL")),
  )

const headOf = (base: string, node: Anvil.Node) =>
  Effect.gen(function* () {
    const database = yield* Engine.fromUrl("sqlite:copy", base)
    const { reader } = database.chain({ name: "my chain", id: node.chainId })
    return (yield* reader.snapshot((snapshot) => snapshot.checkpoint))?.head.number
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined),
  )

describe("daybook backup and restore", () => {
  it.live("backup: copies what changed, follows the database, and a restored copy equals it", () =>
    Effect.gen(function* () {
      const { base, node } = yield* indexed(".")

      const first = yield* run(base, "backup", "copy")
      expect([first.code, first.out]).toEqual([
        0,
        [expect.stringMatching(/^chain-my-chain\.sqlite: 5 blocks copied \([\d.]+ KiB\), up to block 4; [\d.]+ KiB$/)],
      ])
      yield* transfer(node, 2)
      yield* index(base, node, 6)
      const second = yield* run(base, "backup", "copy")
      expect(second.out[0]).toMatch(/^chain-my-chain\.sqlite: 2 blocks copied /)

      const standby = yield* follow(base)
      yield* transfer(node, 1)
      yield* index(base, node, 7)
      yield* Eventually.untilEffect(
        Effect.map(headOf(base, node), (head) => head === 7),
        { what: "the standby has block 7", withinMillis: timeout, everyMillis: 100 },
      )
      standby.child.kill("SIGTERM")
      expect(yield* Effect.promise(() => standby.ended)).toBe(0)
      expect(dump(join(base, "copy", file))).toEqual(dump(join(base, "data", file)))

      const own = join(base, "own")
      configure(own, node)
      const restored = yield* run(own, "restore", "../copy")
      expect(restored).toMatchObject({ code: 0, out: [expect.stringMatching(/: 8 blocks copied .* block 7;/)] })
      expect(dump(join(own, "data", file))).toEqual(dump(join(base, "data", file)))
    }),
  )

  it.live("restore: accepts a third party's snapshot, and a comparison with the node finds its forged row", () =>
    Effect.gen(function* () {
      const { base, node } = yield* indexed("other")
      const own = join(base, "own")
      configure(own, node)

      yield* run(join(base, "other"), "backup", "../snapshot")
      const restored = yield* run(own, "restore", "../snapshot")
      const sampled = yield* run(own, "verify", "--sample", "3")
      const snapshot = join(base, "snapshot", file)
      const row = Stored.rowOf(snapshot, 2, 0)
      Stored.rewrite(snapshot, 2, { ...row, body: row.body.replace('"value":"1"', '"value":"9"') })
      const misled = join(base, "misled")
      configure(misled, node)
      const forged = yield* run(misled, "restore", "../snapshot")
      const found = yield* run(misled, "verify", "--against-node")
      const nothing = yield* run(own, "restore", "../other")

      expect([restored.code, sampled.code, sampled.out.at(-1)]).toEqual([0, 0, expect.stringContaining("no issues")])
      expect(sampled.out[0]).toMatch(/^my chain: compared only a sample, 3 of 5 blocks .* no differences$/)
      expect([forged.code, found.code]).toEqual([0, 1])
      expect(found.out.join("\n")).toContain("my chain: block 2:")
      expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining("Nothing to restore: ../other")])
    }),
  )
})
