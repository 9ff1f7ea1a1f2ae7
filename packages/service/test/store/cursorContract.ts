/** Contract tests of page cursors, including cursors of removed blocks and of states that a reader has not reached. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chainOn, refOf } from "./model.ts"
import { pagesOf } from "./pages.ts"
import * as TestDatabase from "./TestDatabase.ts"

/** Runs the suite of cursors against an engine. */
export const cursorContract = (database: TestDatabase.Make): void => {
  const opened = TestDatabase.opened(database)
  const blocks = chainOn(null, 6)
  const fork = chainOn(blocks[3]!, 2, "b")
  const bodiesOf = ({ rows }: { readonly rows: ReadonlyArray<{ readonly body: string }> }) =>
    rows.map(({ body }) => body)

  /** A cursor at the last block, and the rest of its list. */
  const walked = Effect.gen(function* () {
    const { store } = yield* opened
    yield* store.append(null, blocks.slice(0, 4))
    yield* store.append(refOf(blocks[3]!), blocks.slice(4))
    const pages = pagesOf(store.database)
    const { cursor } = yield* pages({ limit: 2 })
    return { cursor: cursor!, rest: bodiesOf(yield* pages({ cursor: cursor! })) }
  })

  describe("cursor", () => {
    it.effect("serial: grows with each append, unwind and prepend, and never otherwise", () =>
      Effect.gen(function* () {
        const { open, store } = yield* opened
        const serial = (yield* open).snapshot((snapshot) => Effect.succeed(snapshot.serial))
        const serials = [yield* serial]
        for (const write of [
          store.append(null, blocks.slice(2, 4)),
          store.finalize(blocks[2]!.number),
          store.append(refOf(blocks[3]!), blocks.slice(4)),
          store.unwind(refOf(blocks[5]!), refOf(blocks[3]!)),
          store.prepend(refOf(blocks[2]!), blocks.slice(0, 2)),
        ]) {
          yield* write
          serials.push(yield* serial)
        }

        const [empty = 0, appended = 0, finalized, again = 0, unwound = 0, prepended] = serials
        expect(finalized).toBe(appended)
        expect([appended, again, unwound, prepended].toSorted((a = 0, b = 0) => a - b)).toEqual([
          appended,
          again,
          unwound,
          prepended,
        ])
        expect(new Set([empty, appended, again, unwound, prepended]).size).toBe(5)
      }),
    )

    it.effect("page: a reader that has not reached the blocks of a cursor is retried, and is not stale", () =>
      Effect.gen(function* () {
        const { cursor, rest } = yield* walked
        const { store: late } = yield* opened
        yield* late.append(null, blocks.slice(0, 4))
        const pages = pagesOf(late.database)
        const behind = yield* Effect.flip(pages({ cursor }))
        yield* late.append(refOf(blocks[3]!), blocks.slice(4))
        const reached = yield* pages({ cursor })

        expect(behind).toMatchObject({ _tag: "StoreError", isRetryable: true, isBehind: true })
        expect(bodiesOf(reached)).toEqual(rest)
        expect(rest).toHaveLength(4)
      }),
    )

    it.effect("page: a reader with other blocks in their place is stale", () =>
      Effect.gen(function* () {
        const { cursor } = yield* walked
        const { store: other } = yield* opened
        yield* other.append(null, blocks.slice(0, 4))
        yield* other.append(refOf(blocks[3]!), fork)
        yield* other.finalize(blocks[2]!.number)
        const stale = yield* Effect.flip(pagesOf(other.database)({ cursor }))

        expect(stale).toMatchObject({ _tag: "Stale", resumeFromBlock: blocks[3]!.number })
      }),
    )

    it.effect("page: a reader that removed its blocks and has no replacements yet is stale", () =>
      Effect.gen(function* () {
        const { store } = yield* opened
        yield* store.append(null, blocks)
        const pages = pagesOf(store.database)
        const { cursor } = yield* pages({ limit: 2 })
        yield* store.unwind(refOf(blocks[5]!), refOf(blocks[3]!))
        const stale = yield* Effect.flip(pages({ cursor: cursor! }))

        expect(stale).toMatchObject({ _tag: "Stale", resumeFromBlock: blocks[4]!.number })
      }),
    )
  })
}
