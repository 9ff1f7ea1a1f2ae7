/**
 * The part of the contract that is about a whole database: several chains, API keys, the audit and backups.
 */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { KeyGrant } from "../../src/store/ApiKeys.ts"
import * as Model from "./model.ts"
import { blockOn, chainOn, refOf, wallets } from "./model.ts"
import { entriesOf, expectedEntries, hashes } from "./projections.ts"
import * as TestDatabase from "./TestDatabase.ts"
import { all, bodiesOf, pageBodies } from "./TestDatabase.ts"
import * as TestStore from "./TestStore.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const alice: KeyGrant = { name: "alice", operator: false, empty: null }
const other = { name: "other chain", id: 5 }

/** Runs the suites of a whole database against an engine. */
export const databaseContract = (database: TestDatabase.Make): void => {
  const opened = TestDatabase.opened(database)

  describe("two chains of one database", () => {
    it.effect("same block numbers and hashes: neither chain ever sees the other's rows, leases or status", () =>
      Effect.gen(function* () {
        const { store: one } = yield* opened
        const two = yield* TestStore.open(one.database, other)
        const blocks = chainOn(null, 3)
        const same = blocks.map((block) => ({
          ...block,
          transactions: block.transactions.map((row) => ({
            ...row,
            body: `{"chain":"other","block":${block.number}}`,
          })),
        }))
        yield* one.append(null, blocks)
        yield* two.append(null, same)
        yield* one.fill(hashes(1), 100)
        yield* one.writeStatus({ state: "synced", traces: "off", nodeHead: 12, message: "" })
        const token = yield* one.database.leases.acquire(one.ref, "one", 1_000)

        expect(yield* pageBodies(one)).toEqual(bodiesOf(blocks))
        expect(yield* pageBodies(two)).toEqual(bodiesOf(same))
        expect(yield* entriesOf(two, wallets[0]!)).toEqual([])
        expect(yield* two.readStatus).toBeNull()
        expect(token).not.toBeNull()
        expect(yield* one.database.leases.acquire(other, "two", 1_000)).not.toBeNull()
        yield* one.database.leases.release(one.ref, token!)
        yield* one.unwind(refOf(blocks[2]!), null)
        expect(yield* pageBodies(one)).toEqual([])
        expect(yield* pageBodies(two)).toEqual(bodiesOf(same))
        expect((yield* one.database.chain(other).audit.orphanedAppearances(null, 99)).orphaned).toEqual([])
      }),
    )

    it.effect.prop(
      "any interleaving of writes: each chain equals its own model",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { store } = yield* opened
          const chains = [
            { store, model: Model.empty() },
            { store: yield* TestStore.open(store.database, other), model: Model.empty() },
          ] as const
          const numbers = Model.seeded(seed)
          for (let step = 0; step < 20; step++) {
            const { model, store } = numbers.pick(chains)
            const head = Model.headOf(model)
            if (numbers.below(3) > 0 || head === null) {
              const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
              yield* store.append(head, blocks)
              Model.append(model, blocks)
            } else {
              const to = refOf(numbers.pick(model.blocks))
              yield* store.unwind(head, to)
              Model.unwind(model, to)
            }
          }
          for (const { model, store } of chains) {
            expect(yield* store.headers(0, 1_000)).toEqual(model.blocks.map(refOf))
            for (const key of wallets)
              expect(yield* pageBodies(store, { ...all, key })).toEqual(
                Model.page(model, { ...all, key }).map(({ body }) => body),
              )
            while (!(yield* store.fill(hashes(1), 5)).isDone) yield* Effect.yieldNow
            for (const key of wallets) expect(yield* entriesOf(store, key)).toEqual(expectedEntries(model.blocks, key))
          }
        }).pipe(Effect.scoped),
      { arbitrary: { runs: 20 }, timeout: 30_000 },
    )
  })

  describe("API keys", () => {
    it.effect("find: gives the grant of each key that was added, to other processes too, and of no other text", () =>
      Effect.gen(function* () {
        const { connect } = yield* opened
        const { apiKeys } = yield* connect
        const others = (yield* connect).apiKeys
        const key = (yield* apiKeys.add(alice))!

        expect(yield* others.find(key)).toEqual(alice)
        for (const wrong of ["", "dbk_", Redacted.value(key).slice(0, -1), `${Redacted.value(key)} `, "alice"]) {
          expect(yield* others.find(Redacted.make(wrong))).toBeNull()
        }
      }),
    )

    it.effect.prop(
      "any sequence of add and revoke: find and list give what a map of names gives",
      { seed: Model.seed },
      ({ seed }) =>
        Effect.gen(function* () {
          const { connect } = yield* opened
          const { apiKeys } = yield* connect
          const numbers = Model.seeded(seed)
          const model = new Map<string, readonly [key: Redacted.Redacted<string>, grant: KeyGrant]>()
          const revoked: Array<Redacted.Redacted<string>> = []
          for (let step = 0; step < 20; step++) {
            const name = numbers.pick(["a", "b", "c"])
            const held = model.get(name)
            if (numbers.below(2) === 0) {
              const grant: KeyGrant = {
                name,
                operator: numbers.below(2) === 0,
                empty: numbers.pick([null, "null", "string"]),
              }
              const key = yield* apiKeys.add(grant)
              expect(key === null).toBe(held !== undefined)
              if (key !== null) model.set(name, [key, grant])
            } else {
              expect(yield* apiKeys.revoke(name)).toBe(held !== undefined)
              if (held !== undefined) revoked.push(held[0])
              model.delete(name)
            }
          }
          for (const [key, grant] of model.values()) expect(yield* apiKeys.find(key)).toEqual(grant)
          for (const key of revoked) expect(yield* apiKeys.find(key)).toBeNull()
          const grants = [...model.values()].map(([, grant]) => grant)
          expect(yield* apiKeys.list).toEqual(grants.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
        }).pipe(Effect.scoped),
      { arbitrary: { runs: 15 }, timeout: 30_000 },
    )
  })

  describe("audit", () => {
    it.effect("range: gives the stored rows of a range with the checkpoint, and finds no issue", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        const { audit } = store.database.chain(store.ref)

        const { blocks: stored, checkpoint } = yield* audit.range(11, 99)

        expect(checkpoint?.head).toEqual(refOf(blocks[2]!))
        expect(stored).toMatchObject(
          blocks.slice(1).map(({ hash, number, transactions }) => ({ number, hash, transactions, count: 1 })),
        )
        expect(yield* audit.engineIssues).toEqual([])
      }),
    )

    it.effect("replace: replaces the rows of a stored block, and derives its entries again", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        yield* store.fill(hashes(1), 100)
        const replaced = {
          ...blocks[1]!,
          transactions: [{ ...blocks[1]!.transactions[0]!, hash: blocks[0]!.hash, body: "{}" }],
        }
        const repairer = yield* store.database.chain(store.ref).audit.repairer

        expect(yield* repairer.replace(replaced)).toBe(true)

        while (!(yield* store.fill(hashes(1), 1)).isDone) yield* Effect.yieldNow
        const repaired = [blocks[0]!, replaced, blocks[2]!]
        expect(yield* pageBodies(store)).toEqual(bodiesOf(repaired))
        expect(yield* entriesOf(store, wallets[0]!)).toEqual(expectedEntries(repaired, wallets[0]!))
      }),
    )

    it.effect("replace: refuses a block of another hash, or outside the index, and changes nothing", () =>
      Effect.gen(function* () {
        const { dump, store } = yield* opened
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        const before = yield* dump
        const repairer = yield* store.database.chain(store.ref).audit.repairer

        expect(yield* repairer.replace(blockOn(blocks[0]!, { fork: "b" }))).toBe(false)
        expect(yield* repairer.replace(blockOn(blocks[2]!))).toBe(false)
        const { last } = yield* store.database.chain(store.ref).audit.orphanedAppearances(null, 1)
        yield* repairer.removeOrphaned([last!])

        expect(yield* dump).toEqual(before)
      }),
    )
  })

  describe("backup", () => {
    it.effect("backup: gives a database with the same chains and keys", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        if (restore === undefined) return
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

    it.effect("backup: carries the state stopped, with what to do, whatever the indexer of the original reports", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        if (restore === undefined) return
        yield* store.writeStatus({ state: "synced", traces: "off", nodeHead: 7, headAgeMillis: 5, message: "Synced." })
        const folder = join(yield* temporaryFolder, "copy")

        yield* store.database.backup([store.ref], folder)

        const copied = yield* (yield* restore(folder)).status.read(store.ref)
        expect(copied).toMatchObject({ state: "stopped", traces: "off", nodeHead: null })
        expect(copied?.message).toMatch(
          /^This is a backup of .*Z\. To use it in place of the database, name its folder as "database" and /,
        )
        expect(copied?.headAgeMillis).toBeUndefined()
        expect((yield* store.database.status.read(store.ref))?.state).toBe("synced")
      }),
    )

    it.effect("backup: brings a copy up to date, with the keys as they are now", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        if (restore === undefined) return
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

        const [copied] = yield* store.database.backup([store.ref], folder)

        const restored = yield* restore(folder)
        expect(copied).toMatchObject({ blocks: 1, head: 12 })
        expect(yield* pageBodies(restored.chain(store.ref).reader)).toEqual(bodiesOf([blocks[0]!, blocks[1]!, branch]))
        expect(yield* restored.apiKeys.find(key)).toBeNull()
      }),
    )

    it.effect("backup: refuses the folder of the database itself", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        if (restore === undefined) return
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
    it.effect("restore: copies the chains of a folder, but no keys, into a database that goes on from there", () =>
      Effect.gen(function* () {
        const { restore, store } = yield* opened
        if (restore === undefined) return
        const blocks = chainOn(null, 3)
        yield* store.append(null, blocks)
        yield* store.database.apiKeys.add(alice)
        const base = yield* temporaryFolder
        yield* store.database.backup([store.ref], join(base, "copy"))
        const fresh = yield* restore(join(base, "fresh"))

        const copies = yield* fresh.restore([store.ref, other], join(base, "copy"))

        expect(copies).toMatchObject([{ blocks: 3, head: 12 }])
        expect(yield* fresh.apiKeys.list).toEqual([])
        const restored = yield* TestStore.open(fresh, store.ref)
        expect(yield* pageBodies(restored)).toEqual(bodiesOf(blocks))
        yield* restored.append(refOf(blocks[2]!), [blockOn(blocks[2]!)])
      }),
    )

    it.effect("restore: refuses a chain that is indexed already, and changes nothing", () =>
      Effect.gen(function* () {
        const { dump, restore, store } = yield* opened
        if (restore === undefined) return
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
