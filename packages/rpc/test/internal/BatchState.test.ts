/** Which calls share a request, and when it is sent or cancelled: only the transitions, without fibers. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Result, Schema } from "effect"
import * as BatchState from "../../src/internal/BatchState.ts"

class Waiter implements BatchState.Waiter {
  readonly ask: BatchState.Ask<unknown>
  item: BatchState.Item<this> | undefined = undefined

  constructor(id: number, change: Partial<BatchState.Ask<unknown>> & { maxBatchSize?: number } = {}) {
    const { maxBatchSize = Number.POSITIVE_INFINITY, ...ask } = change
    const limits = { maxBytes: 1_000, maxItemBytes: 1_000, maxBatchSize, deadline: Duration.seconds(1) }
    this.ask = {
      call: { id, method: "eth_chainId", params: [] },
      endsAtMillis: 1_000,
      context: { attempts: [], decode: ({ value }) => Result.succeed(value), ...limits },
      isShared: false,
      windowMillis: 0,
      ...ask,
    }
  }
}

const setup = (maxCalls = 20) => {
  const state = BatchState.initial<Waiter>(1_000)
  const queue = BatchState.queue<Waiter>(maxCalls, 0)
  const join = (waiter: Waiter, limit = Number.POSITIVE_INFINITY) =>
    BatchState.step(state, { _tag: "Joined", waiter, queue, limit })
  const due = (limit = Number.POSITIVE_INFINITY) => BatchState.step(state, { _tag: "Due", queue, limit })
  const leave = (waiter: Waiter) => BatchState.step(state, { _tag: "Left", waiter })
  return { state, queue, join, due, leave }
}

/** Ids of the calls in each request. */
const sent = (actions: ReadonlyArray<BatchState.Action<Waiter>>): ReadonlyArray<ReadonlyArray<number>> =>
  actions.flatMap((action) => (action._tag === "Send" ? [action.request.items.map(({ call }) => call.id)] : []))

const tags = (actions: ReadonlyArray<BatchState.Action<Waiter>>) => actions.map(({ _tag }) => _tag)

