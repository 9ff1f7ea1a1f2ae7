import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Bloom from "ox/Bloom"
import * as LogsBloom from "../../src/verification/LogsBloom.ts"
import * as fixture from "../indexer/fixture.ts"

const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{40}$/))
const Topic = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/))
const Log = Schema.Struct({ address: Address, topics: Schema.Array(Topic).check(Schema.isMaxLength(4)) })

const logsOf = (logs: ReadonlyArray<typeof Log.Type>) =>
  fixture.receipts([
    { ...fixture.transferReceiptWire, logs: logs.map((log, index) => fixture.logWire(index, 0, { ...log })) },
  ])[0]!.logs

const hexOf = (bloom: Uint8Array | null): `0x${string}` =>
  bloom === null ? `0x${"00".repeat(256)}` : `0x${Buffer.from(bloom).toString("hex")}`

describe("LogsBloom", () => {
  it("ofLogs: is null for no logs, whose text has no bit set", () => {
    expect(LogsBloom.ofLogs([])).toBeNull()
    expect(LogsBloom.format(null)).toBe(LogsBloom.none)
    expect(LogsBloom.isSame(null, LogsBloom.none)).toBe(true)
  })

  it("isSame: ignores the case of the text and rejects another length", () => {
    const bloom = LogsBloom.ofLogs(logsOf([{ address: fixture.token, topics: [fixture.topic] }]))
    const text = hexOf(bloom)

    expect(LogsBloom.isSame(bloom, `0x${text.slice(2).toUpperCase()}`)).toBe(true)
    expect(LogsBloom.isSame(bloom, `${text}00`)).toBe(false)
    expect(LogsBloom.isSame(bloom, LogsBloom.none)).toBe(false)
  })

  it.prop("ofLogs: contains every address and topic according to ox", { logs: Schema.Array(Log) }, ({ logs }) => {
    const bloom = hexOf(LogsBloom.ofLogs(logsOf(logs)))

    for (const { address, topics } of logs) {
      for (const value of [address, ...topics]) expect(Bloom.contains(bloom, value as `0x${string}`)).toBe(true)
    }
  })

  it.prop("ofLogs: sets at most three bits for each address and topic", { logs: Schema.Array(Log) }, ({ logs }) => {
    const bits = [...(LogsBloom.ofLogs(logsOf(logs)) ?? [])].reduce(
      (sum, byte) => sum + byte.toString(2).replaceAll("0", "").length,
      0,
    )

    expect(bits).toBeLessThanOrEqual(3 * logs.reduce((sum, { topics }) => sum + 1 + topics.length, 0))
  })

  it.prop(
    "union: of two lists of logs is the bloom of both together",
    { one: Schema.Array(Log), other: Schema.Array(Log) },
    ({ one, other }) => {
      const union = LogsBloom.union([LogsBloom.ofLogs(logsOf(one)), LogsBloom.ofLogs(logsOf(other))])

      expect(hexOf(union)).toBe(hexOf(LogsBloom.ofLogs(logsOf([...one, ...other]))))
    },
  )
})
