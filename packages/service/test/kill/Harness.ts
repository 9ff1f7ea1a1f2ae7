/**
 * Kills an indexing process repeatedly while the chain grows and reorgs. After each kill it checks every invariant of the store, and
 * once another indexer has synced it compares every row of every wallet with the chain.
 */
import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, Fiber } from "effect"
import { expect } from "vitest"
import { type Anvil, Head, Scenario } from "@daybook/chain"
import * as Random from "@daybook/testkit/internal/Random"
import type { ChainJob } from "../../src/indexer/job/ChainJob.ts"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as Connection from "../../src/store/sqlite/Connection.ts"
import * as Folder from "../../src/store/sqlite/Folder.ts"
import * as ProjectionCheckpoints from "../../src/store/sqlite/ProjectionCheckpoints.ts"
import * as TestStore from "../store/TestStore.ts"
import { start } from "../indexer/chain.ts"
import * as oracle from "../indexer/oracle.ts"
import * as Edit from "../consistency/Edit.ts"
import * as Interruption from "../consistency/Interruption.ts"
import * as ScannedChain from "./ScannedChain.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** Entries per range of blocks: few enough that ranges start and are merged between any two kills. */
const rangeEntries = 20
const smallRanges: Edit.Edit = {
  file: "store/sqlite/KeyRanges.ts",
  from: "defaultEntries = 65_536",
  to: `defaultEntries = ${rangeEntries}`,
}

/** A kill: in a transaction that appends or unwinds, in another write, or between writes. */
export interface Killed {
  readonly phase: "append" | "unwind" | "begun" | "idle"
  /** Number of statements of the transaction before the kill. */
  readonly statements: number
  readonly by: "clock" | "statement"
  readonly seed: number
  /**
   * Initial state of the process: an empty store, the upper half of the chain, or blocks near the head; for `derive`, ledgers of an
   * earlier revision.
   */
  readonly task: "backfill" | "prepend" | "derive" | "follow"
}

/** Store of the killed process. */
export interface KilledStore {
  readonly url: string
  /** Deletes the chain. */
  readonly clear: Effect.Effect<void>
  /** Marks the ledgers as derived by an earlier revision, so that the next indexer derives them again. */
  readonly forgetLedgers: Effect.Effect<void>
}

export interface Options {
  readonly kills: number
  readonly seed: number
  /** Default: a SQLite store. */
  readonly store?: KilledStore | undefined
  /** Called for each kill, after the store was compared with the chain. */
  readonly onKill?: (killed: Killed, index: number) => void
}

/** Name of the chain. */
export const chain = "my chain"

const processFile = fileURLToPath(new URL("../indexer/process.ts", import.meta.url))
const probeFile = fileURLToPath(new URL("./probe.ts", import.meta.url))
/** Time limit after which a process that did not reach its statement is killed. */
const maxWaitMillis = 30_000
const maxReorgDepth = 20
/** Maximum number of statements before a kill with SQLite, and the number of them that correspond to one statement of PostgreSQL. */
const maxStatements = { follow: 40, backfill: 900 }
const statementsOfOne = 15
/** Number of blocks at which the chain stops growing; it still reorgs. */
const maxBlocks = 400

const jobOf = (node: Anvil.Node, baseFolder: string, database: string): ChainJob => ({
  chain,
  chainId: node.chainId,
  database,
  documents: "zstd",
  baseFolder,
  owner: "killed",
  config: {
    rpc: [node.url],
    fromBlock: 0,
    traces: "auto",
    allFrames: false,
    labels: {},
    pollMillis: 20,
    checks: "full",
  },
})

