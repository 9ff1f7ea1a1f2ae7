/** Contract tests of backups, for engines that support them. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { KeyGrant } from "../../src/store/ApiKeys.ts"
import { blockOn, chainOn, refOf } from "./model.ts"
import * as TestDatabase from "./TestDatabase.ts"
import { bodiesOf, pageBodies } from "./TestDatabase.ts"
import * as TestStore from "./TestStore.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const alice: KeyGrant = { name: "alice", operator: false, empty: null }

const other = { name: "other chain", id: 5 }

/** Runs the suite of backups against an engine. */
export const backupContract = (database: TestDatabase.Make<TestDatabase.Copied>): void => {
  const opened = TestDatabase.opened(database)

  describe("backup", () => {
    it.effect("backup: creates a database with the same chains and keys", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        const key = (yield* store.database.apiKeys.add(alice))!
        const folder = join(yield* temporaryFolder, "copy")

        const copies = yield* store.database.backup([store.ref, other], folder)

        const restored = yield* restore(folder)
        const copy = yield* TestStore.open(restored, store.ref)
        expect(copies.every(({ bytes }) => bytes > 0)).toBe(true)
        expect(yield* pageBodies(copy)).toEqual(bodiesOf(blocks))
        expect(yield* restored.apiKeys.find(key)).toEqual(alice)
        yield* copy.append(refOf(blocks[2]!), [blockOn(blocks[2]!)])
      }),
    )

    it.effect("backup: sets the state stopped, with what to do, whatever the indexer of the original reports", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        yield* store.writeStatus({ state: "synced", traces: "off", nodeHead: 7, headAgeMillis: 5, message: "Synced." })
        const folder = join(yield* temporaryFolder, "copy")

        yield* store.database.backup([store.ref], folder)

        const copied = yield* (yield* restore(folder)).status.read(store.ref)
        expect(copied).toMatchObject({ state: "stopped", traces: "off", nodeHead: null })
        expect(copied?.message).toMatch(
          /^This is a backup of .*Z\. To use it instead of the database, name its folder as "database" and /,
        )
        expect(copied?.headAgeMillis).toBeUndefined()
        expect((yield* store.database.status.read(store.ref))?.state).toBe("synced")
      }),
    )

    it.effect("backup: brings a copy up to date, with the current keys and contracts", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        const { apiKeys } = store.database
        const key = (yield* apiKeys.add(alice))!
        const folder = join(yield* temporaryFolder, "copy")
        yield* store.database.backup([store.ref], folder)
        yield* store.unwind(refOf(blocks[2]!), refOf(blocks[1]!))
        const branch = blockOn(blocks[1]!, { fork: "b" })
        yield* store.append(refOf(blocks[1]!), [branch])
        yield* apiKeys.revoke(alice.name)
        const described = { address: null, name: "pack", source: "command", abi: "[]", implementations: [] }
        yield* store.database.contracts.put(store.ref, [described])

        const [copied] = yield* store.database.backup([store.ref], folder)

        const restored = yield* restore(folder)
        expect(copied).toMatchObject({ blocks: 1, head: 12 })
        expect(yield* pageBodies(restored.chain(store.ref).reader)).toEqual(bodiesOf([blocks[0]!, blocks[1]!, branch]))
        expect(yield* restored.apiKeys.find(key)).toBeNull()
        expect(yield* restored.contracts.list(store.ref)).toEqual([described])
      }),
    )

    it.effect("backup: rejects the folder of the database itself", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        yield* store.append(null, chainOn(null, 1))
        const folder = join(yield* temporaryFolder, "copy")
        yield* store.database.backup([store.ref], folder)
        const copy = yield* restore(folder)

        const refused = yield* Effect.flip(copy.backup([store.ref], folder))

        expect(refused.message).toBe(`Folder of the database itself: ${folder}. Name another folder.`)
      }),
    )
  })

  describe("restore", () => {
    it.effect("restore: copies the chains of a folder, but no keys, into a database that continues from there", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        yield* store.writeStatus({ state: "synced", traces: "off", nodeHead: 12, headAgeMillis: 5, message: "Synced." })
        yield* store.database.apiKeys.add(alice)
        const base = yield* temporaryFolder
        yield* store.database.backup([store.ref], join(base, "copy"))
        const fresh = yield* restore(join(base, "fresh"))

        const copies = yield* fresh.restore([store.ref, other], join(base, "copy"))

        expect(copies).toMatchObject([{ blocks: 3, head: 12 }])
        expect(yield* fresh.apiKeys.list).toEqual([])
        const status = yield* fresh.status.read(store.ref)
        expect(status?.message).toMatch(/^Restored at .*Z from a backup\. Start "daybook serve"\.$/)
        const restored = yield* TestStore.open(fresh, store.ref)
        expect(yield* pageBodies(restored)).toEqual(bodiesOf(blocks))
        yield* restored.append(refOf(blocks[2]!), [blockOn(blocks[2]!)])
      }),
    )

    it.effect("restore: rejects a chain that is already indexed, and changes nothing", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        yield* store.append(null, chainOn(null, 3))
        const folder = join(yield* temporaryFolder, "copy")
        yield* store.database.backup([store.ref], folder)
        const before = yield* dump

        const refused = yield* Effect.flip(store.database.restore([store.ref], folder))

        expect(refused.message).toMatch(
          /^Database not empty: test is indexed up to block 12 in .*\. Move the file away first\.$/,
        )
        expect(yield* dump).toEqual(before)
      }),
    )
  })
}
