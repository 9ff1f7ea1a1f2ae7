/**
 * A store of a real chain is damaged in many ways; verification finds each damage, and repair restores the rows from
 * the node.
 */
import { copyFileSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as Repair from "../../src/maintenance/Repair.ts"
import * as Reindex from "../../src/maintenance/Reindex.ts"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as Node from "../../src/node/Node.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as TestStore from "../store/TestStore.ts"
import { caughtUp, chainOf, decoder, start } from "../indexer/chain.ts"
import { damage, dump } from "./damage.ts"
import * as Stored from "../store/sqlite/storedRows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const chainId = 31337
const perBlock = 1_048_576
const ref = { name: "test", id: chainId }
const scenario = Scenario.layer({ blobs: false, blocks: 15 }).pipe(Layer.provideMerge(Anvil.layer()))

/** The file that an indexer wrote. */
class IndexedFile extends Context.Service<IndexedFile, string>()("@daybook/service/test/IndexedFile") {}

const indexedFile = Layer.effect(
  IndexedFile,
  Effect.gen(function* () {
    const { url } = yield* Anvil.Anvil
    const { lastBlock } = yield* Scenario.Scenario
    const base = yield* temporaryFolder
    const indexing = Effect.gen(function* () {
      const indexer = yield* start(yield* TestStore.inFolder(base), [url])
      yield* indexer.until(caughtUp(lastBlock))
      yield* indexer.stop
    })
    yield* Effect.scoped(indexing)
    return join(base, "chain-test.sqlite")
  }),
).pipe(Layer.provideMerge(scenario))

/** A folder with a copy of that file. */
const indexed = Effect.gen(function* () {
  const base = yield* temporaryFolder
  const file = join(base, "chain-test.sqlite")
  copyFileSync(yield* IndexedFile, file)
  return { base, file }
})

const auditOf = (file: string) =>
  Effect.map(Engine.fromUrl(`sqlite:${dirname(file)}`, "/"), (database) => database.chain(ref).audit)

const verify = (file: string, options: Verify.Options = {}) =>
  Effect.scoped(Effect.flatMap(auditOf(file), (audit) => Verify.run(audit, options)))

/** Damage that the checksums of rows show. */
const ways: ReadonlyArray<readonly [name: string, sql: string, what: string]> = [
  ["a lost block", "DELETE FROM block WHERE number = 12", "the block is not stored"],
  ["a changed link", "UPDATE block SET parent_hash = zeroblob(32) WHERE number = 12", "it does not match its checksum"],
  ["a changed hash", "UPDATE block SET hash = zeroblob(32) WHERE number = 12", "it does not match its checksum"],
  ["a changed time", "UPDATE block SET timestamp = 1 WHERE number = 12", "it does not match its checksum"],
  [
    "a lost last transaction",
    `DELETE FROM document WHERE id = (SELECT max(id) FROM document WHERE id < 13 * ${perBlock})`,
    "it has ",
  ],
  [
    "another text",
    `UPDATE document SET frame = zeroblob(length(frame)) WHERE id = 12 * ${perBlock}`,
    "transaction 0 does not match its checksum",
  ],
  [
    "the row of another transaction",
    `UPDATE document SET (form, size, internal_size, frame, checksum) =
       (SELECT form, size, internal_size, frame, checksum FROM document WHERE id = 11 * ${perBlock}) WHERE id = 12 * ${perBlock}`,
    "transaction 0 does not match its checksum",
  ],
  ["another revision", `UPDATE document SET revision = 99 WHERE id = 12 * ${perBlock}`, "does not match its checksum"],
  ...["history", "history_copy"].map(
    (table) =>
      [
        `an entry that ${table} lost`,
        `DELETE FROM ${table} WHERE id = 12 * ${perBlock} AND key = (SELECT min(key) FROM ${table} WHERE id = 12 * ${perBlock})`,
        "missing from the history of",
      ] as const,
  ),
]

/** Rows with wrong contents under valid checksums. */
const wrongRows: ReadonlyArray<readonly [name: string, change: (file: string) => void, what: string]> = [
  [
    "a link that leads elsewhere",
    (file) => Stored.rewriteBlock(file, chainId, 12, "parent_hash = zeroblob(32)"),
    "its parent is 0x00",
  ],
  [
    "a time before its parent's",
    (file) => Stored.rewriteBlock(file, chainId, 12, "timestamp = 1"),
    "it is older than block 11",
  ],
  [
    "a body that is no JSON",
    (file) => Stored.rewrite(file, 12, { ...Stored.rowOf(file, 12, 0), body: "{" }),
    "is not JSON",
  ],
  [
    "the body of another transaction",
    (file) => Stored.rewrite(file, 12, { ...Stored.rowOf(file, 12, 0), body: Stored.rowOf(file, 11, 0).body }),
    "its document has hash",
  ],
  [
    "a transaction that lost a wallet",
    (file) => {
      const row = Stored.rowOf(file, 12, 0)
      Stored.rewrite(file, 12, { ...row, addresses: row.addresses.slice(0, 1) })
    },
    "it belongs to",
  ],
  [
    "internal transactions of another",
    (file) => {
      const { internal } = Stored.rowsOf(file).find((row) => row.internal?.startsWith("[{") === true)!
      Stored.rewrite(file, 12, { ...Stored.rowOf(file, 12, 0), internal })
    },
    "an internal transaction belongs to another transaction",
  ],
]

layer(indexedFile, { excludeTestServices: true })("maintenance", (it) => {
  it.effect("verify: finds no issue in a store that an indexer wrote", () =>
    Effect.gen(function* () {
      const { all, lastBlock } = yield* Scenario.Scenario
      const { file } = yield* indexed

      expect(yield* verify(file)).toEqual({
        blocks: lastBlock + 1,
        transactions: all.length,
        issues: [],
        orphaned: [],
        removable: [],
      })
    }),
  )

  const damages = [
    [
      "that checksums show",
      ways.map(([name, sql, what]) => [name, (file: string) => damage(file, sql), what] as const),
    ],
    ["under checksums that hold", wrongRows],
  ] as const

  for (const [where, list] of damages) {
    it.effect(`verify, repair: find each damage ${where} and restore the original rows`, () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { base, file } = yield* indexed
        const before = dump(file)
        const node = yield* Node.make({ urls: [url], chainId })
        for (const [name, change, what] of list) {
          const copy = join(base, name, "chain-test.sqlite")
          mkdirSync(dirname(copy))
          copyFileSync(file, copy)
          change(copy)
          expect([name, dump(copy)]).not.toEqual([name, before])
          const verified = yield* verify(copy)
          const { issues, orphaned } = verified
          // Ranges shorter than the chain find the same.
          expect(yield* verify(copy, { blocksAtOnce: 3, appearancesAtOnce: 7 })).toMatchObject({ issues, orphaned })
          expect([name, issues.map(({ what }) => what).join("; ")]).toEqual([name, expect.stringContaining(what)])
          expect(issues.every(({ block }) => block === 12 || block === 13)).toBe(true)

          const repaired = yield* Effect.scoped(
            Effect.flatMap(auditOf(copy), (audit) => Repair.run(audit, node, verified, { decoder })),
          )
          expect([name, repaired.failed, orphaned.length]).toEqual([name, [], repaired.orphaned])
          expect([name, dump(copy)]).toEqual([name, before])
        }
      }),
    )
  }

  it.effect("verify, repair: find and remove appearances without a document", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { file } = yield* indexed
      const node = yield* Node.make({ urls: [url], chainId })
      const expectRepaired = Effect.fnUntraced(function* (
        expected: ReadonlyArray<readonly [block: number, index: number]>,
        ...statements: ReadonlyArray<string>
      ) {
        const before = dump(file)
        damage(file, ...statements)
        const { issues, orphaned } = yield* verify(file)
        expect(yield* verify(file, { appearancesAtOnce: 7 })).toMatchObject({ issues, orphaned })
        expect(issues).toEqual([])
        expect(orphaned.map(({ block, index }) => [block, index])).toEqual(expected)
        const audit = yield* auditOf(file)
        yield* Repair.run(audit, node, yield* Verify.run(audit), { decoder })
        expect(dump(file)).toEqual(before)
      }, Effect.scoped)

      yield* expectRepaired(
        [
          [12, 0],
          [999, 3],
        ],
        `INSERT INTO history (key, id) VALUES (zeroblob(8), 12 * ${perBlock})`,
        `INSERT INTO history_copy (key, id) VALUES (zeroblob(8), 999 * ${perBlock} + 3)`,
      )
    }),
  )

  it.effect("repair: leaves a block that the node does not have unchanged, and names the remedy", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { file } = yield* indexed
      Stored.rewriteBlock(file, chainId, 12, "hash = zeroblob(32)")
      const before = dump(file)
      const node = yield* Node.make({ urls: [url], chainId })
      const repaired = yield* Effect.scoped(
        Effect.gen(function* () {
          const audit = yield* auditOf(file)
          return yield* Repair.run(audit, node, yield* Verify.run(audit), { decoder })
        }),
      )

      expect(repaired.failed.find(({ block }) => block === 12)?.why).toContain('run "daybook reindex --from 12"')
      expect(dump(file)[0]!.filter((row) => row["number"] === 12)).toEqual(
        before[0]!.filter((row) => row["number"] === 12),
      )
    }),
  )

  it.effect("reindex: removes blocks that the indexer fetches again, and refuses to run beside an indexer", () =>
    Effect.gen(function* () {
      const anvil = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const { file } = yield* indexed
      const before = dump(file)
      const store = yield* TestStore.inFolder(dirname(file))
      const options = { chain: ref, owner: "maintenance", from: 10, waitMillis: 100 }
      const removed = yield* Reindex.run(store.database, options)

      expect(removed).toMatchObject({ blocks: lastBlock - 9, head: { number: 9 } })
      const indexer = yield* start(store, [anvil.url])
      yield* indexer.until(caughtUp(lastBlock))
      const error = yield* Effect.flip(Reindex.run(store.database, options))
      yield* indexer.stop
      expect(error.message).toBe("Indexer running: test. Stop it, run the command again, then start it.")
      expect(dump(file)).toEqual(before)
      expect(yield* store.headers(0, lastBlock)).toEqual(yield* chainOf(anvil, lastBlock))
    }),
  )

  it.effect("backup: copies the database to a replacement folder while an indexer writes it", () =>
    Effect.gen(function* () {
      const { url } = yield* Anvil.Anvil
      const { lastBlock } = yield* Scenario.Scenario
      const base = yield* temporaryFolder
      const database = yield* Engine.fromUrl("sqlite:data", base)
      yield* database.apiKeys.add({ name: "alice", operator: false, empty: null })
      const mine = { name: "my chain", id: chainId }
      const store = yield* TestStore.open(database, mine)
      const indexer = yield* start(store, [url])
      yield* indexer.until(({ _tag }) => _tag === "Indexed")
      const copies = yield* database.backup([mine, { name: "never indexed", id: 1 }], join(base, "copy"))
      yield* indexer.until(caughtUp(lastBlock))
      yield* indexer.stop

      expect(copies.map(({ file }) => file)).toEqual(["chain-my-chain.sqlite", "daybook.sqlite"])
      const restored = yield* Engine.fromUrl("sqlite:copy", base)
      expect(yield* restored.apiKeys.list).toMatchObject([{ name: "alice" }])
      const { issues, orphaned } = yield* Verify.run(restored.chain(mine).audit)
      expect([issues, orphaned]).toEqual([[], []])
      const again = yield* start(yield* TestStore.open(restored, mine), [url])
      yield* again.until(caughtUp(lastBlock))
      yield* again.stop
      const file = "chain-my-chain.sqlite"
      expect(dump(join(base, "copy", file))).toEqual(dump(join(base, "data", file)))
    }),
  )
})
