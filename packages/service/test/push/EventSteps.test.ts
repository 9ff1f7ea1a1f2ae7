/** Steps of a stream of events, by the journal's changes since its position. */
import type { Address } from "@daybook/schema/Address"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Events from "../../src/push/WalletEvents.ts"
import type { IndexedChain } from "../../src/query/IndexedChain.ts"
import * as Rows from "../server/rows.ts"
import { blocks, opened, subscriptionOf, textOf, withChanges, withReads } from "./EventSteps.ts"

/** A chain with alice's blocks 100 to 102, and the state of a stream that has sent all of them. */
const read = Effect.gen(function* () {
  const { chain, store } = yield* opened
  yield* store.append(null, blocks)
  const subscription = subscriptionOf(chain, Rows.alice, false, ["wallet.transaction"])
  const begun = yield* Events.start(subscription, { _tag: "At", bound: { _tag: "Block", block: 100 } })
  const first = yield* Events.step(subscription, begun)
  /** The step of another chain in place of this one, by its events and the blocks of its state. */
  const stepOn = (other: IndexedChain, state: Events.State = first.state) =>
    Effect.map(Events.step({ ...subscription, chain: other }, state), (step) => {
      const { pending, position } = step.state
      const { from, highest, journal, next } = position
      return { step, sent: step.sent.map(textOf), at: { from, next, highest, change: journal.change }, pending }
    })
  return { begun, chain, first, stepOn, store, subscription }
})

