/** Blocks of an earlier version are rewritten while the chain grows, is reorganised and is read. */
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Verify from "../../../src/maintenance/Verify.ts"
import { projection } from "../../../src/projection/WalletTransactions.ts"
import * as TestStore from "../TestStore.ts"
import * as Model from "../model.ts"
import { chainOn, refOf, wallets } from "../model.ts"
import { all, pageBodies } from "../TestDatabase.ts"
import { damage, dump } from "../../maintenance/damage.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import { upperCase } from "../projections.ts"
import * as Stored from "./storedRows.ts"

const ref = { name: "test", id: 31337 }
const inFile = (file: string) => TestStore.inFolder(dirname(file), ref)
const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "chain-test.sqlite"))

const expectPages = Effect.fn(function* (store: TestStore.TestStore, model: Model.Model) {
  for (const key of wallets) {
    for (const order of ["ASC", "DESC"] as const) {
      for (const limit of [2, 100]) {
        const query = { ...all, key, order, limit }
        const { rows } = yield* store.snapshot((snapshot) => snapshot.page(projection, query))
        expect(rows).toEqual(Model.page(model, query))
        const after = rows.at(-1)
        if (after === undefined) continue
        const rest = yield* store.snapshot((snapshot) => snapshot.page(projection, { ...query, after }))
        expect(rest.rows).toEqual(Model.page(model, { ...query, after }))
      }
    }
  }
})

/** A file with so many blocks in the layout of an earlier version, and its rows before they were given that layout. */
const earlierFile = Effect.fnUntraced(function* (count: number) {
  const file = yield* temporaryFile
  const blocks = chainOn(null, count)
  yield* Effect.scoped(Effect.flatMap(inFile(file), (store) => store.append(null, blocks)))
  const before = dump(file)
  Stored.downgrade(file, ref.id)
  return { file, blocks, before }
})

describe("rewrite", () => {
  it.effect.prop(
    "rewriteBlocks: changes nothing that readers see, whatever is appended and unwound meanwhile",
    { seed: Model.seed },
    ({ seed }) =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const numbers = Model.seeded(seed)
        const model = Model.empty()
        const append = Effect.fn(function* (store: TestStore.TestStore, step: number) {
          const blocks = Model.generateOn(model.blocks.at(-1), step, numbers)
          yield* store.append(Model.headOf(model), blocks)
          Model.append(model, blocks)
        })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* inFile(file)
            for (let step = 0; step < 6; step++) yield* append(store, step)
          }),
        )
        Stored.downgrade(file, ref.id)
        const store = yield* inFile(file)
        yield* expectPages(store, model)
        let isDone = false
        for (let step = 6; step < 40 && !isDone; step++) {
          const kind = numbers.below(4)
          if (kind === 0) yield* append(store, step)
          else if (kind === 1 && numbers.below(3) === 0 && model.blocks.length > 0) {
            const to = numbers.pick([null, ...model.blocks])
            yield* store.unwind(Model.headOf(model)!, to && refOf(to))
            Model.unwind(model, to && refOf(to))
          } else isDone = (yield* store.rewriteBlocks(numbers.below(5))).isDone
          yield* expectPages(store, model)
        }
        while (!(yield* store.rewriteBlocks(3)).isDone) yield* Effect.yieldNow

        yield* expectPages(store, model)
        expect(yield* store.snapshot((snapshot) => snapshot.blocksToRewrite)).toBe(0)
        const found = yield* Verify.run(store.database.chain(ref).audit)
        expect(found.orphaned).toEqual([])
        const [, , transactions, appearances] = dump(file)
        expect([transactions, appearances]).toEqual([[], []])
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 15 } },
  )

  it.effect("rewriteBlocks: gives the very rows of a file that was never in the earlier layout", () =>
    Effect.gen(function* () {
      const { before, file } = yield* earlierFile(30)
      const store = yield* inFile(file)
      const remaining = store.snapshot((snapshot) => snapshot.blocksToRewrite)

      expect(yield* remaining).toBe(30)
      expect(yield* store.rewriteBlocks(10)).toEqual({ transactions: 10, isDone: false })
      expect(yield* remaining).toBe(20)
      expect(yield* store.rewriteBlocks(100)).toEqual({ transactions: 20, isDone: true })
      expect(yield* store.rewriteBlocks(100)).toEqual({ transactions: 0, isDone: true })
      expect(dump(file)).toEqual(before)
    }),
  )

  it.effect("rewriteBlocks: removes the histories of the earlier layout in steps once every block is rewritten", () =>
    Effect.gen(function* () {
      const { before, file } = yield* earlierFile(120)
      const store = yield* inFile(file)
      const left = () => dump(file)[3]!.length
      const orphaned = Effect.map(Verify.run(store.database.chain(ref).audit), (found) => found.orphaned)
      const all = left()

      expect((yield* store.rewriteBlocks(119)).isDone).toBe(false)
      expect(left()).toBe(all)
      expect(yield* orphaned).toEqual([])
      expect(yield* store.rewriteBlocks(1)).toEqual({ transactions: 1, isDone: false })
      expect(left()).toBe(all - 50)
      expect(yield* orphaned).toEqual([])
      expect((yield* store.rewriteBlocks(1)).isDone).toBe(false)
      expect(yield* store.rewriteBlocks(1)).toEqual({ transactions: 0, isDone: true })
      expect(dump(file)).toEqual(before)
    }),
  )

  it.effect("rewriteBlocks: gives no checksum to a block above, which lost its own", () =>
    Effect.gen(function* () {
      const { blocks, file } = yield* earlierFile(30)
      const lowest = blocks[20]!.number
      yield* Effect.scoped(Effect.flatMap(inFile(file), (store) => store.rewriteBlocks(10)))
      damage(file, `UPDATE block SET checksum = NULL WHERE number IN (${lowest}, ${lowest + 1})`)
      const store = yield* inFile(file)
      yield* store.rewriteBlocks(10)
      const blockOf = (number: number) => Effect.flip(store.snapshot((snapshot) => snapshot.block(number)))

      expect(yield* blockOf(lowest)).toMatchObject({ damagedBlock: lowest })
      expect(yield* blockOf(lowest + 1)).toMatchObject({ damagedBlock: lowest + 1 })
    }),
  )

  it.effect("unwind: leaves nothing in the histories of the earlier layout that a later block could meet", () =>
    Effect.gen(function* () {
      const { before, blocks, file } = yield* earlierFile(30)
      const store = yield* inFile(file)
      yield* store.rewriteBlocks(10)
      yield* store.unwind(refOf(blocks[29]!), refOf(blocks[14]!))
      yield* store.append(refOf(blocks[14]!), blocks.slice(15))
      while (!(yield* store.rewriteBlocks(10)).isDone) yield* Effect.yieldNow

      expect(yield* pageBodies(store)).toEqual(
        blocks.flatMap(({ transactions }) => transactions.map(({ body }) => body)),
      )
      expect(dump(file)).toEqual(before)
    }),
  )

  it.effect("fill: decodes documents of both layouts again", () =>
    Effect.gen(function* () {
      const { blocks, file } = yield* earlierFile(6)
      const store = yield* inFile(file)
      yield* store.rewriteBlocks(3)
      const documents = upperCase(2)
      while (!(yield* store.fill(documents, 1)).isDone) yield* Effect.yieldNow

      expect(yield* pageBodies(store)).toEqual(
        blocks.flatMap(({ transactions }) => transactions.map(({ body }) => body.toUpperCase())),
      )
    }),
  )
})
