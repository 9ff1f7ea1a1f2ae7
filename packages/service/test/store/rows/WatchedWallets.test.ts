import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as WatchedWallets from "../../../src/store/rows/WatchedWallets.ts"
import * as WatchList from "../../../src/store/WatchList.ts"

const all = ["0xa", "0xb", "0xc"]

const Wallets = Schema.UniqueArray(Schema.Literals(["0xa", "0xb", "0xc"])).check(Schema.isMinLength(1))

const Below = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))

/** Events of an index. Two writers are open, each with the list that it was opened with. */
const Step = Schema.Union([
  Schema.Struct({ do: Schema.Literal("open"), writer: Schema.Literals([0, 1]), wanted: Wallets }),
  Schema.Struct({ do: Schema.Literal("append"), writer: Schema.Literals([0, 1]), blocks: Below }),
  Schema.Struct({ do: Schema.Literal("prepend"), writer: Schema.Literals([0, 1]), blocks: Below }),
  Schema.Struct({
    do: Schema.Literal("unwind"),
    blocks: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
  }),
  Schema.Struct({ do: Schema.Literals(["Add", "Remove"]), wallets: Wallets }),
])

/** An index: for which wallets each of its blocks was indexed. */
interface Index {
  text: string | null
  blocks: Array<{ readonly number: number; readonly madeFor: ReadonlySet<string> }>
  readonly writers: [ReadonlySet<string>, ReadonlySet<string>]
}

const numbers = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

const apply = (index: Index, step: typeof Step.Type): void => {
  const [first, last] = [index.blocks[0]?.number, index.blocks.at(-1)?.number]
  switch (step.do) {
    case "open": {
      const wanted = new Set<string>(step.wanted)
      if (first !== undefined && WatchedWallets.lacking("file", "eth", wanted, index.text) !== null) return
      index.text = WatchedWallets.claimed(index.text, wanted)
      index.writers[step.writer] = WatchedWallets.listOf(index.text, wanted)!
      return
    }
    case "append": {
      const madeFor = index.writers[step.writer]
      const to = (last ?? 99) + step.blocks
      if (step.blocks === 0) return
      index.blocks.push(...numbers((last ?? 99) + 1, to).map((number) => ({ number, madeFor })))
      index.text = WatchedWallets.stored(index.text, madeFor, to + 1)
      return
    }
    case "prepend": {
      const madeFor = index.writers[step.writer]
      if (first === undefined || step.blocks === 0) return
      index.blocks.unshift(...numbers(first - step.blocks, first - 1).map((number) => ({ number, madeFor })))
      index.text = WatchedWallets.stored(index.text, madeFor, first)
      return
    }
    case "unwind": {
      if (first === undefined || last === undefined) return
      const lowest = Math.max(first, last - step.blocks + 1)
      index.blocks = index.blocks.filter(({ number }) => number < lowest)
      index.text = WatchedWallets.unwound(index.text, lowest === first ? 0 : lowest)
      return
    }
    case "Add":
    case "Remove":
      if (last === undefined || index.text === null) return
      index.text = WatchedWallets.changed(index.text, { _tag: step.do, wallets: step.wallets }, last + 1).text
  }
}

const checkpointOf = ({ blocks, text }: Index) => ({
  first: blocks[0]?.number ?? 0,
  head: {
    number: blocks.at(-1)?.number ?? 0,
    hash: "0x",
  },
  headTimestamp: 0,
  finalized: null,
  ...WatchedWallets.toCheckpoint(text),
})

