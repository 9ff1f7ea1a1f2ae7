/** Contract tests of the watched wallets of an index that is limited to them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chainOn, refOf } from "./model.ts"
import type * as TestDatabase from "./TestDatabase.ts"
import { ref } from "./TestDatabase.ts"
import * as TestStore from "./TestStore.ts"

const [mine, added, other] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]

/** Runs the suite of watched wallets against an engine. */
export const watchContract = (database: TestDatabase.Make): void => {
  /** An empty database, and functions that use it as other processes would. */
  const openedDatabase = Effect.gen(function* () {
    const { connect } = yield* database
    const connected = yield* connect
    const { changeWatch, reader, writer } = connected.chain(ref)
    return {
      open: (...watch: ReadonlyArray<string>) => TestStore.open(connected, ref, { watch: new Set(watch) }),
      writer: (...watch: ReadonlyArray<string>) => writer({ watch: new Set(watch) }),
      change: (_tag: "Add" | "Remove", ...wallets: ReadonlyArray<string>) => changeWatch({ _tag, wallets }),
      stated: reader.snapshot(({ checkpoint }) =>
        Effect.map(checkpoint, (stored) => [stored?.watch, stored?.addedFrom]),
      ),
    }
  })

  describe("changeWatch", () => {
    it.effect("changeWatch: changes nothing in an empty index, and in one of every wallet", () =>
      Effect.gen(function* () {
        const { connect } = yield* database
        const connected = yield* connect
        const { changeWatch } = connected.chain(ref)
        const store = yield* TestStore.open(connected, ref, { watch: null })
        const empty = yield* changeWatch({ _tag: "Add", wallets: [added] })
        yield* store.append(null, chainOn(null, 2))

        const everyWallet = yield* changeWatch({ _tag: "Add", wallets: [added] })

        expect(empty).toEqual({ checkpoint: null, changed: [] })
        expect(everyWallet).toMatchObject({ checkpoint: { head: { number: 11 } }, changed: [] })
        expect(everyWallet.checkpoint).not.toHaveProperty("watch")
      }),
    )

    it.effect("changeWatch: a wallet is complete from the block after those that were indexed without it", () =>
      Effect.gen(function* () {
        const { change, open, stated, writer } = yield* openedDatabase
        const blocks = chainOn(null, 6)
        const store = yield* open(mine)
        const before = yield* writer(mine)
        yield* store.append(null, blocks.slice(0, 2))
        const result = yield* change("Add", added, mine)
        const atOnce = yield* stated
        const isChanged = yield* before.isWatchChanged
        yield* store.append(refOf(blocks[1]!), blocks.slice(2, 4))
        const stale = yield* stated
        const after = yield* writer(mine)
        const current = yield* open(mine)
        yield* current.append(refOf(blocks[3]!), blocks.slice(4))

        expect(result.changed).toEqual([added])
        expect(result.checkpoint).toMatchObject({ watch: [mine, added], addedFrom: { [added]: 12 } })
        expect(atOnce).toEqual([[mine, added], { [added]: 12 }])
        expect([[...before.watch!], isChanged]).toEqual([[mine], true])
        expect(stale).toEqual([[mine, added], { [added]: 14 }])
        expect([[...after.watch!], yield* after.isWatchChanged]).toEqual([[mine, added], false])
        expect(yield* stated).toEqual(stale)
      }),
    )

    it.effect("changeWatch: removes added wallets, and none that the index was opened with", () =>
      Effect.gen(function* () {
        const { change, open, stated, writer } = yield* openedDatabase
        const store = yield* open(mine)
        yield* store.append(null, chainOn(null, 2))
        yield* change("Add", added)
        const before = yield* writer(mine)

        const { changed } = yield* change("Remove", added, mine, other)

        expect(changed).toEqual([added])
        expect(yield* before.isWatchChanged).toBe(true)
        expect(yield* stated).toEqual([[mine], undefined])
      }),
    )
  })

  describe("added wallets", () => {
    it.effect("writer: keeps them with another configuration, and rejects wallets that the index lacks", () =>
      Effect.gen(function* () {
        const { change, open, stated } = yield* openedDatabase
        const store = yield* open(mine, other)
        yield* store.append(null, chainOn(null, 2))
        yield* change("Add", added)

        yield* open(mine, added)
        const named = yield* stated
        const refused = yield* Effect.flip(open(mine, other))
        yield* open(mine)

        expect(named).toEqual([[mine, added], { [added]: 12 }])
        expect(refused.message).toContain(`lacks wallet ${other}, which "watch" now names: `)
        expect(yield* stated).toEqual(named)
      }),
    )

    it.effect("unwind: makes them complete from the first removed block, and an empty index complete", () =>
      Effect.gen(function* () {
        const { change, open, stated } = yield* openedDatabase
        const blocks = chainOn(null, 6)
        const first = yield* open(mine)
        yield* first.append(null, blocks)
        yield* change("Add", added)
        const store = yield* open(mine)
        yield* store.unwind(refOf(blocks[5]!), refOf(blocks[2]!))
        const lower = yield* stated
        yield* store.append(refOf(blocks[2]!), blocks.slice(3, 5))
        const same = yield* stated
        yield* store.unwind(refOf(blocks[4]!), null)
        yield* store.append(null, blocks.slice(2, 4))
        const whole = yield* stated
        yield* store.prepend(refOf(blocks[2]!), blocks.slice(0, 2))

        expect(lower).toEqual([[mine, added], { [added]: 13 }])
        expect(same).toEqual(lower)
        expect(whole).toEqual([[mine, added], { [added]: 0 }])
        expect(yield* stated).toEqual(whole)
      }),
    )

    it.effect("prepend: blocks that were indexed without them are not stated to have them", () =>
      Effect.gen(function* () {
        const { change, open, stated } = yield* openedDatabase
        const blocks = chainOn(null, 4)
        const stale = yield* open(mine)
        yield* stale.append(null, blocks.slice(2))
        yield* change("Add", added)
        const store = yield* open(mine)
        yield* store.unwind(refOf(blocks[3]!), null)
        yield* store.append(null, blocks.slice(2))

        yield* stale.prepend(refOf(blocks[2]!), blocks.slice(0, 2))

        expect(yield* stated).toEqual([[mine, added], { [added]: 12 }])
      }),
    )
  })
}
