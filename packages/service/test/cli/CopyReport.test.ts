/** What a backup prints while it is made and when it is finished. */
import { describe, expect, it } from "@effect/vitest"
import * as CopyReport from "../../src/cli/CopyReport.ts"

const mebibyte = 2 ** 20

describe("CopyReport", () => {
  it("formatBytes: uses the unit in which a size has one to four digits before its point", () => {
    expect([0, 1023, 1024, 1.5 * mebibyte, 2 ** 30, 3 * 2 ** 40, 2 ** 52].map(CopyReport.formatBytes)).toEqual([
      "0 B",
      "1023 B",
      "1.0 KiB",
      "1.5 MiB",
      "1.0 GiB",
      "3.0 TiB",
      "4096.0 TiB",
    ])
  })

  it("formatProgress: shows the share, the rate since the start and the time left", () => {
    const progress = { chain: "eth", block: 7, goal: 9, bytes: 30 * mebibyte, totalBytes: 40 * mebibyte }

    expect(CopyReport.formatProgress(progress, { bytes: 10 * mebibyte, millis: 4000 })).toBe(
      "75 %, 30.0 MiB of 40.0 MiB, block 7 of 9, 5.0 MiB/s, 2 s left",
    )
  })

  it("formatProgress: shows no time while nothing is copied, and never 100 % before the end", () => {
    const progress = { chain: "eth", block: null, goal: 9, bytes: mebibyte, totalBytes: mebibyte }

    expect(CopyReport.formatProgress(progress, { bytes: mebibyte, millis: 0 })).toBe(
      "99 %, 1.0 MiB of 1.0 MiB, block none of 9, 0 B/s",
    )
  })

  it("formatCopy: names the copied blocks, and only the size for keys", () => {
    const copy = { file: "chain-eth.sqlite", bytes: mebibyte, blocks: 1, copiedBytes: 512, head: 7 }

    expect([
      CopyReport.formatCopy(copy),
      CopyReport.formatCopy({ ...copy, file: "daybook.sqlite", head: null }),
    ]).toEqual(["chain-eth.sqlite: 1 block copied (512 B), up to block 7; 1.0 MiB", "daybook.sqlite: 1.0 MiB"])
  })
})
