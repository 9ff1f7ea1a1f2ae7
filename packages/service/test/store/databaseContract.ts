/** Contract tests of a whole database: several chains, API keys and the audit. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { digestOf, type KeyGrant } from "../../src/store/ApiKeys.ts"
import * as Model from "./model.ts"
import { blockOn, chainOn, refOf, wallets } from "./model.ts"
import { entriesOf, expectedEntries, hashes } from "./projections.ts"
import * as TestDatabase from "./TestDatabase.ts"
import { all, bodiesOf, pageBodies } from "./TestDatabase.ts"
import * as TestStore from "./TestStore.ts"

const alice: KeyGrant = { name: "alice", operator: false, empty: null }
const other = { name: "other chain", id: 5 }

/** Runs the suites of a whole database against an engine. */
export const databaseContract = (database: TestDatabase.Make, law: TestDatabase.Laws): void => {
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
      law(20),
    )
  })

  describe("disk use", () => {
    it.effect("diskUse: is the space used by a chain with blocks, and null before it exists", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        yield* store.append(null, chainOn(null, 3))
        const { status } = store.database
        const use = yield* status.diskUse(store.ref)
        const absent = yield* Effect.orElseSucceed(status.diskUse(other), () => null)

        expect(use?.data).toBeGreaterThan(4096)
        expect(use?.log === null || use!.log >= 0).toBe(true)
        expect(absent).toBeNull()
      }),
    )
  })

  describe("API keys", () => {
    it.effect("find: returns the grant of each added key, also to other processes, and of no other text", () =>
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

    it.effect("add: keeps the restrictions, the rate limit and the expiry of a key", () =>
      Effect.gen(function* () {
        const { connect } = yield* opened
        const { apiKeys } = yield* connect
        const narrow: KeyGrant = {
          ...alice,
          options: {
            chains: ["eth", "my chain"],
            methods: ["eth_call"],
            operations: ["relay"],
            rateLimit: { perSecond: 3, burst: 9 },
          },
          expires: 1_900_000_000_123,
        }
        const key = (yield* apiKeys.add(narrow))!

        expect(yield* apiKeys.find(key)).toEqual(narrow)
        expect(yield* apiKeys.list).toMatchObject([{ ...narrow, lastUsed: null }])
      }),
    )

    it.effect("digests: lists those of all keys, including replaced ones", () =>
      Effect.gen(function* () {
        const { connect } = yield* opened
        const { apiKeys } = yield* connect
        const first = (yield* apiKeys.add(alice))!
        const second = (yield* apiKeys.rotate(alice.name, 1_000))!
        const other = (yield* apiKeys.add({ ...alice, name: "other" }))!

        expect((yield* apiKeys.digests).toSorted()).toEqual([first, second, other].map(digestOf).toSorted())
      }),
    )

    it.effect("rotate: creates another key with the same grant, and accepts the previous one until a time", () =>
      Effect.gen(function* () {
        const { connect } = yield* opened
        const { apiKeys } = yield* connect
        const first = (yield* apiKeys.add(alice))!
        const second = (yield* apiKeys.rotate("alice", 1_000))!
        const both = [yield* apiKeys.find(first), yield* apiKeys.find(second)]
        yield* TestClock.adjust("1 second")
        const later = [yield* apiKeys.find(first), yield* apiKeys.find(second)]
        const third = (yield* apiKeys.rotate("alice", 0))!

        expect(both).toEqual([alice, alice])
        expect(later).toEqual([null, alice])
        expect([yield* apiKeys.find(second), yield* apiKeys.find(third)]).toEqual([null, alice])
        expect(yield* apiKeys.rotate("bob", 0)).toBeNull()
        expect(yield* apiKeys.list).toHaveLength(1)
      }),
    )

    it.effect("use: records the latest time, whatever the order", () =>
      Effect.gen(function* () {
        const { connect } = yield* opened
        const { apiKeys } = yield* connect
        yield* apiKeys.add(alice)
        yield* apiKeys.use("alice", 1_900_000_000_000)
        yield* apiKeys.use("alice", 1_800_000_000_000)
        yield* apiKeys.use("bob", 1)

        expect((yield* apiKeys.list).map(({ lastUsed, name }) => [name, lastUsed])).toEqual([
          ["alice", 1_900_000_000_000],
        ])
      }),
    )

    it.effect.prop(
      "any sequence of add and revoke: find and list return what a map of names returns",
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
          expect(yield* apiKeys.list).toMatchObject(grants.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
        }).pipe(Effect.scoped),
      law(15),
    )
  })

  describe("audit", () => {
    it.effect("range: returns the stored rows of a range with the checkpoint, and finds no issue", () =>
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

    it.effect("replace: rejects a block with another hash, or outside the index, and changes nothing", () =>
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
}
