import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as AppliedSettings from "../../src/store/AppliedSettings.ts"
import type { AppliedSettings as Applied } from "../../src/store/StatusBoard.ts"

const off: AppliedSettings.Settings = { traces: "off", allFrames: "false", checks: "standard" }
const on: AppliedSettings.Settings = { ...off, traces: "on" }

const Step = Schema.Struct({
  value: Schema.Literals(["on", "off"]),
  to: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
  below: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
})

describe("AppliedSettings", () => {
  it("apply: records the values of an empty index without a first block", () => {
    const { changes, settings } = AppliedSettings.apply([], on, null)

    expect(changes).toEqual([])
    expect(settings).toEqual([
      { name: "traces", value: "on" },
      { name: "allFrames", value: "false" },
      { name: "checks", value: "standard" },
    ])
  })

  it("apply: a changed value applies from the next block, and an unchanged one keeps its first block", () => {
    const first = AppliedSettings.apply([], off, null).settings
    const changed = AppliedSettings.apply(first, on, 9)

    expect(changed.changes).toEqual([{ name: "traces", before: "off", now: "on", from: 10 }])
    expect(changed.settings.slice(0, 2)).toEqual([
      { name: "traces", value: "off" },
      { name: "traces", value: "on", from: 10 },
    ])
    expect(AppliedSettings.apply(changed.settings, on, 20)).toEqual({ settings: changed.settings, changes: [] })
  })

  it("apply: an index of some wallets without a record of its rows is treated as an earlier version's up to its head", () => {
    const settings = { ...on, rows: AppliedSettings.rowsByRole } as const
    const stored = { from: 0, to: 20 }
    const earlier = AppliedSettings.apply(AppliedSettings.apply([], on, null).settings, settings, 9).settings

    expect(AppliedSettings.storedByParty(earlier, stored)).toEqual({ value: "parties", from: 0, to: 9 })
    expect(AppliedSettings.apply(earlier, settings, 20).settings).toEqual(earlier)
    // All of its blocks are removed, and indexed again.
    const again = AppliedSettings.apply(AppliedSettings.unwound(earlier, null), settings, null).settings
    expect(AppliedSettings.storedByParty(again, stored)).toBeUndefined()
    const part = AppliedSettings.apply(AppliedSettings.unwound(earlier, 4), settings, 4).settings
    expect(AppliedSettings.storedByParty(part, stored)).toEqual({ value: "parties", from: 0, to: 4 })
    const fresh = AppliedSettings.apply([], settings, null).settings
    expect(AppliedSettings.storedByParty(AppliedSettings.apply(fresh, settings, 9).settings, stored)).toBeUndefined()
    // An index of every wallet has no such setting.
    expect(AppliedSettings.storedByParty(AppliedSettings.apply([], on, 9).settings, stored)).toBeUndefined()
  })

  it("apply: the blocks of an index of every wallet have all rows, even after it is limited to some", () => {
    const whole = AppliedSettings.apply([], { ...on, rows: AppliedSettings.allRows }, 9).settings
    const narrowed = AppliedSettings.apply(whole, { ...on, rows: AppliedSettings.rowsByRole }, 12)

    expect(AppliedSettings.storedByParty(narrowed.settings, { from: 0, to: 20 })).toBeUndefined()
    expect(narrowed.changes).toEqual([{ name: "rows", before: "all", now: "roles", from: 13 }])
  })

  it("apply: drops a value that no stored block was indexed with", () => {
    const first = AppliedSettings.apply([], on, null).settings
    const changed = AppliedSettings.apply(first, off, 9).settings

    expect(AppliedSettings.apply(changed, on, 9).settings).toEqual(first)
  })

  it("lastTraced: returns the last stored block with traces, or null if there is none", () => {
    const changed = AppliedSettings.apply(AppliedSettings.apply([], on, null).settings, off, 9).settings

    expect(AppliedSettings.lastTraced(changed, { from: 3, to: 20 })).toBe(9)
    expect(AppliedSettings.lastTraced(changed, { from: 3, to: 7 })).toBe(7)
    expect(AppliedSettings.lastTraced(changed, { from: 10, to: 20 })).toBeNull()
    expect(AppliedSettings.lastTraced([], { from: 0, to: 20 })).toBeNull()
  })

  it("fromTraces: states for an older index whether traces were stored", () => {
    const before = AppliedSettings.fromTraces("off")

    expect(AppliedSettings.apply(before, on, 4).changes).toEqual([
      { name: "traces", before: "off", now: "on", from: 5 },
    ])
    expect(AppliedSettings.fromTraces("trace_block")).toEqual([{ name: "traces", value: "on" }])
    expect(AppliedSettings.fromTraces(null)).toEqual([])
  })

  it("prepend: the blocks below the first one have the current values, and the other blocks keep their values", () => {
    const changed = AppliedSettings.apply(AppliedSettings.apply([], off, null).settings, on, 20).settings

    const settings = AppliedSettings.prepend(changed, 10)

    expect(settings.filter(({ name }) => name === "traces")).toEqual([
      { name: "traces", value: "on" },
      { name: "traces", value: "off", from: 10 },
      { name: "traces", value: "on", from: 21 },
    ])
    expect(settings.filter(({ name }) => name === "checks")).toEqual([{ name: "checks", value: "standard" }])
    expect(AppliedSettings.prepend(settings, 10)).toEqual(settings)
    expect(AppliedSettings.prepend(settings, 5)).toEqual(settings)
  })

  it.prop(
    "apply, prepend, unwound and ranges: each stored block has the value that it was indexed with, and the last entry the current one",
    { steps: Schema.Array(Step) },
    ({ steps }) => {
      let settings: Applied = []
      let first = 1_000
      let blocks: ReadonlyArray<string> = []
      for (const { below, to, value } of steps) {
        const head = () => (blocks.length === 0 ? null : first + blocks.length - 1)
        settings = AppliedSettings.apply(settings, { ...off, traces: value }, head()).settings
        if (to < blocks.length) {
          blocks = blocks.slice(0, to)
          settings = AppliedSettings.unwound(settings, head())
        } else blocks = [...blocks, ...Array.from({ length: to - blocks.length }, () => value)]
        if (blocks.length > 0) {
          settings = AppliedSettings.prepend(settings, first)
          first -= below
          blocks = [...Array.from({ length: below }, () => value), ...blocks]
        }

        const ranges = AppliedSettings.ranges(settings, "traces", { from: first, to: first + blocks.length - 1 })
        expect(settings.findLast(({ name }) => name === "traces")?.value).toBe(value)
        expect(ranges.flatMap((range) => Array.from({ length: range.to - range.from + 1 }, () => range.value))).toEqual(
          blocks,
        )
        expect(ranges.every((range, at) => at === 0 || range.value !== ranges[at - 1]?.value)).toBe(true)
      }
    },
  )
})
