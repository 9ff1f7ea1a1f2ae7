/** Copies of a chain's file equal it row by row, whatever is written before, during and between two backups. */
import * as Runs from "@daybook/harness/Runs"
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as Verify from "../../../../src/maintenance/Verify.ts"
import type { BlockRows } from "../../../../src/block/BlockRows.ts"
import * as Engine from "../../../../src/store/Engine.ts"
import * as Backup from "../../../../src/store/sqlite/backup/Backup.ts"
import * as BlockCopy from "../../../../src/store/sqlite/backup/BlockCopy.ts"
import * as ReadPool from "../../../../src/store/sqlite/ReadPool.ts"
import * as Model from "../../model.ts"
import { blockOn, chainOn, refOf, wallets } from "../../model.ts"
import { hashes, ledgers, upperCase } from "../../projections.ts"
import { ref } from "../../TestDatabase.ts"
import { temporaryFolder } from "../../temporaryFolder.ts"
import * as TestStore from "../../TestStore.ts"

/** Generated cases of the first law; the others have half as many. */
const rounds = Runs.usual(24)

const name = "chain-test.sqlite"
const small = { blocks: 2, transactions: 3, bytes: 600, entries: 4, changes: 3 }

/** The tables that are not copied with their blocks, and how each is copied. */
const otherTables = {
  checkpoint: "written",
  projection: "written",
  removed: "whole",
  change: "as a log",
  copying: "its own",
  gap_count: "by triggers",
  ledger: "by their places",
  history: "derived",
  history_copy: "derived",
  key_range: "its own: one range",
  opening: "not at all: a copy that is indexed reads it of its node",
  opening_progress: "not at all",
  proof: "not at all: a copy that is indexed compares again",
  reconciled: "not at all: a copy that is indexed compares again",
  token: "not at all: a copy that is indexed reads it of its node",
  token_progress: "not at all",
}

const checkpoint = "SELECT first, number, hash, timestamp, finalized, watch, serial, change, checksum FROM checkpoint"
const compared = [
  ...BlockCopy.tables.map((table) => `SELECT * FROM "${table.name}"`),
  "SELECT wallet, id, body, checksum FROM ledger ORDER BY wallet, id",
  ...["history", "history_copy"].map((table) => `SELECT key, id FROM ${table} ORDER BY key, id`),
  ...["gap_count", "removed", "projection"].map((table) => `SELECT * FROM ${table}`),
  checkpoint,
  "SELECT * FROM copying",
]

const withFile = <A>(file: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

const rowsOf = (file: string) =>
  withFile(file, (database) => compared.map((sql) => [sql, database.prepare(sql).all()] as const))

const rowsIn = (file: string, table: string) =>
  withFile(file, (database) => database.prepare(`SELECT * FROM ${table}`).all())

/** Two folders: of a store, and of its copy. */
const folders = Effect.gen(function* () {
  const base = yield* temporaryFolder
  const [folder, copy] = [join(base, "data"), join(base, "copy")]
  const database = yield* Engine.fromUrl(`sqlite:${folder}`, "/", { rangeEntries: 5 })
  yield* Engine.fromUrl(`sqlite:${copy}`, "/")
  return { base, database, folder, file: join(folder, name), copyFolder: copy, copy: join(copy, name) }
})

const backUp = (
  file: string,
  copy: string,
  limits = small,
  onProgress: () => Effect.Effect<void> = () => Effect.void,
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => ReadPool.make(file, ref.id)),
        ({ close }) => Effect.sync(close),
      )
      return yield* Backup.run(pool, copy, ref, { limits, onProgress })
    }),
  )

const issuesOf = Effect.fn(function* (folder: string) {
  const database = yield* Engine.fromUrl(`sqlite:${folder}`, "/")
  const { issues, orphaned } = yield* Verify.run(database.chain(ref).audit)
  return [...issues, ...orphaned]
}, Effect.scoped)