describe("WalletEvents", () => {
  const block = (number: number): Events.Beginning => ({ _tag: "At", bound: { _tag: "Block", block: number } })
  const date = (number: number): Events.Beginning => ({
    _tag: "At",
    bound: { _tag: "Date", date: Date.parse(Rows.timeOf(number)) },
  })

  it.effect(
    "start: begins at a block, a date, the first block or after the last one, for all or only final blocks",
    () =>
      Effect.gen(function* () {
        const { chain, store } = yield* opened
        const nextOf = (at: Events.Beginning, isFinal = false) =>
          Effect.map(Events.start(subscriptionOf(chain, Rows.alice, isFinal, []), at), ({ pending, position }) => {
            expect([pending, position.from, position.highest]).toEqual([null, position.next, -1])
            return position.next
          })
        const open: Events.Beginning = { _tag: "At", bound: { _tag: "Open" } }
        const places = [block(5), { _tag: "Now" } as const, date(101), open]
        const empty = yield* Effect.forEach(places, (at) => nextOf(at))
        yield* store.append(null, blocks)
        const unfinalized = yield* nextOf({ _tag: "Now" }, true)
        yield* store.finalize(101)

        expect(empty).toEqual([5, 0, 0, 0])
        expect(yield* Effect.forEach([...places, date(99), date(103)], (at) => nextOf(at))).toEqual([
          5, 103, 101, 100, 100, 103,
        ])
        expect([unfinalized, yield* nextOf({ _tag: "Now" }, true)]).toEqual([0, 102])
      }).pipe(Effect.scoped),
  )

  it.effect("startAll: reads the block of a date once for wallets that the index has from the same block", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened
      yield* store.append(null, blocks)
      const own = [Rows.alice, Rows.bob, Rows.stranger].toSorted()
      let reads = 0
      const counted = withReads(chain, ({ checkpoint, firstAtOrAfter }) => ({
        checkpoint: Effect.map(checkpoint, (found) => ({ ...found!, watch: own, addedFrom: { [Rows.bob]: 102 } })),
        firstAtOrAfter: (timestamp) => {
          reads++
          return firstAtOrAfter(timestamp)
        },
      }))
      const subscription = subscriptionOf(counted, "", false, ["wallet.transaction"])
      const positions = yield* Events.startAll(subscription, own, date(101))
      const other = yield* Effect.flip(Events.startAll(subscription, [Rows.address("7")], date(101)))

      expect([...positions].map(([wallet, { next }]) => [wallet, next])).toEqual(
        own.map((wallet) => [wallet, wallet === Rows.bob ? 102 : 101]),
      )
      expect([reads, other._tag]).toEqual([2, "NotWatched"])
    }).pipe(Effect.scoped),
  )

  it.effect("selectionText: does not depend on the order of types, assets and kinds", () =>
    Effect.gen(function* () {
      const { chain } = yield* opened
      const of = (
        types: ReadonlyArray<"wallet.movement" | "wallet.transaction">,
        selection: Events.Subscription["selection"],
      ) => Events.selectionText({ ...subscriptionOf(chain, "0xa", true, types), selection })
      const both = ["wallet.movement", "wallet.transaction"] as const
      // Sound: it is the address of a token.
      const token = "0xb" as Address

      expect(of(both, {})).toBe('[1,"0xa",["wallet.movement","wallet.transaction"],true,null,null]')
      expect(of(both.toReversed(), { asset: ["native", token], kind: ["value", "fee"] })).toBe(
        '[1,"0xa",["wallet.movement","wallet.transaction"],true,["0xb","native"],["fee","value"]]',
      )
    }).pipe(Effect.scoped),
  )

  it.effect(
    "step: sends rows up to the head, advances the position with the last row of a block, and then sends nothing",
    () =>
      Effect.gen(function* () {
        const { chain, first, stepOn } = yield* read
        const { change } = first.state.position.journal
        const again = yield* stepOn(chain)
        const uncovered = yield* stepOn(chain, { position: first.state.position, pending: null })

        expect(first.sent.map(textOf)).toEqual([
          "row 100, next 100",
          "row 100, next 101",
          "row 101, next 101",
          "row 101, next 102",
          "row 102, next 102",
          "row 102, next 103",
          "covered 102, next 103",
        ])
        expect(first.sent.map(({ position }) => position.highest)).toEqual([100, 100, 101, 101, 102, 102, 102])
        expect([first.awaited, first.finalized, first.state.isCovered]).toEqual([change, null, true])
        expect([again.sent, again.step.awaited, again.step.state]).toEqual([[], change, first.state])
        expect(uncovered.sent).toEqual(["covered 102, next 103"])
      }).pipe(Effect.scoped),
  )

  it.effect("step: sends nothing for an empty index", () =>
    Effect.gen(function* () {
      const { chain } = yield* opened
      const subscription = subscriptionOf(chain, Rows.alice, false)
      const { awaited, sent, state } = yield* Events.step(subscription, yield* Events.start(subscription, block(0)))

      expect([awaited, sent, state.position.next, state.isCovered]).toEqual([0, [], 0, true])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "step: ends with a complete block if there are too many rows, and states which blocks are not indexed",
    () =>
      Effect.gen(function* () {
        const { chain, subscription } = yield* read
        const stepFrom = Effect.fnUntraced(function* (from: number, maxBytes: number) {
          const begun = yield* Events.start(subscription, block(from))
          return yield* Events.step({ ...subscription, chain, maxBytes }, begun)
        })
        const [below, within] = [yield* stepFrom(98, 1), yield* stepFrom(101, 100_000)]

        expect(below.sent.map(textOf)).toEqual([
          "gap 98 to 99: not_indexed, next 98",
          "row 100, next 100",
          "row 100, next 101",
        ])
        expect([below.awaited, below.state.isCovered, below.state.position.next]).toEqual([null, false, 101])
        expect(within.sent.map(textOf)[0]).toBe("row 101, next 101")
      }).pipe(Effect.scoped),
  )

  it.effect("step: reads a block with more rows than a step completely, and further blocks in the next step", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened
      const plans = Array.from({ length: 450 }, () => ({ from: Rows.alice, to: Rows.bob }))
      const many = [Rows.block(0, plans), Rows.block(1, plans)]
      yield* store.append(null, many)
      const subscription = subscriptionOf(chain, Rows.alice, false, ["wallet.transaction"])
      const first = yield* Events.step(subscription, yield* Events.start(subscription, block(0)))
      const second = yield* Events.step(subscription, first.state)

      expect([first.sent.length, first.awaited, first.state.position.next]).toEqual([450, null, 1])
      expect([second.sent.length, second.sent.map(textOf).at(-1)]).toEqual([451, "covered 1, next 2"])
      expect(new Set([...first.sent, ...second.sent].map((one) => JSON.stringify(one))).size).toBe(901)
    }).pipe(Effect.scoped),
  )

  it.effect("step: sends every block that fits completely, and not the first rows of the next one", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened
      const plans = Array.from({ length: 90 }, () => ({ from: Rows.alice, to: Rows.bob }))
      yield* store.append(null, [Rows.block(0, plans), Rows.block(1, plans), Rows.block(2, plans)])
      const subscription = { ...subscriptionOf(chain, Rows.alice, false, ["wallet.transaction"]), maxBytes: 1_000_000 }
      const first = yield* Events.step(subscription, yield* Events.start(subscription, block(0)))

      expect([first.sent.length, first.sent.map(textOf).at(-1)]).toEqual([180, "row 1, next 2"])
    }).pipe(Effect.scoped),
  )

  it.effect("step: rows of both types end with the same block, and opening balances belong to no change", () =>
    Effect.gen(function* () {
      const { chain, generated, store } = yield* opened
      const movements = Array.from({ length: 150 }, () => ({ amount: 1n }))
      generated.ledgers[100] = { 0: [{ kind: "genesis", amount: 5n }, ...movements] }
      generated.ledgers[101] = { 0: movements }
      yield* store.append(null, blocks)
      const subscription = subscriptionOf(chain, Rows.alice, false)
      const first = yield* Events.step(subscription, yield* Events.start(subscription, block(100)))
      const second = yield* Events.step(subscription, first.state)

      expect(first.sent.map(({ event }) => event._tag).toSorted()).toEqual([
        ...Array<string>(150).fill("Movement"),
        ...Array<string>(2).fill("Transaction"),
      ])
      expect([first.state.position.next, second.sent.length]).toEqual([101, 150 + 2 + 2 + 1])
    }).pipe(Effect.scoped),
  )

  it.effect("step: sends the rows of both types of a block before those of the next one", () =>
    Effect.gen(function* () {
      const { chain, generated, store } = yield* opened
      for (const { number } of blocks) generated.ledgers[number] = { 0: [{ amount: 1n }] }
      yield* store.append(null, blocks)
      const subscription = subscriptionOf(chain, Rows.alice, false)
      const { sent } = yield* Events.step(subscription, yield* Events.start(subscription, block(100)))

      const ofBlock = (number: number) => [
        ["Transaction", number, number],
        ["Transaction", number, number],
        ["Movement", number, number + 1],
      ]
      expect(
        sent.flatMap(({ event, position }) =>
          event._tag === "Transaction" || event._tag === "Movement"
            ? [[event._tag, event.block.number, position.next]]
            : [],
        ),
      ).toEqual([...ofBlock(100), ...ofBlock(101), ...ofBlock(102)])
    }).pipe(Effect.scoped),
  )

  it.effect("step: gaps precede rows, with their transaction", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened
      const transaction = blocks[0]!.transactions[0]!.hash
      const gaps = [
        { kind: "receipt", transaction, reason: "none" } as const,
        { kind: "check", reason: "bloom" } as const,
      ]
      yield* store.append(null, [{ ...blocks[0]!, gaps }])
      const subscription = subscriptionOf(chain, Rows.alice, false, ["wallet.transaction"])
      const begun = yield* Events.start(subscription, block(100))
      const { sent } = yield* Events.step(subscription, begun)

      expect(sent.slice(0, 2)).toEqual([
        {
          event: { _tag: "Gap", gap: { from: 100, to: 100, reason: "receipt", transaction } },
          position: begun.position,
        },
        {
          event: { _tag: "Gap", gap: { from: 100, to: 100, reason: "check", transaction: null } },
          position: begun.position,
        },
      ])
      expect(sent.slice(2).map(textOf)).toEqual(["row 100, next 100", "row 100, next 101", "covered 100, next 101"])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "step: a removal voids the blocks of which rows were sent, highest first, and reads the blocks that follow",
    () =>
      Effect.gen(function* () {
        const { begun, chain, first, stepOn, store } = yield* read
        yield* store.unwind(blocks[2]!, blocks[0]!)
        const { change } = first.state.position.journal
        const sentTo = (highest: number, from = 100) => ({
          ...first.state,
          position: { ...first.state.position, from, highest },
        })
        const [all, some, none, later] = [
          yield* stepOn(chain),
          yield* stepOn(chain, sentTo(101)),
          yield* stepOn(chain, sentTo(100)),
          yield* stepOn(chain, sentTo(102, 102)),
        ]
        const unread = yield* stepOn(chain, { ...begun, position: { ...begun.position, next: 101 } })

        expect(all.sent).toEqual(["voided 102, next 103", "voided 101, next 101", "covered 100, next 101"])
        expect(some.sent).toEqual(["voided 101, next 101", "covered 100, next 101"])
        expect(none.sent).toEqual(["covered 100, next 101"])
        expect(later.sent).toEqual(["voided 102, next 102"])
        expect(unread.sent).toEqual(["covered 100, next 101"])
        expect([all, some, none].map(({ at }) => at)).toEqual(
          [102, 101, 100].map((highest) => ({ from: 100, next: 101, highest, change: change + 1 })),
        )
        expect([later.at.next, unread.at.next]).toEqual([102, 101])
      }).pipe(Effect.scoped),
  )

  it.effect("step: a removal whose blocks are no longer known ends the stream with its lowest block", () =>
    Effect.gen(function* () {
      const { chain, first, stepOn, store } = yield* read
      yield* store.unwind(blocks[2]!, blocks[0]!)
      const forgotten = withReads(chain, ({ removed }) => ({
        removed: (change, below) => removed(change, below, 1),
      }))
      const one = { ...first.state, position: { ...first.state.position, from: 102 } }

      expect(yield* Effect.flip(stepOn(forgotten))).toMatchObject({ _tag: "Stale", resumeFromBlock: 101 })
      expect((yield* stepOn(forgotten, one)).sent).toEqual(["voided 102, next 102"])
    }).pipe(Effect.scoped),
  )

  it.effect("step: a position that the journal does not have ends the stream, and final rows below it stay valid", () =>
    Effect.gen(function* () {
      const { chain, first, stepOn, store } = yield* read
      const lostAt = (next: number, from = 0) => {
        const { journal, ...position } = first.state.position
        const lost = { ...position, next, from, journal: { ...journal, mark: journal.mark + 1 } }
        return Effect.map(Effect.flip(stepOn(chain, { ...first.state, position: lost })), (error) =>
          Reflect.get(error, "resumeFromBlock"),
        )
      }
      const unfinalized = yield* lostAt(103)
      yield* store.finalize(101)

      expect([unfinalized, yield* lostAt(103), yield* lostAt(101), yield* lostAt(105, 105)]).toEqual([0, 102, 101, 105])
    }).pipe(Effect.scoped),
  )

  it.effect("step: reports the last block that became final, once it is stored", () =>
    Effect.gen(function* () {
      const { chain, first, stepOn } = yield* read
      const { journal } = first.state.position
      const final = (number: number, hash: string | null) =>
        ({ kind: "final", lowest: number, highest: number, hash }) as const
      const changed = (...changes: Parameters<typeof withChanges>[2]) =>
        Effect.map(stepOn(withChanges(chain, journal, changes)), ({ at, sent }) => [sent, at.change - journal.change])

      expect(yield* changed(final(100, "0x1"), final(101, "0x2"))).toEqual([
        ["final 101, next 103", "covered 102, next 103"],
        2,
      ])
      expect(yield* changed(final(100, "0x1"), final(99, null))).toEqual([
        ["final 100, next 103", "covered 102, next 103"],
        2,
      ])
      expect(yield* changed(final(99, null))).toEqual([[], 1])
    }).pipe(Effect.scoped),
  )

  it.effect("step: sends blocks that are added below, and only then treats the change as applied", () =>
    Effect.gen(function* () {
      const { chain, first, stepOn } = yield* read
      const { journal } = first.state.position
      const appended = (lowest: number, highest: number, state = first.state) =>
        stepOn(withChanges(chain, journal, [{ kind: "append", lowest, highest }]), state)
      const [below, above, unsent] = [yield* appended(100, 101), yield* appended(103, 103), yield* appended(98, 99)]
      const sentAbove = { ...first.state, position: { ...first.state.position, next: 101 } }
      const unread = yield* appended(101, 102, sentAbove)
      const rows = yield* stepOn(chain, below.step.state)

      expect([below.sent, below.at.change, below.pending]).toEqual([
        [],
        journal.change,
        { next: 100, to: 101, following: { change: journal.change + 1, mark: 7 } },
      ])
      expect([above, unsent].map(({ at, pending, sent }) => [sent, at.change, pending])).toEqual([
        [[], journal.change + 1, null],
        [[], journal.change + 1, null],
      ])
      expect([unread.pending, unread.at.change]).toEqual([null, journal.change + 1])
      expect(rows.sent).toEqual(Array.from({ length: 4 }, (_row, at) => `row ${at < 2 ? 100 : 101}, next 103`))
      expect([rows.at.change, rows.pending, rows.step.awaited]).toEqual([journal.change + 1, null, null])
    }).pipe(Effect.scoped),
  )

  it.effect("step: blocks derived again are voided and sent again in steps, except those removed in the meantime", () =>
    Effect.gen(function* () {
      const { chain, first, stepOn, subscription } = yield* read
      const { journal } = first.state.position
      const rewrite = { kind: "rewrite", lowest: 101, highest: 104 } as const
      const final = { kind: "final", lowest: 100, highest: 100, hash: "0x1" } as const
      const voided = yield* stepOn(withChanges(chain, journal, [rewrite, final]))
      const sentTo = { ...first.state, position: { ...first.state.position, highest: 101 } }
      const few = yield* stepOn(withChanges(chain, journal, [rewrite]), sentTo)
      const small = { ...subscription, maxBytes: 1 }
      const one = yield* Events.step(small, few.step.state)
      const two = yield* Events.step(small, one.state)
      const following = { change: 9, mark: 7 }
      const removed = yield* stepOn(chain, { ...first.state, pending: { next: 103, to: 110, following } })
      const last = yield* stepOn(chain, { ...first.state, pending: { next: 102, to: 110, following } })

      expect([voided.sent, voided.pending?.to]).toEqual([["voided 102, next 103", "voided 101, next 103"], 102])
      expect(few.sent).toEqual(["voided 101, next 103"])
      expect([one.sent.map(textOf), one.sent[0]?.position.highest, one.state.pending?.next]).toEqual([
        ["row 101, next 103", "row 101, next 103"],
        101,
        102,
      ])
      expect([two.sent.map(textOf), two.sent[0]?.position.highest, two.state.pending]).toEqual([
        ["row 102, next 103", "row 102, next 103"],
        102,
        null,
      ])
      expect([removed.sent, removed.at, removed.pending]).toEqual([
        [],
        { from: 100, next: 103, highest: 102, change: 9 },
        null,
      ])
      expect([last.sent.length, last.pending]).toEqual([2, null])
    }).pipe(Effect.scoped),
  )

  it.effect("step: sends at most 1,000 blocks of a change that derived them again", () =>
    Effect.gen(function* () {
      const { chain, first, stepOn } = yield* read
      const rewrittenTo = (next: number, highest: number) => {
        const { position } = first.state
        const changed = withChanges(chain, position.journal, [{ kind: "rewrite", lowest: 100, highest: 5_000 }])
        return stepOn(changed, { ...first.state, position: { ...position, next, highest } })
      }

      expect((yield* rewrittenTo(1_100, 1_099)).pending).toMatchObject({ next: 100, to: 1_099 })
      for (const [next, highest] of [
        [1_101, 102],
        [103, 1_100],
      ] as const) {
        expect(yield* Effect.flip(rewrittenTo(next, highest))).toMatchObject({ _tag: "Stale", resumeFromBlock: 100 })
      }
    }).pipe(Effect.scoped),
  )

  it.effect("step: applies at most 256 changes before it reads new blocks", () =>
    Effect.gen(function* () {
      const { chain, first, stepOn } = yield* read
      const { journal } = first.state.position
      const changes = Array.from({ length: 256 }, () => ({ kind: "clear", lowest: 200, highest: 200 }) as const)
      const uncovered = { ...first.state, isCovered: false }
      const [many, fewer] = [
        yield* stepOn(withChanges(chain, journal, changes), uncovered),
        yield* stepOn(withChanges(chain, journal, changes.slice(1)), uncovered),
      ]

      expect([many.sent, many.step.awaited, many.at.change]).toEqual([[], null, journal.change + 256])
      expect([fewer.sent, fewer.step.awaited]).toEqual([["covered 102, next 103"], journal.change + 255])
    }).pipe(Effect.scoped),
  )
})