/** Changes the chain with a reorg or a few new blocks. */
const disturb = Effect.fnUntraced(function* (node: Anvil.Node, random: Random.Random) {
  const [from = "", to = ""] = node.accounts
  const { number } = yield* Head.current(node)
  if (number > maxBlocks || random.next() < 0.6) {
    const depth = 1 + random.integer(Math.min(maxReorgDepth, number - 2))
    return void (yield* Head.reorganise(node, { depth, moreBlocks: number > maxBlocks ? 0 : random.integer(3) }))
  }
  for (let block = 0; block < 1 + random.integer(4); block++) {
    for (let one = 0; one < random.integer(4); one++) {
      yield* Head.transfer(node, { from, to, valueWei: random.amount(1n, 1_000_000n) })
    }
    yield* Head.mine(node)
  }
})

/** Starts an indexing process that is killed before its `statements`th statement, or after some time. */
const killOne = Effect.fnUntraced(function* (
  job: ChainJob,
  edits: ReadonlyArray<Edit.Edit>,
  when: { readonly statements: number } | { readonly millis: number },
) {
  const probe = join(job.baseFolder, "probe")
  rmSync(probe, { force: true })
  const statements = "statements" in when ? String(when.statements) : "Infinity"
  const { args, env } = Edit.processWith([...edits, smallRanges])
  const child = spawn(process.execPath, [...args, "--import", probeFile, processFile, JSON.stringify([job])], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...env,
      DAYBOOK_PROBE_FILE: probe,
      DAYBOOK_PROBE_STATEMENTS: statements,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? join(job.baseFolder, "compiled"),
    },
  })
  const kill = () => void child.kill("SIGKILL")
  let timer: ReturnType<typeof setTimeout> | undefined
  let isByClock = false
  const killAfter = (millis: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      isByClock = true
      kill()
    }, millis)
  }
  killAfter(maxWaitMillis * 2)
  createInterface(child.stdout).once("line", () => killAfter("millis" in when ? when.millis : maxWaitMillis))
  yield* Effect.promise(() => new Promise<void>((resolve) => child.once("exit", () => resolve()))).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        clearTimeout(timer)
        kill()
      }),
    ),
  )
  // Nothing is recorded before the first statement.
  const [phase, count] = (readFileSync(probe, "utf8").trim() || "idle 0").split(" ")
  return {
    phase: phase as Killed["phase"],
    statements: Number(count),
    by: isByClock ? ("clock" as const) : ("statement" as const),
  }
})

const forgetLedgers = (baseFolder: string): void => {
  const file = join(baseFolder, "data", Folder.chainFile(chain))
  const connection = Connection.connectUnsafe({ file, readOnly: false })
  const ledgers = ProjectionCheckpoints.listUnsafe(connection).filter(({ kind }) => kind === "ledger")
  ProjectionCheckpoints.writeUnsafe(
    connection,
    ledgers.map((checkpoint) => ({ ...checkpoint, revision: 0 })),
  )
  connection.close()
}

const sqliteStore = (baseFolder: string): KilledStore => ({
  url: "sqlite:data",
  clear: Effect.sync(() => rmSync(join(baseFolder, "data"), { recursive: true, force: true })),
  forgetLedgers: Effect.sync(() => forgetLedgers(baseFolder)),
})

/** Syncs another indexer on the same store, and compares every row with the chain. */
const catchUp = Effect.fnUntraced(function* (
  node: Anvil.Node,
  job: ChainJob,
  scanChain: () => ReturnType<ReturnType<typeof ScannedChain.make>>,
) {
  const { headers, transactions } = yield* scanChain()
  const head = headers.at(-1)!
  const database = yield* Engine.fromUrl(job.database, job.baseFolder, { rangeEntries })
  const store = yield* TestStore.open(database, { name: job.chain, id: job.chainId })
  const indexer = yield* start(store, [node.url], { owner: job.owner })
  yield* indexer.until((event) => event._tag === "Synced" && event.head === head.number)
  const first = store.snapshot(({ checkpoint }) => Effect.map(checkpoint, (stored) => stored?.first))
  if ((yield* first) !== 0) yield* indexer.until((event) => event._tag === "Prepended" && event.first === 0)
  const ledgers = store.snapshot((snapshot) => snapshot.projection(WalletLedger.id))
  while (((yield* ledgers)?.next ?? 0) <= head.number) yield* Effect.sleep(20)
  yield* indexer.stop
  expect(yield* store.headers(0, head.number + 1_000)).toEqual(headers)
  yield* oracle.expectWallets(store, transactions)
}, Effect.scoped)