/** Writes to a store as an indexer and the maintenance commands do. */
const writerOf = (store: TestStore.TestStore, numbers: Model.Seeded) => {
  let blocks: ReadonlyArray<BlockRows> = []
  let step = 0
  let revision = 1
  const head = () => (blocks.length === 0 ? null : refOf(blocks.at(-1)!))
  const append = Effect.gen(function* () {
    const added = Model.generateOn(blocks.at(-1), step++, numbers)
    yield* store.append(head(), added)
    blocks = [...blocks, ...added]
  })
  const prepend = Effect.gen(function* () {
    const [first] = blocks
    if (first === undefined) return
    const added = Model.generateBelow(first, step++, numbers)
    yield* store.prepend(refOf(first), added)
    blocks = [...added, ...blocks]
  })
  const unwind = Effect.gen(function* () {
    const expected = head()
    if (expected === null) return
    const kept = numbers.below(8) === 0 ? 0 : Math.max(0, blocks.length - 1 - numbers.below(6))
    yield* store.unwind(expected, kept === 0 ? null : refOf(blocks[kept - 1]!))
    blocks = blocks.slice(0, kept)
  })
  const replace = Effect.gen(function* () {
    if (blocks.length === 0) return
    const at = numbers.below(blocks.length)
    const block = blocks[at]!
    const transactions = block.transactions.map((row) => ({
      ...row,
      internal: `["step ${step++}"]`,
      addresses: wallets.filter(() => numbers.below(2) === 0),
    }))
    const { gaps: _, ...rest } = block
    const replaced = { ...rest, transactions }
    const repairer = yield* store.database.chain(ref).audit.repairer
    if (yield* repairer.replace(replaced)) blocks = blocks.with(at, replaced)
  }).pipe(Effect.scoped)
  const fill = Effect.gen(function* () {
    if (numbers.below(4) === 0) revision += 1
    yield* store.fill(numbers.pick([hashes, ledgers, upperCase])(revision), 1 + numbers.below(4))
  })
  const finalize = Effect.gen(function* () {
    const final = blocks[numbers.below(Math.max(1, blocks.length))]
    if (final !== undefined) yield* store.finalize(final.number)
  })
  const write = Effect.suspend(() =>
    numbers.pick([append, append, append, append, prepend, unwind, replace, fill, finalize]),
  )
  return { write, head: () => blocks.at(-1) }
}

/**
 * Interrupts copies at any step while the original changes: each is a marked part of the original, and can be
 * continued.
 */
const interruptCopies = Effect.fnUntraced(function* (seed: number) {
  const { copy, database, file } = yield* folders
  const numbers = Model.seeded(seed)
  const store = yield* TestStore.open(database, ref)
  const { write } = writerOf(store, numbers)
  for (let count = 0; count < 15; count++) yield* write
  for (let round = 0; round < 4; round++) {
    let steps = numbers.below(8)
    const interruption = Effect.suspend(() => (steps-- > 0 ? Effect.void : Effect.interrupt))
    const exit = yield* Effect.exit(backUp(file, copy, small, () => interruption))
    const [blocks, original] = [rowsIn(copy, "block"), rowsIn(file, "block")]
    // A copy does not yet have the blocks that were stored below the first one.
    const start = original.findIndex((row) => row["number"] === blocks[0]?.["number"])

    if (Exit.isFailure(exit)) expect(rowsIn(copy, "copying")).toHaveLength(1)
    expect(original.slice(Math.max(0, start)).slice(0, blocks.length)).toEqual(blocks)
    yield* write
  }
  yield* backUp(file, copy)

  expect(rowsOf(copy)).toEqual(rowsOf(file))
}, Effect.scoped)

