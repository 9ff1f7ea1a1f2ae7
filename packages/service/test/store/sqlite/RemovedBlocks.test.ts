/** Which removed blocks a chain's file remembers, so that readers' cursors can be placed after a reorg. */
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ChainFile from "../../../src/store/sqlite/ChainFile.ts"
import * as ChainWriter from "../../../src/store/sqlite/ChainWriter.ts"
import { chainOn, refOf } from "../model.ts"
import { ref } from "../TestDatabase.ts"
import { temporaryFolder } from "../temporaryFolder.ts"
import * as TestStore from "../TestStore.ts"

describe("removed blocks", () => {
  it.effect("unwind: remembers the highest removed blocks of all unwinds, and forgets those below", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const store = yield* TestStore.inFolder(folder, ref)
      const file = yield* ChainFile.open(join(folder, "chain-test.sqlite"), ref, "zstd")
      const writer = ChainWriter.make(file, { projections: [], rememberedBlocks: 3 })
      const remove = Effect.fnUntraced(function* (blocks: ReturnType<typeof chainOn>) {
        yield* store.append(null, blocks)
        const token = (yield* store.database.leases.acquire(ref, "test", 0))!
        yield* writer.unwind(refOf(blocks.at(-1)!), null, token)
      })
      const remembered = (blocks: ReturnType<typeof chainOn>) =>
        store.snapshot((snapshot) =>
          Effect.map(
            Effect.forEach(blocks, (block) => snapshot.lowestReorgedBlock(refOf(block))),
            (found) => blocks.flatMap(({ number }, at) => (found[at] === null ? [] : [number])),
          ),
        )
      const [short, long] = [chainOn(null, 6, "a"), chainOn(null, 10, "b")]
      yield* remove(short)
      const afterFirst = yield* remembered(short)
      yield* remove(long)

      expect(afterFirst).toEqual([13, 14, 15])
      expect([yield* remembered(short), yield* remembered(long)]).toEqual([[], [17, 18, 19]])
    }),
  )
})
