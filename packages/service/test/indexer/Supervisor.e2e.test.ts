import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import type { ChainJob } from "../../src/indexer/job/ChainJob.ts"
import * as Engine from "../../src/store/Engine.ts"
import type { ReportedStatus } from "../../src/store/StatusBoard.ts"
import { chainOf } from "./chain.ts"
import * as oracle from "./oracle.ts"
import { supervised } from "./supervised.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

interface Line {
  readonly _tag: string
  readonly chain?: string
  readonly head?: number
  readonly blocks?: number
  readonly text?: string
}

const jobOf = (node: Anvil.Node, baseFolder: string, more: Partial<ChainJob> = {}): ChainJob => ({
  chain: "my chain",
  chainId: node.chainId,
  database: "sqlite:data",
  documents: "zstd",
  baseFolder,
  owner: "test",
  config: {
    rpc: [`${node.url}/?key=canary0key`],
    fromBlock: 0,
    traces: "auto",
    allFrames: false,
    labels: {},
    pollMillis: 20,
  },
  ...more,
})

/** Lines that indexers print, as they are printed. */
const printedLines = Effect.map(Queue.unbounded<Line>(), (lines) => {
  const all: Array<string> = []
  const print = (line: string) => {
    all.push(line)
    Queue.offerUnsafe(lines, JSON.parse(line) as Line)
  }
  const until = Effect.fnUntraced(function* (matches: (line: Line) => boolean) {
    for (;;) {
      const line = yield* Queue.take(lines)
      if (matches(line)) return line
    }
  })
  return { print, until, printed: () => all.join("\n") }
})

/** Runs the indexers, each in a thread. */
const run = Effect.fnUntraced(function* (jobs: ReadonlyArray<ChainJob>) {
  const { print, ...lines } = yield* printedLines
  const fiber = yield* Effect.forkScoped(supervised(jobs, print))
  return { ...lines, stop: Fiber.interrupt(fiber) }
})

/** Runs the indexers in a separate process. */
const runProcess = Effect.fnUntraced(function* (jobs: ReadonlyArray<ChainJob>) {
  const { print, ...lines } = yield* printedLines
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [join(import.meta.dirname, "process.ts"), JSON.stringify(jobs)], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    ),
    (process) => Effect.sync(() => process.kill("SIGKILL")),
  )
  createInterface(child.stdout).on("line", print)
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  const kill = Effect.sync(() => child.kill("SIGKILL")).pipe(Effect.andThen(Effect.promise(() => ended)))
  return { ...lines, kill }
})

const caughtUp =
  (head: number, chain = "my chain") =>
  (line: Line): boolean =>
    line._tag === "Synced" && line.head === head && line.chain === chain

const reader = Effect.fnUntraced(function* (node: Anvil.Node, baseFolder: string, chain = "my chain") {
  const database = yield* Engine.fromUrl("sqlite:data", baseFolder)
  const ref = { name: chain, id: node.chainId }
  return { ...database.chain(ref).reader, readStatus: database.status.read(ref) }
})

/** Waits for a status of the chain that matches. */
const statusOf = (node: Anvil.Node, baseFolder: string, matches: (status: ReportedStatus) => boolean) =>
  Effect.gen(function* () {
    const store = yield* reader(node, baseFolder)
    let found: ReportedStatus | null = null
    const isFound = Effect.map(
      Effect.orElseSucceed(store.readStatus, () => null),
      (status) => {
        found = status
        return status !== null && matches(status)
      },
    )
    yield* Eventually.untilEffect(isFound, { what: "the status of the chain" })
    // Sound: the condition held for it.
    return found as ReportedStatus | null as ReportedStatus
  }).pipe(Effect.scoped)