describe("BatchState", () => {
  describe("step", () => {
    it("step: the first call schedules a request, and the others of the turn join it", () => {
      const { due, join } = setup()

      expect(tags(join(new Waiter(1)))).toEqual(["Schedule"])
      expect(join(new Waiter(2))).toEqual([])
      expect(sent(due())).toEqual([[1, 2]])
    })

    it("step: a full queue is sent at once", () => {
      const { due, join } = setup(2)
      join(new Waiter(1))

      expect(sent(join(new Waiter(2)))).toEqual([[1, 2]])
      expect(due()).toEqual([])
    })

    it("step: a queue of as many calls as the endpoint accepts is sent at once", () => {
      const { join } = setup()
      join(new Waiter(1), 2)

      expect(sent(join(new Waiter(2), 2))).toEqual([[1, 2]])
    })

    it("step: the detected limit of the endpoint applies when the queue is sent", () => {
      const { due, join } = setup()
      for (let id = 1; id <= 5; id++) join(new Waiter(id))

      expect(sent(due(2))).toEqual([[1, 2], [3, 4], [5]])
    })

    it("step: a call that is not batched is sent separately at once", () => {
      const { due, join } = setup()

      expect(sent(join(new Waiter(1, { maxBatchSize: 1 })))).toEqual([[1]])
      expect(due()).toEqual([])
    })

    it("step: a window of the call extends that of the queue", () => {
      const { join } = setup()

      expect(join(new Waiter(1, { windowMillis: 7 }))).toMatchObject([{ _tag: "Schedule", windowMillis: 7 }])
    })

    it("step: identical shared calls are one item", () => {
      const { due, join } = setup()
      join(new Waiter(1, { isShared: true }))
      expect(join(new Waiter(2, { isShared: true }))).toEqual([])
      join(new Waiter(3))

      expect(sent(due())).toEqual([[1, 3]])
    })

    it("step: identical shared calls are in a batch as small as each of them needs", () => {
      const { due, join } = setup()
      join(new Waiter(1, { isShared: true, maxBatchSize: 5 }))
      join(new Waiter(2, { isShared: true, maxBatchSize: 2 }))
      for (const id of [3, 4]) join(new Waiter(id))

      expect(sent(due())).toEqual([[1, 3], [4]])
    })

    it("step: does not keep an unshared call for identical ones to find", () => {
      const { join, state } = setup()
      join(new Waiter(1))
      join(new Waiter(2, { isShared: true }))

      expect([...state.shared.values()].map(({ call }) => call.id)).toEqual([2])
    })

    it("step: a call finds an identical one that was sent again, even after the first has ended", () => {
      const { due, join, leave, state } = setup()
      const first = new Waiter(1, { isShared: true })
      join(first)
      due()
      leave(first)
      join(new Waiter(2, { isShared: true }))
      BatchState.end(state, first.item!)

      expect(join(new Waiter(3, { isShared: true }))).toEqual([])
    })

    it("step: nothing happens if a call leaves that has not joined", () => {
      expect(setup().leave(new Waiter(1))).toEqual([])
    })

    it("step: calls with different limits do not share an item", () => {
      const { due, join } = setup()
      const one = new Waiter(1, { isShared: true })
      const other = new Waiter(2, { isShared: true, context: { ...one.ask.context, maxBytes: 5 } })
      join(one)
      join(other)

      expect(sent(due())).toEqual([[1, 2]])
    })

    it("step: a call joins an identical one in flight, and its deadline is watched", () => {
      const { due, join } = setup()
      join(new Waiter(1, { isShared: true }))
      due()

      expect(tags(join(new Waiter(2, { isShared: true })))).toEqual(["Watch"])
    })

    it("step: a call is sent again once an identical one has ended", () => {
      const { due, join, state } = setup()
      const first = new Waiter(1, { isShared: true })
      join(first)
      due()

      expect(BatchState.end(state, first.item!)).toEqual([first])
      expect(tags(join(new Waiter(2, { isShared: true })))).toEqual(["Schedule"])
    })

    it("step: a request is cancelled when its last caller leaves, and not before", () => {
      const { due, join, leave } = setup()
      const [one, two, shared] = [
        new Waiter(1, { isShared: true }),
        new Waiter(2),
        new Waiter(3, { isShared: true }),
      ] as const
      for (const waiter of [one, two, shared]) join(waiter)
      due()

      expect([tags(leave(one)), tags(leave(two)), tags(leave(shared)), tags(leave(shared))]).toEqual([
        [],
        [],
        ["Cancel"],
        [],
      ])
    })

    it("step: a call that leaves while it waits is not sent", () => {
      const { due, join, leave } = setup()
      const waiter = new Waiter(1)
      join(waiter)
      join(new Waiter(2))

      expect(leave(waiter)).toEqual([])
      expect(sent(due())).toEqual([[2]])
    })

    it("step: a request lasts until the latest deadline of its calls", () => {
      const { due, join } = setup()
      join(new Waiter(1, { endsAtMillis: 50 }))
      join(new Waiter(2, { endsAtMillis: 90 }))

      expect(due()).toMatchObject([{ _tag: "Send", request: { endsAtMillis: 90 } }])
    })
  })

  describe("bodyOf", () => {
    it("bodyOf: writes a single call as an object and several as an array", () => {
      const { due, join } = setup()
      join(new Waiter(1))
      const [single] = due()
      join(new Waiter(2))
      join(new Waiter(3))
      const [batch] = due()
      const bodies = [single, batch].map((action) =>
        action?._tag === "Send" ? (JSON.parse(BatchState.bodyOf(action.request.items)) as unknown) : undefined,
      )

      const call = (id: number) => ({ jsonrpc: "2.0", id, method: "eth_chainId", params: [] })
      expect(bodies).toEqual([call(1), [call(2), call(3)]])
      expect(BatchState.bodyOf([])).toBe("[]")
    })
  })

  describe("listOf", () => {
    it("listOf: returns the items of calls that fit one request, and null otherwise", () => {
      const { state } = setup()
      const waiters = [1, 2, 3].map((id) => new Waiter(id))

      expect(BatchState.listOf(state, waiters, 3)?.map(({ call }) => call.id)).toEqual([1, 2, 3])
      expect([BatchState.listOf(state, waiters, 2), BatchState.listOf(state, [], 2)]).toEqual([null, null])
    })
  })

  describe("split", () => {
    const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))
    const Items = Schema.Array(Schema.Struct({ text: Schema.String, maxBatchSize: Size }))

    it.prop(
      "law: split keeps every item once and in order, and starts another batch only if the next item does not fit",
      { items: Items, maxCalls: Size, maxBytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 })) },
      ({ items, maxBytes, maxCalls }) => {
        const batches = BatchState.split(items, { maxCalls, maxBytes })

        expect(batches.flat()).toEqual(items)
        const fits = (batch: typeof items) =>
          batch.length <= Math.min(maxCalls, ...batch.map(({ maxBatchSize }) => maxBatchSize)) &&
          batch.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0) <= maxBytes
        for (const [at, batch] of batches.entries()) {
          expect(batch.length === 1 || (batch.length > 1 && fits(batch))).toBe(true)
          const [next] = batches[at + 1] ?? []
          expect(next !== undefined && fits([...batch, next])).toBe(false)
        }
      },
    )

    it("split: counts bytes and not characters", () => {
      const item = { text: "é".repeat(40), maxBatchSize: 10 }

      expect(BatchState.split([item, item], { maxCalls: 10, maxBytes: 100 }).length).toBe(2)
      expect(BatchState.split([item, item], { maxCalls: 10, maxBytes: 200 }).length).toBe(1)
      expect([161, 162].map((maxBytes) => BatchState.split([item, item], { maxCalls: 10, maxBytes }).length)).toEqual([
        2, 1,
      ])
    })

    it("split: returns a single item unchanged, without counting its bytes", () => {
      const items = [{ text: "a", maxBatchSize: 1 }]

      expect(BatchState.split(items, { maxCalls: 1, maxBytes: 1 })[0]).toBe(items)
    })
  })
})
