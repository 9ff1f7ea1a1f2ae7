import { describe, expect, it } from "vitest"
import type { IndexerEvent } from "../../src/indexer/IndexerEvent.ts"
import * as Progress from "../../src/cli/ProgressLine.ts"

const advance: Progress.Advance = {
  chain: "eth",
  first: 100,
  head: 150,
  nodeHead: 200,
  blocksPerSecond: 12.4,
  etaMillis: 4_000,
}

const indexed = (head: number, nodeHead: number): IndexerEvent => ({
  _tag: "Indexed",
  first: 0,
  head,
  nodeHead,
  blocks: head,
  transactions: 0,
  elapsedMillis: 1_000,
  blocksPerSecond: 10,
  etaMillis: 1_000,
})

/** A terminal that records its output. */
const terminal = () => {
  const written: Array<string> = []
  let millis = 0
  const progress = Progress.make({
    write: (text) => written.push(text.replaceAll("\r\u001b[2K", "<clear>")),
    columns: () => 200,
    now: () => millis,
  })
  return { progress, written, wait: (more: number) => (millis += more) }
}

describe("Progress", () => {
  describe("line", () => {
    it("a progress line shows a bar, the blocks, the speed and the time left for one chain", () => {
      expect(Progress.line([advance], 200)).toBe(
        `eth ${"█".repeat(12)}${"░".repeat(12)} 50% block 150 of 200, 12 blocks/s, 4 s left`,
      )
    })

    it("a progress line is shorter for several chains, never wider than the terminal, and empty without chains", () => {
      const two = [advance, { ...advance, chain: "base", etaMillis: null }]

      expect(Progress.line(two, 200)).toBe("eth 50%, 4 s left | base 50%")
      expect(Progress.line(two, 11)).toBe("eth 50%, 4")
      expect(Progress.line([], 200)).toBe("")
    })

    it("a progress line is complete when the first block is the only one", () => {
      expect(Progress.line([{ ...advance, head: 100, nodeHead: 100 }], 200)).toContain("100%")
    })
  })

  it("a progress line is redrawn periodically, and removed when the head is reached", () => {
    const { progress, wait, written } = terminal()
    progress.take("eth", indexed(1, 10))
    progress.take("eth", indexed(2, 10))
    expect(written).toHaveLength(1)
    wait(1_000)
    progress.take("eth", indexed(3, 10))
    expect(written.at(-1)).toContain("block 3 of 10")
    progress.take("eth", indexed(10, 10))

    expect(written.at(-1)).toBe("<clear>")
  })

  it("a progress line stays below other lines that are written", () => {
    const { progress, written } = terminal()
    progress.above(() => written.push("log"))
    expect(written).toEqual(["log"])
    progress.take("eth", indexed(1, 10))
    const [, drawn = ""] = written
    progress.above(() => written.push("log"))

    expect(written.slice(2)).toEqual(["<clear>", "log", drawn.replace("<clear>", "")])
  })

  it("a progress line does not return once it was closed", () => {
    const { progress, written } = terminal()
    progress.take("eth", indexed(1, 10))
    progress.end()

    expect(written.at(-1)).toBe("<clear>")
  })
})