const expectSound = Effect.fnUntraced(function* (job: ChainJob) {
  const database = yield* Engine.fromUrl(job.database, job.baseFolder, { rangeEntries })
  const { audit } = database.chain({ name: job.chain, id: job.chainId })
  // After a kill before the tables were created, the next indexer creates them.
  const nothing = { issues: [], orphaned: [] }
  const { issues, orphaned } = yield* Verify.run(audit).pipe(
    Effect.catchIf(
      (error) => error.isRetryable,
      () => Effect.succeed(nothing),
    ),
  )
  expect({ issues, orphaned }).toEqual(nothing)
}, Effect.scoped)

/** Recreates the store with the upper half of the chain, so that the next indexer prepends blocks. */
const indexUpperHalf = Effect.fnUntraced(function* (node: Anvil.Node, job: ChainJob) {
  const { number } = yield* Head.current(node)
  const database = yield* Engine.fromUrl(job.database, job.baseFolder, { rangeEntries })
  const store = yield* TestStore.open(database, { name: job.chain, id: job.chainId })
  const indexer = yield* start(store, [node.url], { owner: job.owner, fromBlock: Math.ceil(number / 2) })
  yield* indexer.until((event) => event._tag === "Synced" && event.head === number)
  yield* indexer.stop
}, Effect.scoped)

const taskOf = (index: number, random: Random.Random): Killed["task"] => {
  const drawn = random.next()
  if (index === 0 || drawn < 0.4) return "backfill"
  if (index === 1 || drawn < 0.6) return "prepend"
  return drawn < 0.75 ? "derive" : "follow"
}

/** Kills indexers of a node with traffic; fails at the first difference. */
export const run = Effect.fnUntraced(function* (node: Anvil.Node, options: Options) {
  yield* Scenario.run(node, { blobs: false, blocks: 40, seed: options.seed })
  const scanChain = ScannedChain.make(node)
  const baseFolder = yield* temporaryFolder
  const store = options.store ?? sqliteStore(baseFolder)
  const job = jobOf(node, baseFolder, store.url)
  // SQLite runs a statement for each row, and its probe needs no edits.
  const [edits, share] = options.store === undefined ? [[], 1] : [Interruption.edits, statementsOfOne]
  const all: Array<Killed> = []
  for (let index = 0; index < options.kills; index++) {
    const seed = options.seed * 100_000 + index
    const random = Random.make(seed)
    const task = taskOf(index, random)
    if (task === "derive") yield* store.forgetLedgers
    else if (task !== "follow") yield* store.clear
    if (task === "prepend") yield* indexUpperHalf(node, job)
    const isByStatement = random.next() < 0.6 && task !== "derive"
    const statements = random.integer((task === "follow" ? maxStatements.follow : maxStatements.backfill) / share)
    const when = isByStatement ? { statements } : { millis: random.integer(400) }
    yield* disturb(node, random)
    const changes = yield* Effect.forkChild(
      // Work in progress completes first, so that the chain does not change after an interruption.
      Effect.forever(
        Effect.andThen(Effect.sleep(150 + random.integer(400)), Effect.uninterruptible(disturb(node, random))),
      ),
    )
    const { by, phase, statements: done } = yield* killOne(job, edits, when)
    yield* Fiber.interrupt(changes)
    yield* expectSound(job)
    yield* catchUp(node, job, scanChain)
    yield* expectSound(job)
    const killed: Killed = { phase, statements: done, by, seed, task }
    all.push(killed)
    options.onKill?.(killed, index)
  }
  return all
})

/** Kills in a transaction that appends or unwinds. */
export const inTransaction = (all: ReadonlyArray<Killed>) =>
  all.filter(({ phase }) => phase === "append" || phase === "unwind")
