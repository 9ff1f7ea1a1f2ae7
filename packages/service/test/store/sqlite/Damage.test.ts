/** Damages a chain's file at random and compares what is served with what was stored: a wrong row is never served. */
import * as Runs from "@daybook/harness/Runs"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { vi } from "vitest"
import { Effect } from "effect"
import { projection } from "../../../src/projection/WalletTransactions.ts"
import type { ChainReader } from "../../../src/store/ChainReader.ts"
import * as Engine from "../../../src/store/Engine.ts"
import * as TestStore from "../TestStore.ts"
import { address, blockOn, refOf, seeded } from "../model.ts"
import type { Seeded } from "../model.ts"
import { all } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"

vi.setConfig({ testTimeout: 600_000 })

/** Rounds of each kind of damage; a long run sets more. */
const rounds = Runs.usual(30)

const ref = { name: "test", id: 31337 }
const wallets = Array.from({ length: 40 }, (_, index) => address(index))
const long = "0123456789abcdef".repeat(2_000)

/** A chain with wallets of many and of few transactions, long documents, and blocks without transactions. */
const write = Effect.fn(function* (file: string) {
  const numbers = seeded(7)
  const store = yield* TestStore.inFolder(dirname(file), ref)
  let head = null
  for (let count = 0; count < 60; count++) {
    const transactions = Array.from({ length: numbers.below(6) }, () => [
      ...new Set([wallets[numbers.below(5)]!, numbers.pick(wallets)]),
    ])
    const facts =
      numbers.below(4) === 0 ? {} : { facts: JSON.stringify({ of: count, text: long.slice(0, 40 * count) }) }
    const block = blockOn(head, { transactions, timestamp: 1_000 + count * 7, ...facts })
    const rows = block.transactions.map((row) =>
      numbers.below(20) === 0 ? { ...row, body: JSON.stringify({ text: long, of: row.hash }) } : row,
    )
    yield* store.append(head && refOf(head), [{ ...block, transactions: rows }])
    head = block
  }
  yield* store.finalize(40)
})

/** Everything from which pages and status are built, read one by one: each is a value or the failure of its read. */
const readAll = (reader: ChainReader) => {
  const one = <A>(read: Effect.Effect<A, unknown>) => Effect.map(Effect.result(read), (result) => result)
  const pages = wallets.flatMap((key) =>
    (["ASC", "DESC"] as const).flatMap((order) =>
      [1, 9, 1_000].map((limit) =>
        one(reader.snapshot((snapshot) => snapshot.page(projection, { ...all, key, order, limit }))),
      ),
    ),
  )
  const times = [0, 1_000, 1_003, 1_007, 1_200, 1_413, 9_999].flatMap((time) => [
    one(reader.snapshot((snapshot) => snapshot.firstAtOrAfter(time))),
    one(reader.snapshot((snapshot) => snapshot.lastAtOrBefore(time))),
  ])
  const blocks = [9, 10, 30, 69, 70].map((number) => one(reader.snapshot((snapshot) => snapshot.block(number))))
  const facts = Array.from({ length: 60 }, (_, index) =>
    one(reader.snapshot((snapshot) => snapshot.blockFacts(10 + index))),
  )
  return Effect.all([one(reader.snapshot((snapshot) => snapshot.checkpoint)), ...blocks, ...facts, ...times, ...pages])
}

const readFile = (file: string) =>
  Effect.scoped(
    Effect.flatMap(Engine.fromUrl(`sqlite:${dirname(file)}`, "/"), (database) => readAll(database.chain(ref).reader)),
  )

const kinds: Readonly<Record<string, (bytes: Buffer, numbers: Seeded) => void>> = {
  "one byte": (bytes, numbers) => {
    bytes[numbers.below(bytes.length)]! ^= 1 + numbers.below(255)
  },
  "one bit": (bytes, numbers) => {
    bytes[numbers.below(bytes.length)]! ^= 1 << numbers.below(8)
  },
  "a sector of zeros": (bytes, numbers) => {
    const at = numbers.below(bytes.length / 512) * 512
    bytes.fill(0, at, at + 512)
  },
  "a page in the place of another": (bytes, numbers) => {
    const pages = bytes.length / 16_384
    const from = numbers.below(pages) * 16_384
    bytes.copyWithin(numbers.below(pages) * 16_384, from, from + 16_384)
  },
}

describe("a damaged file", () => {
  for (const [kind, damage] of Object.entries(kinds)) {
    it.effect(`a read returns what was stored or fails, whatever ${kind} damaged`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const file = join(folder, "chain-test.sqlite")
        yield* Effect.scoped(write(file))
        const sound = readFileSync(file)
        const expected = yield* readFile(file)
        expect(expected.every(({ _tag }) => _tag === "Success")).toBe(true)

        const numbers = seeded(1)
        let failures = 0
        for (let round = 0; round < rounds; round++) {
          const bytes = Buffer.from(sound)
          damage(bytes, numbers)
          writeFileSync(file, bytes)
          const found = yield* readFile(file)
          for (const [at, result] of found.entries()) {
            if (result._tag === "Failure") failures++
            else expect([round, at, result]).toEqual([round, at, expected[at]])
          }
        }
        expect(failures).toBeGreaterThan(0)
      }),
    )
  }
})
