/**
 * Adds wallets to an index that is limited to some, on a long chain whose archive node does not support `trace_filter`. Their rows are
 * compared with an index of every wallet, even if the searching process is killed repeatedly.
 */
import { spawn } from "node:child_process"
import { cpSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Anvil } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import * as Random from "@daybook/testkit/internal/Random"
import * as WatchList from "../../src/store/WatchList.ts"
import * as Archive from "../discovery/Archive.ts"
import * as LongChain from "../discovery/LongChain.ts"
import { caughtUp, start } from "../indexer/chain.ts"
import { differences, read } from "../indexer/roles.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** No limit, because the node is local. */
export const searchCallsPerMinute = 1e9

/** A configured wallet without activity. */
const configured = `0x${"ab".repeat(20)}`

/** True while the past of a wallet is searched or waits to be searched. */
export const isSearching = ({ snapshot }: Pick<TestStore.TestStore, "snapshot">) =>
  snapshot(({ checkpoint }) =>
    Effect.map(
      checkpoint,
      (watched) => watched === null || (watched.watch ?? []).some((wallet) => WatchList.isSearching(watched, wallet)),
    ),
  )

/** A chain with its archive, and two indexes of it. */
export interface Indexed {
  readonly plan: LongChain.PlannedChain
  readonly archive: Effect.Success<ReturnType<typeof Archive.start>>
  /** Index of every wallet. */
  readonly full: TestStore.TestStore
  /** Folder of the index of one wallet without activity. */
  readonly folder: string
}

/** Indexes a chain with a number of blocks; `sizes` are the numbers of transactions of its wallets. */
export const make = Effect.fnUntraced(function* (blocks: number, sizes: ReadonlyArray<number>) {
  const options = { accounts: sizes.length + 1 }
  const accounts = yield* Effect.scoped(Effect.map(Anvil.make(options), (node) => node.accounts))
  const plan = LongChain.plan(accounts, blocks, sizes)
  const archive = yield* Archive.start(plan, options)
  const indexed = Effect.fnUntraced(function* (watch: ReadonlySet<string> | null) {
    const folder = yield* temporaryFolder
    const store = yield* TestStore.inFolder(folder)
    const indexer = yield* start(store, [archive.url], { watch })
    yield* indexer.until(caughtUp(blocks))
    yield* indexer.stop
    return { folder, store }
  })
  const folder = yield* temporaryFolder
  // Copied after its database is closed.
  const copied = Effect.scoped(
    Effect.map(indexed(new Set([configured])), (index) => cpSync(index.folder, folder, { recursive: true })),
  )
  const [{ store: full }] = yield* Effect.all([indexed(null), copied], { concurrency: "unbounded" })
  return { plan, archive, full, folder } satisfies Indexed
})

/** A copy of the index of one wallet. */
const copyOf = Effect.fnUntraced(function* ({ folder }: Indexed) {
  const copy = yield* temporaryFolder
  cpSync(folder, copy, { recursive: true })
  return { folder: copy, store: yield* TestStore.inFolder(copy) }
})

/** Number of calls by method, except those that follow the head. */
const searchCalls = (calls: Indexed["archive"]["calls"]) =>
  calls.filter(
    ([method, params]) => !(method === "eth_blockNumber" || params[0] === "latest" || params[0] === "finalized"),
  ).length

/** Compares the rows of wallets with the index of every wallet. */
const compare = Effect.fnUntraced(function* (
  { full }: Indexed,
  store: TestStore.TestStore,
  wallets: ReadonlyArray<string>,
) {
  let rows = 0
  const differing: Array<string> = []
  for (const wallet of wallets) {
    const [expected, searched] = yield* Effect.all([read(full, wallet), read(store, wallet)])
    rows += searched.places.length
    if (searched.from !== 0) differing.push(`${wallet} begins with block ${searched.from}`)
    differing.push(...differences(expected, searched).map((text) => `${wallet} ${text}`))
  }
  return { rows, differences: differing }
})

/** Adds one wallet and completes the search of its past. */
export const searchOne = Effect.fnUntraced(function* (indexed: Indexed, { address }: LongChain.PlannedWallet) {
  const { archive } = indexed
  const { store } = yield* copyOf(indexed)
  yield* store.database.chain(store.ref).changeWatch({ _tag: "Add", wallets: [address] })
  const began = performance.now()
  const before = archive.calls.length
  const indexer = yield* start(store, [archive.url], { watch: new Set([configured]), searchCallsPerMinute })
  const isDone = Effect.map(isSearching(store), (is) => !is)
  yield* Eventually.untilEffect(isDone, { everyMillis: 20, withinMillis: 600_000, what: "the end of the search" })
  const seconds = (performance.now() - began) / 1000
  yield* indexer.stop
  const calls = searchCalls(archive.calls.slice(before))
  return { calls, seconds, ...(yield* compare(indexed, store, [address])) }
})

/** Runs a searching process and kills it after a number of calls to the node. Returns its exit code, or `null` if it was killed. */
const searchInProcess = (folder: string, { archive }: Indexed, killAfter: number): Effect.Effect<number | null> =>
  Effect.callback((resume) => {
    const file = fileURLToPath(new URL("indexer.ts", import.meta.url))
    const child = spawn(process.execPath, [file, folder, archive.url, configured], { stdio: "inherit" })
    const last = archive.calls.length + killAfter
    const timer = setInterval(() => {
      if (archive.calls.length >= last) child.kill("SIGKILL")
    }, 2)
    child.once("exit", (code) => {
      clearInterval(timer)
      resume(Effect.succeed(code))
    })
    return Effect.sync(() => {
      clearInterval(timer)
      child.kill("SIGKILL")
    })
  })

/** Adds all wallets, and kills the process that searches their past a number of times at random calls. */
export const searchKilled = Effect.fnUntraced(function* (
  indexed: Indexed,
  kills: number,
  expectedCalls: number,
  seed: number,
) {
  const { archive, plan } = indexed
  const { folder, store } = yield* copyOf(indexed)
  const random = Random.make(seed)
  const wallets = plan.wallets.map(({ address }) => address)
  yield* store.database.chain(store.ref).changeWatch({ _tag: "Add", wallets })
  const began = performance.now()
  const before = archive.calls.length
  let killed = 0
  for (let code: number | null = null; code === null;) {
    const after = killed < kills ? 1 + random.integer(Math.ceil(expectedCalls)) : Number.POSITIVE_INFINITY
    code = yield* searchInProcess(folder, indexed, after)
    if (code === null) killed += 1
    else if (code !== 0) return yield* Effect.die(new Error(`The process ended with code ${code}.`))
  }
  const seconds = (performance.now() - began) / 1000
  const calls = searchCalls(archive.calls.slice(before))
  return { killed, calls, seconds, ...(yield* compare(indexed, store, wallets)) }
})