describe("Supervisor", () => {
  it.live("run: reports a stop, and logs and stores once why a chain cannot be indexed", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      yield* Head.mine(node, 3)
      const baseFolder = yield* temporaryFolder
      const watching = (...watch: readonly [string, ...Array<string>]) => {
        const job = jobOf(node, baseFolder)
        return { ...job, config: Object.assign({}, job.config, { watch }) } satisfies ChainJob
      }
      const [one, two] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`]
      const first = yield* run([watching(one)])
      yield* first.until(caughtUp(3))
      yield* statusOf(node, baseFolder, ({ state }) => state === "synced")
      yield* first.stop
      const stopped = yield* statusOf(node, baseFolder, () => true)

      const second = yield* run([watching(one, two)])
      const refused = yield* statusOf(node, baseFolder, ({ state }) => state === "misconfigured")
      // The status is stored before it is logged and reported.
      const isReported = () => second.printed().split("lacks wallet").length > 2
      yield* Effect.promise(() => Eventually.until(isReported, { what: "the reason is logged and reported" }))
      yield* second.stop
      const after = yield* statusOf(node, baseFolder, () => true)
      const third = yield* run([watching(one)])
      yield* third.until(caughtUp(3))

      const reason =
        /^The index lacks wallet 0x2+, which "watch" now names: chain-my-chain\.sqlite\. .* --chain 'my chain'" /
      expect(stopped).toMatchObject({
        state: "stopped",
        message: 'The indexer was stopped. Start it again with "daybook serve".',
      })
      expect(refused.message).toMatch(reason)
      expect(after.state).toBe("stopped")
      expect(after.message).toContain(`Last status: ${refused.message}`)
      expect(second.printed().match(/lacks wallet/g)).toHaveLength(2)
      expect(second.printed()).toContain('"_tag":"Misconfigured"')
      expect(second.printed()).not.toContain("..")
    }),
  )

  it.live("run: continues where a killed process stopped", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.make()
      const [from = "", to = ""] = node.accounts
      for (let block = 0; block < 10; block++) {
        yield* Head.transfer(node, { from, to, valueWei: 1n })
        yield* Head.mine(node)
      }
      yield* node.call("anvil_mine", ["0xfa", "0xc"])
      const baseFolder = yield* temporaryFolder
      const first = yield* runProcess([jobOf(node, baseFolder)])
      const { blocks = 0 } = yield* first.until(({ _tag }) => _tag === "Indexed")
      expect(yield* first.kill).toBe(null)
      const again = yield* run([jobOf(node, baseFolder)])
      const done = yield* again.until(caughtUp(260))

      expect(blocks).toBeGreaterThan(0)
      expect(done.blocks).toBeLessThanOrEqual(261 - blocks)
      const store = yield* reader(node, baseFolder)
      expect(yield* store.headers(0, 999)).toEqual(yield* chainOf(node, 260))
      expect((yield* oracle.wallet(store, to)).length).toBe(10)
    }),
  )

  it.live(
    "run: indexes a chain while another one fails, reports the failure, stops on request, and prints no key",
    () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        yield* Head.mine(node, 5)
        const baseFolder = yield* temporaryFolder
        const broken = jobOf(node, baseFolder, { chain: "broken", database: "oracle:data" })
        const indexers = yield* run([broken, jobOf(node, baseFolder)])
        yield* indexers.until(
          ({ chain, text }) => text?.startsWith("Invalid configuration ") === true && chain === "broken",
        )
        yield* Head.mine(node, 2)
        yield* indexers.until(caughtUp(7))
        yield* indexers.stop
        // An indexer that had to be ended leaves its last status.
        const stopped = yield* statusOf(node, baseFolder, () => true)

        expect(stopped.state).toBe("stopped")
        expect(indexers.printed().match(/"database/g)).toHaveLength(1)
        expect(indexers.printed()).not.toContain("..")
        expect(indexers.printed()).not.toContain("indexer ended")
        expect(indexers.printed()).not.toContain("canary0key")
        const store = yield* reader(node, baseFolder)
        expect(yield* store.headers(0, 99)).toEqual(yield* chainOf(node, 7))
      }),
  )
})
