import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Timestamp from "../src/Timestamp.ts"
import { encodesAndDecodes, refusal } from "./law.ts"

const decode = Schema.decodeUnknownSync(Timestamp.Timestamp)

describe("Timestamp", () => {
  it("reads ISO 8601 and writes it with milliseconds in UTC", () => {
    const date = decode("2021-05-07T11:08:35.000Z")
    expect(date.getTime()).toBe(1620385715000)
    expect(Schema.encodeSync(Timestamp.Timestamp)(date)).toBe("2021-05-07T11:08:35.000Z")
  })

  it("reads other zones, no zone as UTC, and any fraction", () => {
    expect(decode("2021-05-07T13:08:35+02:00").toISOString()).toBe("2021-05-07T11:08:35.000Z")
    expect(decode("2021-06-04T16:00:15").toISOString()).toBe("2021-06-04T16:00:15.000Z")
    expect(decode("2021-06-04T16:00:15.123456789Z").toISOString()).toBe("2021-06-04T16:00:15.123Z")
  })

  it.each(["", "yesterday", "2021-05-07", "2021-13-07T11:08:35Z", "2021-05-07T25:08:35Z", 1620385715, null])(
    "refuses %j",
    (input) => {
      expect(refusal(Timestamp.Timestamp, input)).toContain("an ISO 8601 timestamp such as 2021-05-07T11:08:35.000Z")
    },
  )

  it("does not write an invalid Date", () => {
    expect(() => Schema.encodeSync(Timestamp.Timestamp)(new Date(NaN))).toThrow("a valid Date")
  })

  it("decodes what it encoded", async () => {
    await encodesAndDecodes(Timestamp.Timestamp)
  })
})
