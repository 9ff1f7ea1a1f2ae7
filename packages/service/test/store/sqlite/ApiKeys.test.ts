import { createHash } from "node:crypto"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { KeyGrant } from "../../../src/store/ApiKeys.ts"
import * as ApiKeys from "../../../src/store/sqlite/ApiKeys.ts"
import * as KeysFile from "../../../src/store/sqlite/KeysFile.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

const makeKeys = (file: string) => Effect.map(KeysFile.make(file), ApiKeys.make)

const alice: KeyGrant = { name: "alice", operator: false, empty: null }
const bob: KeyGrant = { name: "bob", operator: true, empty: "null" }

const opened = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const file = join(folder, "daybook.sqlite")
  return { folder, file, keys: yield* makeKeys(file) }
})

describe("ApiKeys", () => {
  it.effect("add: rejects a file from before the first release, and states what to do", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "daybook.sqlite")
      const database = new DatabaseSync(file)
      database.exec("CREATE TABLE api_key (name TEXT)")
      database.exec(`PRAGMA application_id=${KeysFile.schema.applicationId}; PRAGMA user_version=2`)
      database.close()

      expect((yield* Effect.flip((yield* makeKeys(file)).add(alice))).message).toBe(
        'Database of an unreleased version: daybook.sqlite has schema 2, this version needs 3 or later. Nothing was deleted. Move the file away, and add the keys again with "daybook keys add".',
      )
    }),
  )

  it.effect("list: finds no key in an empty file, as a full disk leaves one", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "daybook.sqlite")
      writeFileSync(file, "")

      expect(yield* (yield* makeKeys(file)).list).toEqual([])
    }),
  )

  it.effect("find: returns the grant of each added key, and of no other text", () =>
    Effect.gen(function* () {
      const { keys } = yield* opened
      const first = (yield* keys.add(alice))!
      const second = (yield* keys.add(bob))!

      expect(yield* keys.find(first)).toEqual(alice)
      expect(yield* keys.find(second)).toEqual(bob)
      for (const wrong of ["", "dbk_", Redacted.value(first).slice(0, -1), `${Redacted.value(first)} `, "alice"]) {
        expect(yield* keys.find(Redacted.make(wrong))).toBeNull()
      }
      expect(yield* keys.list).toMatchObject([alice, bob])
    }),
  )

  it.effect("add: rejects a name in use and leaves its key valid", () =>
    Effect.gen(function* () {
      const { keys } = yield* opened
      const key = (yield* keys.add(alice))!

      expect(yield* keys.add({ ...alice, operator: true })).toBeNull()
      expect(yield* keys.find(key)).toEqual(alice)
      expect(yield* keys.list).toMatchObject([alice])
    }),
  )

  it.effect("add: creates keys of 256 random bits that need no escaping in a path, and never prints them", () =>
    Effect.gen(function* () {
      const { keys } = yield* opened
      const made = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => `key ${index}`),
        (name) => keys.add({ ...alice, name }),
      )

      const texts = made.map((key) => Redacted.value(key!))
      for (const text of texts) expect(text).toMatch(/^dbk_[A-Za-z0-9_-]{43}$/)
      expect(new Set(texts).size).toBe(50)
      expect(inspect(made)).not.toContain(texts[0])
    }),
  )

  it.effect("add: stores the hash of a key and its time, never the key", () =>
    Effect.gen(function* () {
      const { file, folder, keys } = yield* opened
      yield* TestClock.adjust("5 seconds")
      const key = Redacted.value((yield* keys.add(bob))!)

      const database = new DatabaseSync(file)
      const rows = database.prepare("SELECT * FROM api_key").all()
      database.close()
      const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"))

      expect(rows).toEqual([
        {
          name: "bob",
          hash: new Uint8Array(createHash("sha256").update(key).digest()),
          operator: 1,
          empty: "null",
          created: 5000,
          options: null,
          expires: null,
          last_used: null,
          previous: null,
          previous_until: null,
        },
      ])
      expect(stored.join("")).toContain("bob")
      expect(stored.join("")).not.toContain(key.slice(4))
    }),
  )

  it.effect("find: accepts a key that another process added, and keeps keys when reopened", () =>
    Effect.gen(function* () {
      const { file, keys } = yield* opened
      const key = yield* Effect.scoped(Effect.flatMap(makeKeys(file), (other) => other.add(alice)))

      expect(yield* keys.find(key!)).toEqual(alice)
      expect(yield* (yield* makeKeys(file)).find(key!)).toEqual(alice)
    }),
  )

  it.effect("revoke: invalidates a key at once in other processes, and frees its name", () =>
    Effect.gen(function* () {
      const { file, keys } = yield* opened
      const first = (yield* keys.add(alice))!
      const kept = (yield* keys.add(bob))!
      expect(yield* keys.find(first)).toEqual(alice)

      const gone = yield* Effect.scoped(Effect.flatMap(makeKeys(file), (other) => other.revoke("alice")))

      expect([gone, yield* keys.revoke("alice"), yield* keys.revoke("")]).toEqual([true, false, false])
      expect(yield* keys.find(first)).toBeNull()
      expect(yield* keys.find(kept)).toEqual(bob)
      const second = (yield* keys.add(alice))!
      expect([yield* keys.find(first), yield* keys.find(second)]).toEqual([null, alice])
    }),
  )

  it.effect("list: returns names without writing, and none without a file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "daybook.sqlite")
      const keys = yield* makeKeys(file)
      const nothing = yield* keys.list
      const left = readdirSync(folder)
      yield* keys.add(alice)

      expect([nothing, left]).toEqual([[], []])
      expect(yield* keys.list).toMatchObject([alice])
    }),
  )

  it.effect("add: trims a name, and rejects one that is empty, too long or has two lines", () =>
    Effect.gen(function* () {
      const { keys } = yield* opened
      for (const name of ["", "  ", "x".repeat(101), "two\nlines", "a\tb"]) {
        const refused = yield* Effect.flip(keys.add({ ...alice, name }))
        expect(refused.message).toContain("expected a line of 1 to 100 characters")
      }
      const key = (yield* keys.add({ ...alice, name: ` ${"ä".repeat(100)} ` }))!

      expect((yield* keys.find(key))?.name).toBe("ä".repeat(100))
      expect((yield* keys.list).length).toBe(1)
    }),
  )
})
