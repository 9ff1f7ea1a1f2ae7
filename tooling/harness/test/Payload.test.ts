import { describe, expect, it } from "@effect/vitest"
import { gunzipSync } from "node:zlib"
import { Payload } from "@daybook/harness"
import { Schema } from "effect"

const seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))

describe("Payload", () => {
  it("gzipBomb: is small on the wire, 64 MiB when decompressed, and ends with the body", () => {
    const compressed = Payload.gzipBomb("[1]")
    const decompressed = gunzipSync(compressed)

    expect(compressed.length).toBeLessThan(128 * 1024)
    expect(decompressed.length).toBe(Payload.bombBytes + 3)
    expect(decompressed.subarray(-3).toString()).toBe("[1]")
  })

  it("oversize: is 8 MiB of white space before the body", () => {
    const body = Buffer.from(Payload.oversize('{"a":1}'))

    expect(body.length).toBe(Payload.oversizeBytes + 7)
    expect(JSON.parse(body.toString())).toEqual({ a: 1 })
  })

  it.prop("compressed: decompresses to the body, or is the body if gzip is not accepted", [Schema.String], ([body]) => {
    const { body: gzip } = Payload.compressed(body, true)

    expect(gunzipSync(gzip).toString()).toBe(Buffer.from(body).toString())
    expect(Payload.compressed(body, false)).toEqual({ body })
  })

  it.prop("retryAfterDate: is the given number of seconds after the Date header", [seconds], ([wait]) => {
    const { date = "", "retry-after": until = "" } = Payload.retryAfterDate(wait * 1000)

    expect(Date.parse(until) - Date.parse(date)).toBe(wait * 1000)
    expect(new Date(until).toUTCString()).toBe(until)
  })
})
