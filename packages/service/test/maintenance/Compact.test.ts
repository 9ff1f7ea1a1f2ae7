import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Compact from "../../src/maintenance/Compact.ts"
import * as TestStore from "../store/TestStore.ts"
import { bodiesOf, pageBodies, ref } from "../store/TestDatabase.ts"
import { blockOn, chainOn, refOf } from "../store/model.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const random = Array.from({ length: 30_000 }, (_, index) => Math.imul(index + 1, 0x9e3779b1).toString(36)).join()

/** A chain whose upper half was large and is removed. */
const write = Effect.fn(function* (file: string) {
  const store = yield* TestStore.inFolder(dirname(file), ref)
  const kept = chainOn(null, 5)
  yield* store.append(null, kept)
  let head = kept.at(-1)!
  for (let count = 0; count < 20; count++) {
    const block = blockOn(head)
    const rows = block.transactions.map((row) => ({ ...row, body: JSON.stringify(`${count} ${random}`) }))
    head = { ...block, transactions: rows }
    yield* store.append(refOf({ number: head.number - 1, hash: head.parentHash }), [head])
  }
  yield* store.unwind(refOf(head), refOf(kept.at(-1)!))
  return { kept, store }
})

describe("compact", () => {
  it.effect("compact: returns free space in steps while an indexer holds the lease", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "chain-test.sqlite")
      const { kept, store } = yield* write(file)
      expect(yield* store.database.leases.acquire(ref, "indexer", 60_000)).not.toBeNull()
      let steps = 0
      const onProgress = () => Effect.sync(() => void steps++)
      const { after, before } = yield* Compact.run(store.database, { chain: ref, onProgress })

      expect(after.freeBytes).toBe(0)
      expect(after.bytes).toBeLessThan(before.bytes / 2)
      expect(steps).toBeGreaterThan(0)
      expect(yield* pageBodies(store)).toEqual(bodiesOf(kept))
    }).pipe(TestClock.withLive),
  )
})
