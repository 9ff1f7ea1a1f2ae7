import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chainOn, refOf } from "../model.ts"
import { ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"

describe("ChainReader", () => {
  it.effect("changes: the position moves with each change, and stays where there is none", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)
      const blocks = chainOn(null, 4)
      yield* store.append(null, blocks.slice(0, 2))
      const first = yield* store.changes(null, 99)
      yield* store.append(refOf(blocks[1]!), blocks.slice(2))
      const second = yield* store.changes(first.position, 99)

      expect(first.position.serial).toBeGreaterThan(0)
      expect(second.position.serial).toBeGreaterThan(first.position.serial)
      expect(yield* store.changes(second.position, 99)).toEqual({ changes: [], position: second.position })
    }),
  )

  it.effect("changes: after an unwind without new blocks the position is the block that is left", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)
      const blocks = chainOn(null, 4)
      yield* store.append(null, blocks)
      const { position } = yield* store.changes(null, 99)
      yield* store.unwind(refOf(blocks[3]!), refOf(blocks[1]!))
      const unwound = yield* store.changes(position, 99)

      expect(unwound.changes).toEqual([{ _tag: "Unwound", lowest: 12 }])
      expect(unwound.position).toMatchObject({ first: 10, head: refOf(blocks[1]!) })
      expect((yield* store.changes(unwound.position, 99)).changes).toEqual([])
    }),
  )

  it.effect("changes: where the head of a reader is not remembered, they begin after the last final block", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)
      yield* store.append(null, chainOn(null, 4))
      const { position } = yield* store.changes(null, 99)
      const lowestAfter = (number: number) =>
        Effect.map(
          store.changes({ ...position, head: { number, hash: `0x${"f".repeat(64)}` } }, 99),
          ({ changes: [first] }) => first,
        )

      expect(yield* lowestAfter(13)).toEqual({ _tag: "Unwound", lowest: 0 })
      yield* store.finalize(11)
      expect(yield* lowestAfter(13)).toEqual({ _tag: "Unwound", lowest: 12 })
      expect(yield* lowestAfter(11)).toEqual({ _tag: "Unwound", lowest: 11 })
    }),
  )

  it.effect("changes: of an empty chain are none", () =>
    Effect.gen(function* () {
      const store = yield* TestStore.inFolder(yield* temporaryFolder, ref)

      expect(yield* store.changes(null, 99)).toEqual({ changes: [], position: { serial: 0, first: null, head: null } })
    }),
  )
})
