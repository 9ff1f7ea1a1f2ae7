import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ChainSession from "../../src/store/ChainSession.ts"
import * as Engine from "../../src/store/Engine.ts"
import { blockOn, refOf } from "./model.ts"
import { pageBodies, ref } from "./TestDatabase.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const setup = Effect.gen(function* () {
  const database = yield* Engine.fromUrl(`sqlite:${yield* temporaryFolder}`, "/")
  const open = (owner: string) => ChainSession.open(database, { chain: ref, owner, leaseMillis: 5_000 })
  return { one: yield* open("one"), two: yield* open("two") }
})

describe("ChainSession", () => {
  it.effect("append: fails with LeaseLost without the lease, and writes with it", () =>
    Effect.gen(function* () {
      const { one } = yield* setup
      const block = blockOn(null)

      const error = yield* Effect.flip(one.append(null, [block]))
      yield* one.holdLease
      yield* one.append(null, [block])

      expect(error).toMatchObject({ _tag: "LeaseLost", chain: "test" })
      expect(yield* pageBodies(one)).toHaveLength(1)
    }),
  )

  it.effect("releaseLease: leaves the chain to another owner, whose writes end those of the first", () =>
    Effect.gen(function* () {
      const { one, two } = yield* setup
      const block = blockOn(null)
      yield* one.holdLease
      const denied = yield* two.holdLease
      yield* one.releaseLease
      const held = yield* two.holdLease
      yield* two.append(null, [block])

      expect([denied, held, yield* one.holdLease]).toEqual([false, true, false])
      expect(yield* Effect.flip(one.unwind(refOf(block), null))).toMatchObject({ _tag: "LeaseLost" })
    }),
  )
})
