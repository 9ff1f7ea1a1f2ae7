/** Which calls share a request, and when it is sent or cancelled: the transitions alone, without fibers. */
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

/** Ids of the calls in each request that is sent. */
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

    it("step: the detected limit of the endpoint applies when the queue is sent", () => {
      const { due, join } = setup()
      for (let id = 1; id <= 5; id++) join(new Waiter(id))

      expect(sent(due(2))).toEqual([[1, 2], [3, 4], [5]])
    })

    it("step: a call that is not batched is sent alone at once", () => {
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
      join(new Waiter(2, { isShared: true }))
      join(new Waiter(3))

      expect(sent(due())).toEqual([[1, 3]])
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

    it("step: a call is sent anew once an identical one has ended", () => {
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
    })
  })

  describe("split", () => {
    const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))
    const Items = Schema.Array(Schema.Struct({ text: Schema.String, maxBatchSize: Size }))

    it.prop(
      "law: split keeps every item once and in order, and exceeds no limit",
      { items: Items, maxCalls: Size, maxBytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 })) },
      ({ items, maxBytes, maxCalls }) => {
        const batches = BatchState.split(items, { maxCalls, maxBytes })

        expect(batches.flat()).toEqual(items)
        for (const batch of batches) {
          const bytes = batch.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0)
          expect(batch.length).toBeGreaterThan(0)
          expect(batch.length).toBeLessThanOrEqual(Math.min(maxCalls, ...batch.map(({ maxBatchSize }) => maxBatchSize)))
          expect(batch.length === 1 || bytes <= maxBytes).toBe(true)
        }
      },
    )

    it("split: counts bytes and not characters", () => {
      const item = { text: "é".repeat(40), maxBatchSize: 10 }

      expect(BatchState.split([item, item], { maxCalls: 10, maxBytes: 100 }).length).toBe(2)
      expect(BatchState.split([item, item], { maxCalls: 10, maxBytes: 200 }).length).toBe(1)
    })
  })
})
