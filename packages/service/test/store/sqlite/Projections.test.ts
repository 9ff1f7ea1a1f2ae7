import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as WalletTransactions from "../../../src/projection/WalletTransactions.ts"
import type { Projection } from "../../../src/block/Projection.ts"
import * as Projections from "../../../src/projection/Projections.ts"
import * as Engine from "../../../src/store/Engine.ts"
import { decoder } from "../../indexer/chain.ts"
import { blockOn, chainOn, refOf, wallets } from "../model.ts"
import { entriesOf, expectedEntries, hashes } from "../projections.ts"
import { all, bodiesOf, pageBodies, ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"

/** A revision of the wallets' transactions in which each transaction belongs to one wallet only. */
const ofWallet = (wallet: string): Projection => ({
  ...WalletTransactions.projection,
  revision: WalletTransactions.projection.revision + 1,
  rows: ({ transactions }) => transactions.map(({ index }) => ({ index, body: null, keys: [wallet] })),
})

const logHeaderBytes = 32
const frameHeaderBytes = 24
const pageBytes = 16_384

/**
 * The tables and indexes whose first page is in the write-ahead log of a file after a number of frames, as often as it
 * occurs.
 */
const pagesOfLog = (file: string, after: number): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  const roots = new Map(
    database
      .prepare("SELECT rootpage, name FROM sqlite_schema")
      .all()
      .map((row) => [row["rootpage"], row["name"]]),
  )
  database.close()
  const log = readFileSync(`${file}-wal`).subarray(logHeaderBytes)
  const frameBytes = frameHeaderBytes + pageBytes
  const pages = Array.from({ length: Math.floor(log.length / frameBytes) }, (_, at) =>
    log.readUInt32BE(at * frameBytes),
  )
  return pages.slice(after).map((page) => String(roots.get(page)))
}

describe("Projections", () => {
  it.effect(
    "append: a block without transactions changes one page of each of six tables, and no index of projections",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const file = join(folder, "chain-test.sqlite")
        const projections = Projections.make(decoder, ref.id)
        const database = yield* Engine.fromUrl(`sqlite:${folder}`, folder)
        const { writer: open } = database.chain(ref)
        const writer = yield* open({ projections })
        const token = (yield* database.leases.acquire(ref, "test", 60_000))!
        const first = blockOn(null, { transactions: [] })
        yield* writer.append(null, [first], token)
        const { length } = pagesOfLog(file, 0)
        const next = blockOn(first, { transactions: [] })
        yield* writer.append(refOf(first), [next], token)

        expect(pagesOfLog(file, length).toSorted()).toEqual([
          "block",
          "block_timestamp",
          "change",
          "checkpoint",
          "ledger_block",
          "projection",
        ])
      }),
  )

  it.effect("fill: replaces the appearances of an earlier revision, step by step", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)
      const [before, after] = [wallets[0]!, wallets[3]!]
      const both = [before, after]
      const first = blockOn(null, { transactions: [both, both] })
      const second = blockOn(first, { transactions: [both] })
      yield* store.append(null, [first, second])
      const bodies = bodiesOf([first, second])

      expect(yield* pageBodies(store, { ...all, key: before })).toEqual(bodies)
      expect(yield* store.fill(ofWallet(after), 1)).toEqual({ transactions: 2, isDone: false })
      const { id, revision } = ofWallet(after)
      expect(yield* store.snapshot((snapshot) => snapshot.projection(id))).toEqual({ revision, next: 11 })
      expect(yield* pageBodies(store, { ...all, key: before })).toEqual(bodies.slice(2))
      expect(yield* store.fill(ofWallet(after), 1)).toEqual({ transactions: 1, isDone: true })
      expect(yield* pageBodies(store, { ...all, key: before })).toEqual([])
      expect(yield* pageBodies(store, { ...all, key: after })).toEqual(bodies)
    }),
  )

  it.effect("fill: reads as many blocks in a step as have the given number of transactions, and at least one", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)
      yield* store.append(null, chainOn(null, 7))
      const steps = [yield* store.fill(hashes(1), 2), yield* store.fill(hashes(1), 3), yield* store.fill(hashes(1), 0)]

      expect(steps.map(({ transactions }) => transactions)).toEqual([2, 3, 1])
      expect(yield* store.fill(hashes(1), 100)).toEqual({ transactions: 1, isDone: true })
    }),
  )

  it.effect("append: does not advance a projection that is behind the head", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)
      const blocks = chainOn(null, 6)
      yield* store.append(null, blocks.slice(0, 4))
      const later = yield* TestStore.open(store.database, ref, { projections: [hashes(1)] })
      yield* later.append(refOf(blocks[3]!), blocks.slice(4))

      expect(yield* store.snapshot((snapshot) => snapshot.projection("hashes"))).toEqual({ revision: 1, next: 10 })
      expect(yield* later.fill(hashes(1), 100)).toEqual({ transactions: 6, isDone: true })
      expect(yield* entriesOf(store, wallets[0]!)).toEqual(expectedEntries(blocks, wallets[0]!))
    }),
  )

  it.effect("append: ignores a projection that another program has derived with another revision", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref, { projections: [hashes(1)] })
      const blocks = chainOn(null, 4)
      yield* store.append(null, blocks.slice(0, 2))
      expect(yield* store.fill(hashes(2), 100)).toEqual({ transactions: 2, isDone: true })
      yield* store.append(refOf(blocks[1]!), blocks.slice(2))

      expect(yield* store.snapshot((snapshot) => snapshot.projection("hashes"))).toEqual({ revision: 2, next: 12 })
      expect(yield* store.fill(hashes(2), 100)).toEqual({ transactions: 2, isDone: true })
      expect(yield* entriesOf(store, wallets[0]!)).toEqual(expectedEntries(blocks, wallets[0]!, 2))
    }),
  )

  it.effect("fill: has nothing to do in an empty index", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)

      expect(yield* store.fill(hashes(1), 10)).toEqual({ transactions: 0, isDone: true })
    }),
  )

  it.effect("checkpoint: names the watched wallets of an index that is limited to them, and none of another", () =>
    Effect.gen(function* () {
      const watchOf = Effect.fnUntraced(function* (watch: ReadonlySet<string> | null) {
        const store = yield* TestStore.inFolder(yield* temporaryFolder, ref, { watch })
        yield* store.append(null, [blockOn(null, { transactions: [[wallets[0]!]] })])
        return (yield* store.snapshot((snapshot) => snapshot.checkpoint))?.watch
      })

      expect(yield* watchOf(new Set([wallets[0]!]))).toEqual([wallets[0]!])
      expect(yield* watchOf(null)).toBeUndefined()
    }),
  )
})
