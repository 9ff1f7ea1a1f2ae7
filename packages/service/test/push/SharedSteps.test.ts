/** Steps that streams share equal those of each stream alone, and cost one read for all of them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as SharedSteps from "../../src/push/SharedSteps.ts"
import * as Events from "../../src/push/WalletEvents.ts"
import * as Rows from "../server/rows.ts"
import * as Model from "../store/model.ts"
import { opened, subscriptionOf } from "./EventSteps.ts"
import * as GeneratedChain from "./GeneratedChain.ts"

/** The state of a stream after a step and those that follow it, once it has sent everything. */
const after = Effect.fnUntraced(function* (
  subscription: Events.Subscription,
  { awaited, state }: Pick<Events.Step, "awaited" | "state">,
): Effect.fn.Return<Events.State, Events.StreamError> {
  let last = { awaited, state }
  while (last.awaited === null) last = yield* SharedSteps.step(subscription, last.state)
  return last.state
})

/** A stream that has sent everything. */
const caughtUp = Effect.fnUntraced(function* (subscription: Events.Subscription) {
  const begun = yield* Events.start(subscription, { _tag: "Now" })
  return yield* after(subscription, yield* Events.step(subscription, begun))
})

describe("SharedSteps", () => {
  it.effect("quiet: returns the step of a single stream, through reorgs, repairs, finality and lower blocks", () =>
    Effect.gen(function* () {
      const seen = { quiet: 0, alone: 0 }
      for (const seed of [1, 2, 3]) {
        const { chain, generated, store } = yield* opened
        const numbers = Model.seeded(seed)
        yield* GeneratedChain.append(generated, store, 3, numbers)
        const streams = [Rows.alice, Rows.bob, Rows.stranger, Rows.address("7")].flatMap((wallet) =>
          [true, false].map((isFinal) => subscriptionOf(chain, wallet, isFinal)),
        )
        const states = yield* Effect.forEach(streams, caughtUp)
        for (let turn = 0; turn < 40; turn++) {
          yield* GeneratedChain.change(generated, store, numbers)
          if (numbers.below(3) === 0) continue
          for (const [at, subscription] of streams.entries()) {
            const quiet = yield* SharedSteps.quiet(subscription, states[at]!)
            const alone = yield* Events.step(subscription, states[at]!)
            if (quiet !== null) expect(quiet).toEqual(alone)
            seen[quiet === null ? "alone" : "quiet"]++
            states[at] = yield* after(subscription, alone)
          }
        }
      }

      expect(seen.quiet).toBeGreaterThan(100)
      expect(seen.alone).toBeGreaterThan(100)
    }).pipe(Effect.scoped),
  )

  it.effect("quiet: does not skip blocks that a stream has not read, whether or not the chain changes", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened
      const blocks = Array.from({ length: 3 }, (_, number) => Rows.block(number, [{ from: Rows.alice, to: Rows.bob }]))
      yield* store.append(null, blocks)
      const subscription = subscriptionOf(chain, Rows.alice, false, ["wallet.transaction"])
      const { position } = yield* Events.start(subscription, { _tag: "At", bound: { _tag: "Block", block: 1 } })

      expect(yield* SharedSteps.quiet(subscription, { position, pending: null, isCovered: true })).toBeNull()
    }).pipe(Effect.scoped),
  )

  it.effect("quiet: a position that the store has not reached means waiting, not reading", () =>
    Effect.gen(function* () {
      const { chain, store } = yield* opened
      yield* store.append(null, [Rows.block(0, [])])
      yield* store.finalize(0)
      const subscription = subscriptionOf(chain, Rows.stranger, true, ["wallet.transaction"])
      const { position } = yield* caughtUp(subscription)
      const { change, mark } = position.journal
      const ahead = { ...position, journal: { change: change + 1, mark } }
      const step = yield* SharedSteps.step(subscription, { position: ahead, pending: null, isCovered: true })

      expect(step.awaited).toBe(change)
    }).pipe(Effect.scoped),
  )

  it.effect("quiet: reads rows that become final once all changes are applied, however many blocks are not final", () =>
    Effect.gen(function* () {
      const { chain, counts, store } = yield* opened
      const blocks = Array.from({ length: 400 }, (_, number) =>
        Rows.block(number, [{ from: Rows.alice, to: Rows.bob }]),
      )
      yield* store.append(null, blocks.slice(0, 300))
      yield* store.finalize(0)
      const subscription = subscriptionOf(chain, Rows.stranger, true, ["wallet.transaction"])
      const state = yield* caughtUp(subscription)
      for (let at = 300; at < 400; at++) {
        yield* store.append({ number: at - 1, hash: blocks[at - 1]!.hash }, [blocks[at]!])
      }
      yield* store.finalize(200)
      counts.snapshots = 0
      const step = yield* SharedSteps.step(subscription, state)

      expect(step.sent.map(({ event }) => event._tag)).toEqual(["Final", "Covered"])
      expect(step.state.position.next).toBe(201)
      expect(counts.snapshots).toBe(1)
    }).pipe(Effect.scoped),
  )

  it.effect("step: a block costs one read for all streams without a row in it, plus the steps of those with one", () =>
    Effect.gen(function* () {
      const { chain, counts, store } = yield* opened
      const blocks = Array.from({ length: 3 }, (_, number) => Rows.block(number, [{ from: Rows.alice, to: Rows.bob }]))
      yield* store.append(null, blocks.slice(0, 1))
      const costs: Array<number> = []
      for (const [at, streams] of [10, 1_000].entries()) {
        const wallets = [Rows.alice, ...Array.from({ length: streams }, (_, index) => Model.address(1_000 + index))]
        const subscriptions = wallets.map((wallet) => subscriptionOf(chain, wallet, false, ["wallet.transaction"]))
        const states = yield* Effect.forEach(subscriptions, caughtUp)
        yield* store.append({ number: at, hash: blocks[at]!.hash }, [blocks[at + 1]!])
        counts.snapshots = 0
        const steps = yield* Effect.forEach(
          subscriptions,
          (subscription, index) => SharedSteps.step(subscription, states[index]!),
          { concurrency: "unbounded" },
        )
        costs.push(counts.snapshots)
        expect(steps.map(({ sent }) => sent.length)).toEqual([2, ...wallets.slice(1).map(() => 1)])
      }

      expect(costs).toEqual([2, 2])
    }).pipe(Effect.scoped),
  )

  it.effect("passOver: advances all wallets like their quiet steps, or none if one may have a row", () =>
    Effect.gen(function* () {
      const seen = { passed: 0, read: 0 }
      const { chain, generated, store } = yield* opened
      const numbers = Model.seeded(1)
      yield* GeneratedChain.append(generated, store, 3, numbers)
      const wallets = [Rows.address("7"), Rows.address("8"), Rows.stranger]
      for (let turn = 0; turn < 40; turn++) {
        const isFinal = numbers.below(2) === 0
        const streams = wallets.map((wallet) => subscriptionOf(chain, wallet, isFinal))
        const states = new Map<string, Events.State>()
        for (const one of streams) states.set(one.wallet, yield* caughtUp(one))
        yield* GeneratedChain.change(generated, store, numbers)
        let expected: Array<Events.State> | null = []
        for (const one of streams) {
          let step: Events.Step | null = null
          for (let state: Events.State | null = states.get(one.wallet)!; state !== null;) {
            step = yield* SharedSteps.quiet(one, state)
            state = step?.awaited === null ? step.state : null
          }
          expected = step === null ? null : (expected?.concat(step.state) ?? null)
        }
        const awaited = yield* SharedSteps.passOver({ chain, isFinal }, wallets, states)
        seen[awaited === null ? "read" : "passed"]++

        expect(awaited === null ? null : [...states.values()]).toEqual(expected)
      }
      expect(seen.passed).toBeGreaterThan(5)
      expect(seen.read).toBeGreaterThan(5)
    }).pipe(Effect.scoped),
  )

  it.effect("passOver: 200 wallets in equal states cost one read, and share one state", () =>
    Effect.gen(function* () {
      const { chain, counts, store } = yield* opened
      const blocks = Array.from({ length: 2 }, (_, number) => Rows.block(number, [{ from: Rows.alice, to: Rows.bob }]))
      yield* store.append(null, blocks.slice(0, 1))
      const wallets = Array.from({ length: 200 }, (_, index) => Model.address(1_000 + index))
      const states = new Map<string, Events.State>()
      for (const wallet of wallets) states.set(wallet, yield* caughtUp(subscriptionOf(chain, wallet, false)))
      yield* store.append({ number: 0, hash: blocks[0]!.hash }, blocks.slice(1))
      counts.snapshots = 0
      yield* SharedSteps.passOver({ chain, isFinal: false }, wallets, states)

      expect(counts.snapshots).toBe(1)
      expect(new Set(states.values()).size).toBe(1)
      expect(states.get(wallets[0]!)?.position.next).toBe(2)
    }).pipe(Effect.scoped),
  )

  it.live("awaitChange: streams that wait for the same change look for it together, even after some have left", () =>
    Effect.gen(function* () {
      const { chain, counts, store } = yield* opened
      const waiting = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        Effect.forkChild(chain.recent.awaitChange(0), { startImmediately: true }),
      )
      yield* Effect.forEach(waiting.slice(0, 50), Fiber.interrupt)
      yield* store.append(null, [Rows.block(0, [])])
      const found = yield* Effect.forEach(waiting.slice(50), Fiber.join)
      expect(new Set(found)).toEqual(new Set([1]))
      expect(counts.waits).toBe(1)
    }).pipe(Effect.scoped),
  )
})