describe("Backup", () => {
  it.effect("tables: each table of a chain's file is copied, or read from the node again", () =>
    Effect.gen(function* () {
      const { copy } = yield* folders
      yield* Effect.scoped(Effect.asVoid(TestStore.inFolder(join(copy, ".."), ref)))

      const found = withFile(copy, (database) =>
        database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all(),
      )

      const known = [...BlockCopy.tables.map((table) => table.name), ...Object.keys(otherTables)]
      expect(found.map((row) => row["name"])).toEqual(known.toSorted())
    }),
  )

  it.effect.prop(
    "run: a copy equals the original row by row after each backup, whatever was written between and during backups",
    { seed: Model.seed },
    ({ seed }) =>
      Effect.gen(function* () {
        const { copy, copyFolder, database, file, folder } = yield* folders
        const numbers = Model.seeded(seed)
        const store = yield* TestStore.open(database, ref)
        const { write } = writerOf(store, numbers)
        for (let round = 0; round < 3; round++) {
          for (let count = numbers.below(8); count > 0; count--) yield* write
          let writes = numbers.below(6)
          const meanwhile = Effect.suspend(() => (writes-- > 0 ? Effect.orDie(write) : Effect.void))
          const limits = {
            ...small,
            transactions: 1 + numbers.below(6),
            entries: 1 + numbers.below(9),
            changes: 1 + numbers.below(9),
          }
          yield* backUp(file, copy, limits, () => meanwhile)
          yield* backUp(file, copy, limits)

          expect(rowsOf(copy)).toEqual(rowsOf(file))
        }
        expect(yield* issuesOf(copyFolder)).toEqual(yield* issuesOf(folder))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: rounds }, timeout: 600_000 },
  )

  it.effect.prop(
    "run: a copy interrupted at any step is a marked part of the original, and can be continued",
    { seed: Model.seed },
    ({ seed }) => interruptCopies(seed),
    { arbitrary: { runs: Math.ceil(rounds / 2) }, timeout: 600_000 },
  )

  it.effect("run: continues a copy that was interrupted while blocks were stored below its first one", () =>
    interruptCopies(999_987),
  )

  it.effect.prop(
    "run: reverts what the original lost, as after a power failure",
    { seed: Model.seed },
    ({ seed }) =>
      Effect.gen(function* () {
        const { base, copy, folder, file } = yield* folders
        const numbers = Model.seeded(seed)
        const writeSome = Effect.fn(function* (count: number) {
          const store = yield* TestStore.inFolder(folder, ref)
          for (let at = 0; at < count; at++) yield* store.append(yield* headOf(store), [yield* nextOf(store, numbers)])
        }, Effect.scoped)
        yield* writeSome(6)
        copyFileSync(file, join(base, "before"))
        yield* writeSome(1 + numbers.below(4))
        yield* backUp(file, copy)
        for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true })
        copyFileSync(join(base, "before"), file)
        yield* writeSome(numbers.below(6))
        yield* backUp(file, copy)

        expect(rowsOf(copy)).toEqual(rowsOf(file))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: Math.ceil(rounds / 2) }, timeout: 600_000 },
  )

  it.effect("run: copies only what changed since the last backup", () =>
    Effect.gen(function* () {
      const { copy, database, file } = yield* folders
      const store = yield* TestStore.open(database, ref)
      const blocks = chainOn(null, 50)
      yield* store.append(null, blocks)
      const first = yield* backUp(file, copy, Backup.defaultLimits)
      yield* store.append(refOf(blocks.at(-1)!), [blockOn(blocks.at(-1)!)])
      const repairer = yield* store.database.chain(ref).audit.repairer
      yield* repairer.replace({ ...blocks[7]!, transactions: [] })
      const second = yield* backUp(file, copy, Backup.defaultLimits)
      const third = yield* backUp(file, copy, Backup.defaultLimits)

      expect([first.blocks, second.blocks, third.blocks]).toEqual([50, 2, 0])
      expect([first.head, second.head, third.head]).toEqual([59, 60, 60])
      expect(second.copiedBytes).toBeLessThan(first.copiedBytes / 10)
      expect(rowsOf(copy)).toEqual(rowsOf(file))
    }),
  )

  it.effect("run: copies newly appended blocks before the histories, while fewer are appended than copied", () =>
    Effect.gen(function* () {
      const { copy, database, file } = yield* folders
      const store = yield* TestStore.open(database, ref)
      const blocks = chainOn(null, 40)
      yield* store.append(null, blocks)
      let head = blocks.at(-1)!
      const copied: Array<number> = []
      // One block is appended while four are copied.
      const meanwhile = Effect.gen(function* () {
        if (rowsIn(copy, "history").length === 0) copied.push(rowsIn(copy, "block").length)
        if (copied.length % 2 === 0) return
        const next = blockOn(head)
        yield* Effect.orDie(store.append(refOf(head), [next]))
        head = next
      })
      yield* backUp(file, copy, small, () => meanwhile)

      // 40 blocks, then the 10 that were appended, and so on until what is left is no longer than a step.
      expect(copied.at(-1)).toBeGreaterThanOrEqual(50)
      yield* backUp(file, copy)
      expect(rowsOf(copy)).toEqual(rowsOf(file))
    }),
  )

  it.effect("run: a step that was killed half written is rolled back, for a reader and for the next backup", () =>
    Effect.gen(function* () {
      const { base, copy, copyFolder, database, file, folder } = yield* folders
      const store = yield* TestStore.open(database, ref)
      yield* store.append(null, chainOn(null, 20))
      let steps = 4
      yield* Effect.exit(
        backUp(file, copy, small, () => Effect.suspend(() => (steps-- > 0 ? Effect.void : Effect.interrupt))),
      )
      const before = rowsOf(copy)
      // The files as a killed process leaves them: pages of an open transaction that did not fit into memory.
      withFile(copy, (opened) => {
        opened.exec("PRAGMA journal_mode=TRUNCATE; PRAGMA cache_size=1; BEGIN; DELETE FROM document; DELETE FROM block")
        for (const suffix of ["", "-journal"]) copyFileSync(copy + suffix, join(base, `killed${suffix}`))
      })
      for (const suffix of ["", "-journal"]) copyFileSync(join(base, `killed${suffix}`), copy + suffix)
      const pool = ReadPool.make(copy, ref.id)
      const blocks = yield* pool.once((connection) => connection.valuesUnsafe("SELECT number FROM block", []))
      pool.close()

      expect(blocks.length).toBe(rowsIn(copy, "block").length)
      expect(rowsOf(copy)).toEqual(before)
      yield* backUp(file, copy)
      expect(rowsOf(copy)).toEqual(rowsOf(file))
      expect(withFile(copy, (opened) => opened.prepare("PRAGMA journal_mode").get())).toEqual({ journal_mode: "wal" })
      expect(yield* issuesOf(copyFolder)).toEqual(yield* issuesOf(folder))
    }),
  )

  it.effect("run: does not copy an entry of a history that was removed as orphaned", () =>
    Effect.gen(function* () {
      const { copy, copyFolder, database, file, folder } = yield* folders
      const store = yield* TestStore.open(database, ref)
      const blocks = chainOn(null, 3)
      yield* store.append(null, blocks)
      for (const table of ["history", "history_copy"]) {
        withFile(file, (opened) => opened.exec(`INSERT INTO ${table} (key, id) VALUES (x'0102030405060708', 11534336)`))
      }
      yield* backUp(file, copy)
      const { audit } = store.database.chain(ref)
      const { orphaned } = yield* audit.orphanedAppearances(null, 10)
      yield* (yield* audit.repairer).removeOrphaned(orphaned)
      yield* backUp(file, copy)

      expect(orphaned).toHaveLength(1)
      expect(yield* issuesOf(copyFolder)).toEqual(yield* issuesOf(folder))
      expect(rowsOf(copy)).toEqual(rowsOf(file))
    }),
  )

  it.effect("run: rejects the file of another store, and a copy that an indexer wrote, and changes nothing", () =>
    Effect.gen(function* () {
      const { base, copy, copyFolder, database, file } = yield* folders
      const store = yield* TestStore.open(database, ref)
      const blocks = chainOn(null, 3)
      yield* store.append(null, blocks)
      yield* backUp(file, copy)
      yield* Effect.scoped(
        Effect.flatMap(TestStore.inFolder(copyFolder, ref), (own) =>
          own.append(refOf(blocks[2]!), [blockOn(blocks[2]!)]),
        ),
      )
      const other = join(base, "other")
      yield* Effect.scoped(Effect.flatMap(TestStore.inFolder(other, ref), (own) => own.append(null, chainOn(null, 3))))
      const before = [rowsOf(copy), rowsOf(join(other, name))]

      const indexed = yield* Effect.flip(backUp(file, copy))
      const foreign = yield* Effect.flip(backUp(file, join(other, name)))

      expect(indexed.message).toBe(
        "Copy indexed independently: an indexer wrote chain-test.sqlite after it was copied. Name an empty folder.",
      )
      expect(foreign.message).toBe(
        "Not a recent copy of this database: chain-test.sqlite has other changes, or they are too old. Name an empty folder.",
      )
      expect([rowsOf(copy), rowsOf(join(other, name))]).toEqual(before)
    }),
  )

  const damages: ReadonlyArray<readonly [table: string, sql: string]> = [
    ["document", "UPDATE document SET size = size + 1 WHERE id / 1048576 = 12"],
    ["block", "UPDATE block SET timestamp = 0 WHERE number = 12"],
    ["facts", "UPDATE facts SET frame = x'00' WHERE block = 12"],
    ["history", "DELETE FROM history WHERE id / 1048576 = 12"],
    ["history_copy", "DELETE FROM history_copy WHERE id / 1048576 = 12"],
    ["links", "DELETE FROM block WHERE number = 12"],
  ]
  it.effect.each(damages)("run: rejects a damaged block and names it (%s)", ([, sql]) =>
    Effect.gen(function* () {
      const { copy, database, file } = yield* folders
      const store = yield* TestStore.open(database, ref)
      const withFacts = chainOn(null, 6).map((block) => ({ ...block, facts: "{}" }))
      yield* store.append(null, withFacts)
      withFile(file, (opened) => opened.exec(sql))

      const failed = yield* Effect.flip(backUp(file, copy))

      expect(failed.damagedBlock).toBe(12)
      expect(failed.message).toMatch(
        /^Stored block damaged: block 12 of chain-test\.sqlite, .* Run "daybook repair"\.$/,
      )
    }),
  )

  it.effect("run: rejects an original with a view in place of a table", () =>
    Effect.gen(function* () {
      const { copy, database, file } = yield* folders
      const store = yield* TestStore.open(database, ref)
      yield* store.append(null, chainOn(null, 2))
      withFile(file, (opened) => opened.exec("DROP TABLE gap; CREATE VIEW gap AS SELECT 1 AS block, 0 AS position"))

      const failed = yield* Effect.flip(backUp(file, copy))

      expect(failed.message).toBe("Foreign table in database file chain-test.sqlite: gap. Do not use the file.")
    }),
  )
})

const headOf = (store: TestStore.TestStore) =>
  Effect.map(
    store.snapshot((snapshot) => snapshot.checkpoint),
    (found) => found?.head ?? null,
  )

/** A block of another branch on the head of a store. */
const nextOf = (store: TestStore.TestStore, numbers: Model.Seeded) =>
  Effect.map(headOf(store), (head) => blockOn(head, { fork: `fork ${numbers.below(1000)}` }))
