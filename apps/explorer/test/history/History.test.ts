import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as History from "../../src/history/History.ts"

interface Row {
  readonly key: string
  readonly block: bigint
}

const row = (key: string, block = 1n): Row => ({ key, block })

const reading = { boundary: null, keyOf: ({ key }: Row) => key, blockOf: ({ block }: Row) => block }

/** A stream that returns what is pushed, without an end. */
const streamOf = <A>() => {
  const values: Array<A> = []
  let wake = () => undefined as void
  async function* stream() {
    for (;;) {
      while (values.length > 0) yield values.shift()!
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { stream, push: (value: A) => (values.push(value), wake()) }
}

describe("History.open", () => {
  let controller: AbortController
  beforeEach(() => {
    vi.useFakeTimers()
    controller = new AbortController()
  })
  afterEach(() => {
    controller.abort()
    vi.useRealTimers()
  })

  const openWith = (source: Partial<History.Source<Row>>) =>
    History.open<Row>({ ...reading, first: null, follow: null, ...source }, controller.signal)

  it("is loading until the first row, if all rows are followed", async () => {
    const { push, stream } = streamOf<Row>()
    const history = openWith({ follow: stream })
    expect(history.snapshot()).toMatchObject({ isLoading: true, count: 0 })

    push(row("a"))
    await vi.advanceTimersByTimeAsync(10)

    expect(history.snapshot()).toMatchObject({ isLoading: false, isComplete: true, count: 1 })
  })

  it("is empty after a second without a row", async () => {
    const history = openWith({ follow: streamOf<Row>().stream })
    await vi.advanceTimersByTimeAsync(900)
    expect(history.snapshot().isLoading).toBe(true)

    await vi.advanceTimersByTimeAsync(200)

    expect(history.snapshot()).toMatchObject({ isLoading: false, isComplete: true, count: 0 })
  })

  it("drops a page that was requested before a reorg, once the list is read again", async () => {
    const { push, stream } = streamOf<Row | { readonly _tag: "RowsReverted"; readonly fromBlock: bigint }>()
    let send = (_page: History.PageOf<Row>) => undefined as void
    const late = new Promise<History.PageOf<Row>>((resolve) => (send = resolve))
    let reads = 0
    const pageOf = (rows: ReadonlyArray<Row>, cursor: string | null): History.PageOf<Row> => ({
      result: rows,
      cursor,
      next: () => late,
    })
    const first = async () => (++reads === 1 ? pageOf([row("old", 9n)], "more") : pageOf([row("new", 9n)], null))
    const history = openWith({ first, follow: stream })
    await vi.advanceTimersByTimeAsync(10)
    history.loadMore()
    await vi.advanceTimersByTimeAsync(10)

    push({ _tag: "RowsReverted", fromBlock: 9n })
    await vi.advanceTimersByTimeAsync(10)
    send(pageOf([row("stale", 8n)], null))
    await vi.advanceTimersByTimeAsync(10)

    expect(reads).toBe(2)
    expect(history.snapshot().rows.past.map(({ key }) => key)).toEqual(["new"])
    expect(history.snapshot()).toMatchObject({ isReloaded: true, isLoading: false, isComplete: true })
  })
})
