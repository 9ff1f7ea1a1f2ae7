/** Verification reads a chain in parts: whatever their size, each block and each appearance is examined once. */
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Verify from "../../src/maintenance/Verify.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"
import * as Stored from "../store/sqlite/storedRows.ts"
import { damage } from "./damage.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const ref = { name: "test", id: 31337 }
const [first, head] = [3, 14]

/** The audit of a chain that has lost the transactions of some blocks, but not the entries in the histories of wallets. */
const auditOf = (lost: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const path = yield* temporaryFolder
    const written = TestStore.inFolder(path, ref)
    yield* Effect.scoped(Effect.flatMap(written, (store) => store.append(null, Rows.chain(first, head))))
    if (lost.length > 0) {
      damage(join(path, "chain-test.sqlite"), `DELETE FROM document WHERE id / 1048576 IN (${lost.join(", ")})`)
    }
    return (yield* TestStore.inFolder(path, ref)).database.chain(ref).audit
  })

describe("Verify", () => {
  it.live("run: examines each block and each appearance once, whatever the sizes of the parts", () =>
    Effect.gen(function* () {
      const audit = yield* auditOf([3, 7, 14])
      const whole = yield* Verify.run(audit)
      const appearances = Rows.chain(first, head).flatMap(({ number, transactions }) =>
        [3, 7, 14].includes(number) ? transactions.flatMap(({ addresses }) => addresses) : [],
      )

      expect(whole.blocks).toBe(12)
      expect(new Set(whole.issues.map(({ block }) => block))).toEqual(new Set([3, 7, 14]))
      expect(whole.orphaned).toHaveLength(appearances.length)
      for (let size = 1; size <= 13; size++) {
        expect([size, yield* Verify.run(audit, { blocksAtOnce: size, appearancesAtOnce: size })]).toEqual([size, whole])
      }
    }),
  )

  it.live("run: finds a block that is not linked to the previous one, including between two parts", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder
      yield* Effect.scoped(
        Effect.flatMap(TestStore.inFolder(path, ref), (store) => store.append(null, Rows.chain(first, head))),
      )
      Stored.rewriteBlock(join(path, "chain-test.sqlite"), ref.id, 8, `parent_hash = zeroblob(32)`)
      const { audit } = (yield* TestStore.inFolder(path, ref)).database.chain(ref)

      for (let size = 1; size <= 13; size++) {
        const { issues } = yield* Verify.run(audit, { blocksAtOnce: size })
        expect(issues).toMatchObject([{ block: 8, what: expect.stringContaining("its parent is 0x0000") }])
      }
    }),
  )

  it.live("run: expects the transactions of an added wallet from its first block, and none below it", () =>
    Effect.gen(function* () {
      const { alice, block, bob } = Rows
      const watched = (wallets: ReadonlyArray<string>) => (number: number) => {
        const { transactions, ...rest } = block(number, [{ from: alice, to: bob }])
        const isWatched = (address: string) => wallets.includes(address)
        const own = transactions.map((row) => ({ ...row, addresses: row.addresses.filter(isWatched) }))
        return { ...rest, transactions: own }
      }
      const whole = [3, 4, 5].map(watched([alice, bob]))
      const partial = [3, 4, 5].map(watched([alice]))
      const issuesOf = (added: typeof whole) =>
        Effect.gen(function* () {
          const path = yield* temporaryFolder
          const before = [0, 1, 2].map(watched([alice]))
          const store = yield* TestStore.inFolder(path, ref, { watch: new Set([alice]) })
          yield* store.append(null, before)
          yield* store.database.chain(ref).changeWatch({ _tag: "Add", wallets: [bob] })
          const next = yield* TestStore.inFolder(path, ref, { watch: new Set([alice]) })
          yield* next.append({ number: 2, hash: before[2]!.hash }, added)
          return (yield* Verify.run(next.database.chain(ref).audit)).issues
        }).pipe(Effect.scoped)

      expect(yield* issuesOf(whole)).toEqual([])
      expect(yield* issuesOf(partial)).toEqual(
        [3, 4, 5].map((number) => ({
          block: number,
          what: expect.stringContaining(`it belongs to ${alice}, but its document names ${alice}, ${bob}`),
        })),
      )
    }),
  )

  it.live("run: reports the last block of each part and the head, and begins at the given block", () =>
    Effect.gen(function* () {
      const audit = yield* auditOf([])
      const progress: Array<readonly [number, number]> = []
      const onProgress = (number: number, to: number) => Effect.sync(() => void progress.push([number, to]))
      const verified = yield* Verify.run(audit, { from: 5, blocksAtOnce: 4, onProgress })

      expect(progress).toEqual([
        [8, 14],
        [12, 14],
        [14, 14],
      ])
      expect([verified.blocks, verified.issues, verified.orphaned]).toEqual([10, [], []])
    }),
  )
})
