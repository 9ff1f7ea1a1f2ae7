import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as AppliedSettings from "../../src/indexer/AppliedSettings.ts"
import type { AppliedSettings as Applied } from "../../src/store/StatusBoard.ts"

const off: AppliedSettings.Settings = { traces: "off", allFrames: "false", checks: "standard" }
const on: AppliedSettings.Settings = { ...off, traces: "on" }

const Step = Schema.Struct({
  value: Schema.Literals(["on", "off"]),
  to: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
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

  it("apply: a changed value applies from the next block on, and an unchanged one keeps its first block", () => {
    const first = AppliedSettings.apply([], off, null).settings
    const changed = AppliedSettings.apply(first, on, 9)

    expect(changed.changes).toEqual([{ name: "traces", before: "off", now: "on", from: 10 }])
    expect(changed.settings[0]).toEqual({ name: "traces", value: "on", from: 10 })
    expect(AppliedSettings.apply(changed.settings, on, 20)).toEqual({ settings: changed.settings, changes: [] })
  })

  it("fromTraces: of an older index it is known whether traces were stored", () => {
    const before = AppliedSettings.fromTraces("off")

    expect(AppliedSettings.apply(before, on, 4).changes).toEqual([
      { name: "traces", before: "off", now: "on", from: 5 },
    ])
    expect(AppliedSettings.fromTraces("trace_block")).toEqual([{ name: "traces", value: "on" }])
    expect(AppliedSettings.fromTraces(null)).toEqual([])
  })

  it.prop(
    "apply and unwound: every block from the recorded one on was indexed with the recorded value, as in the model",
    { steps: Schema.Array(Step) },
    ({ steps }) => {
      let settings: Applied = []
      let blocks: ReadonlyArray<string> = []
      for (const { to, value } of steps) {
        settings = AppliedSettings.apply(
          settings,
          { ...off, traces: value },
          blocks.length === 0 ? null : blocks.length - 1,
        ).settings
        if (to < blocks.length) {
          blocks = blocks.slice(0, to)
          settings = AppliedSettings.unwound(settings, to === 0 ? null : to - 1)
        } else blocks = [...blocks, ...Array.from({ length: to - blocks.length }, () => value)]

        const found = settings.find(({ name }) => name === "traces")
        expect(found?.value).toBe(value)
        expect(blocks.slice(found?.from ?? 0).every((stored) => stored === value)).toBe(true)
      }
    },
  )
})
