/** Rows that match their checksum but cannot be read: they count as damaged like those that do not match. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Verify from "../../../src/maintenance/Verify.ts"
import { projection } from "../../../src/projection/WalletTransactions.ts"
import { damage } from "../../maintenance/damage.ts"
import { blockOn, refOf } from "../model.ts"
import { entriesOf, hashes, upperCase } from "../projections.ts"
import { all, ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"
import * as Stored from "./storedRows.ts"

const first = blockOn(null, { facts: '{"of":"first"}' })
const second = blockOn(refOf(first), { facts: '{"of":"second"}' })
const wallet = first.transactions[0]!.addresses[0]!

/** A store of two blocks with facts, after `change` has changed its file. */
const changed = Effect.fnUntraced(function* (change: (file: string) => void) {
  const folder = yield* temporaryFolder
  yield* Effect.scoped(Effect.flatMap(TestStore.inFolder(folder, ref), (store) => store.append(null, [first, second])))
  change(join(folder, "chain-test.sqlite"))
  return yield* TestStore.inFolder(folder, ref)
})

const unreadable = (file: string) => Stored.rewriteFacts(file, ref.id, second.number, new Uint8Array([1, 2, 3]))

describe("Facts", () => {
  it.effect("blockFacts: fails with the block for facts that cannot be decompressed, and returns those of others", () =>
    Effect.gen(function* () {
      const store = yield* changed(unreadable)
      const factsOf = (number: number) => store.snapshot((snapshot) => snapshot.blockFacts(number))

      expect(yield* factsOf(first.number)).toBe(first.facts)
      expect(yield* Effect.flip(factsOf(second.number))).toMatchObject({
        _tag: "StoreError",
        damagedBlock: second.number,
        isRetryable: false,
        message: expect.stringContaining("its facts cannot be decompressed"),
      })
    }),
  )

  it.effect("verify: reports facts that cannot be decompressed, and continues with the other blocks", () =>
    Effect.gen(function* () {
      const store = yield* changed(unreadable)
      const { blocks, issues } = yield* Verify.run(store.database.chain(ref).audit)

      expect(blocks).toBe(2)
      expect(issues.filter(({ block }) => block === second.number).map(({ what }) => what)).toContain(
        "its facts do not match their checksum",
      )
    }),
  )

  it.effect(
    "fill: documents and histories are derived from blocks whose facts are damaged; entries may need the facts",
    () =>
      Effect.gen(function* () {
        const store = yield* changed(unreadable)

        expect(yield* store.fill({ ...projection, revision: projection.revision + 1 }, 100)).toEqual({
          transactions: 2,
          isDone: true,
        })
        expect(yield* store.fill(upperCase(9), 100)).toEqual({ transactions: 2, isDone: true })
        expect(yield* Effect.flip(store.fill(hashes(1), 100))).toMatchObject({ damagedBlock: second.number })
        expect(yield* entriesOf(store, wallet)).toEqual([])
      }),
  )

  it.effect("page, verify: a document that cannot be decompressed is reported as a damaged block", () =>
    Effect.gen(function* () {
      const store = yield* changed((file) => Stored.rewriteFrame(file, second.number, 0, new Uint8Array([1, 2, 3])))
      const failure = yield* store
        .snapshot((snapshot) => snapshot.page(projection, { ...all, key: wallet }))
        .pipe(Effect.flip)
      const { issues } = yield* Verify.run(store.database.chain(ref).audit)

      expect(failure).toMatchObject({ damagedBlock: second.number })
      expect(failure.message).toContain("transaction 0 cannot be read")
      expect(issues.filter(({ block }) => block === second.number).map(({ what }) => what)).toContain(
        "transaction 0 does not match its checksum",
      )
    }),
  )

  it.effect("blockFacts: fails with the block if its facts are lost", () =>
    Effect.gen(function* () {
      const store = yield* changed((file) => damage(file, `DELETE FROM facts WHERE block = ${second.number}`))
      const failure = yield* Effect.flip(store.snapshot((snapshot) => snapshot.blockFacts(second.number)))

      expect(failure).toMatchObject({ damagedBlock: second.number })
      expect(failure.message).toContain("its facts do not match their checksum")
    }),
  )
})