describe("WatchedWallets", () => {
  it.prop(
    "stored, unwound, changed: no block that was indexed without a wallet is stated to have its transactions",
    { steps: Schema.Array(Step).check(Schema.isMaxLength(40)) },
    ({ steps }) => {
      const index: Index = { text: null, blocks: [], writers: [new Set(["0xa"]), new Set(["0xa"])] }
      apply(index, { do: "open", writer: 0, wanted: ["0xa"] })
      for (const step of steps) {
        apply(index, step)
        for (const { madeFor, number } of index.blocks) {
          const stated = WatchList.walletsAt(checkpointOf(index), number)
          expect([...(stated ?? all)].filter((wallet) => !madeFor.has(wallet))).toEqual([])
        }
      }
    },
  )

  it("toCheckpoint: reads a text, and one with added wallets", () => {
    const before = '["0xa","0xb"]'
    const added = WatchedWallets.changed(before, { _tag: "Add", wallets: ["0xc", "0xa", "0xc"] }, 12)

    expect(WatchedWallets.toCheckpoint(null)).toEqual({})
    expect(WatchedWallets.toCheckpoint(before)).toEqual({ watch: ["0xa", "0xb"] })
    expect(added).toEqual({ text: '["0xa","0xb",["0xc",12]]', changed: ["0xc"] })
    expect(WatchedWallets.toCheckpoint(added.text)).toEqual({ watch: ["0xa", "0xb", "0xc"], addedFrom: { "0xc": 12 } })
  })

  it("changed: removes added wallets, and none of the configuration", () => {
    const { changed, text } = WatchedWallets.changed(
      '["0xa",["0xc",12]]',
      { _tag: "Remove", wallets: ["0xa", "0xb", "0xc"] },
      20,
    )

    expect([text, changed]).toEqual(['["0xa"]', ["0xc"]])
  })

  it("claimed: keeps added wallets, even if the configuration names them later", () => {
    const text = '["0xa","0xb",["0xc",12]]'

    expect(WatchedWallets.claimed(text, new Set(["0xa"]))).toBe('["0xa",["0xc",12]]')
    expect(WatchedWallets.claimed(text, new Set(["0xa", "0xc"]))).toBe('["0xa",["0xc",12]]')
    expect(WatchedWallets.claimed(text, null)).toBeNull()
  })
})

describe("WatchedWallets: the search of a past", () => {
  const of = { first: 10, head: { number: 30, hash: "0x1e" }, headTimestamp: 0, finalized: null }
  const added = WatchedWallets.changed('["0xa"]', { _tag: "Add", wallets: ["0xb"] }, 21).text
  const search = (text: string, from: number, to: number) =>
    WatchedWallets.changed(text, { _tag: "Searched", wallets: ["0xa", "0xb", "0xc"], from, to }, 31)
  const stated = (text: string) => {
    const checkpoint = { ...of, ...WatchedWallets.toCheckpoint(text) }
    return [WatchList.firstBlock(checkpoint, "0xb"), WatchList.searchedTo(checkpoint, "0xb")]
  }

  it("changed: a wallet has its past once the search reaches the block before its first one", () => {
    const half = search(added, 9, 15)
    const whole = search(half.text, 15, 20)

    expect(stated(added)).toEqual([21, null])
    expect([half.changed, stated(half.text)]).toEqual([["0xb"], [21, 15]])
    expect([whole.changed, stated(whole.text)]).toEqual([["0xb"], [10, 20]])
  })

  it("changed: a search that does not continue where the list ends is not recorded", () => {
    const half = search(added, 9, 15).text

    expect(search(half, 12, 18)).toEqual({ text: half, changed: [] })
    expect(search(half, 15, 15)).toEqual({ text: half, changed: [] })
    expect(search('["0xa"]', 9, 15)).toEqual({ text: '["0xa"]', changed: [] })
  })

  it("unwound: a reorg below the first block of a wallet also lowers how far its past is searched", () => {
    const whole = search(added, 9, 20).text

    expect(stated(WatchedWallets.unwound(whole, 25)!)).toEqual([10, 20])
    expect(stated(WatchedWallets.unwound(whole, 18)!)).toEqual([10, 17])
  })

  it("stored: blocks that were indexed without the wallet restart its search", () => {
    const whole = search(added, 9, 20).text

    expect(stated(WatchedWallets.stored(whole, new Set(["0xa"]), 31)!)).toEqual([31, null])
    expect(stated(WatchedWallets.stored(whole, new Set(["0xa", "0xb"]), 31)!)).toEqual([10, 20])
  })

  it("claimed: a reopened index keeps how far the search has come", () => {
    const half = search(added, 9, 15).text

    expect(stated(WatchedWallets.claimed(half, new Set(["0xa"]))!)).toEqual([21, 15])
  })
})
