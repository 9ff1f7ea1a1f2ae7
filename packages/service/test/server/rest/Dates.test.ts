import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import moment from "moment"
import { expect, vi } from "vitest"
import * as Dates from "../../../src/server/rest/Dates.ts"

const read = (text: string): string | undefined => {
  const result = Dates.read("from_date", text)
  return result._tag === "Success" ? new Date(result.success).toISOString() : undefined
}

describe("Dates", () => {
  describe("read", () => {
    it("parses a repeated date once, whatever else is sent in between", () => {
      const readDay = (day: number) => read(new Date(Date.UTC(1990, 0, day)).toISOString())
      for (let day = 0; day < 1_000; day++) readDay(day)
      const parse = vi.spyOn(moment, "utc")
      for (let day = 1_000; day < 4_000; day++) {
        readDay(day)
        read("2021-05-07T11:08:35Z")
      }
      const count = parse.mock.calls.filter(([text]) => (text as unknown) === "2021-05-07T11:08:35Z").length
      parse.mockRestore()

      expect(count).toBe(1)
    })

    it("reads ISO 8601, in UTC if it names no zone", () => {
      const cases: ReadonlyArray<readonly [string, string]> = [
        ["2021-05-07T11:08:35Z", "2021-05-07T11:08:35.000Z"],
        ["2021-05-07T11:08:35.123Z", "2021-05-07T11:08:35.123Z"],
        ["2021-05-07T11:08:35", "2021-05-07T11:08:35.000Z"],
        ["2021-05-07 11:08", "2021-05-07T11:08:00.000Z"],
        ["2021-05-07T11:08:35+02:00", "2021-05-07T09:08:35.000Z"],
        ["2021-05-07T11:08:35-0530", "2021-05-07T16:38:35.000Z"],
        ["20210507T110835Z", "2021-05-07T11:08:35.000Z"],
        ["2021-05-07", "2021-05-07T00:00:00.000Z"],
        ["2021-05", "2021-05-01T00:00:00.000Z"],
        ["2021", "2021-01-01T00:00:00.000Z"],
        ["20210507", "2021-05-07T00:00:00.000Z"],
        ["2021-W18-5", "2021-05-07T00:00:00.000Z"],
        ["2021-127", "2021-05-07T00:00:00.000Z"],
        ["  2021-05-07 ", "2021-05-07T00:00:00.000Z"],
      ]
      for (const [text, instant] of cases) expect([text, read(text)]).toEqual([text, instant])
    })

    it("reads RFC 2822", () => {
      expect(read("Fri, 07 May 2021 11:08:35 +0000")).toBe("2021-05-07T11:08:35.000Z")
      expect(read("7 May 2021 11:08 -0200")).toBe("2021-05-07T13:08:00.000Z")
      expect(read("Fri, 07 May 2021 11:08:35 GMT")).toBe("2021-05-07T11:08:35.000Z")
    })

    it("reads ten digits as seconds and thirteen as milliseconds", () => {
      expect(read("1620385715")).toBe("2021-05-07T11:08:35.000Z")
      expect(read("1620385715123")).toBe("2021-05-07T11:08:35.123Z")
      for (const text of ["162038571", "16203857151", "162038571512", "16203857151234"])
        expect(read(text)).toBeUndefined()
    })

    it("reads the name of a month with a day and a four-digit year", () => {
      const day = "2021-05-07T00:00:00.000Z"
      for (const text of ["May 7, 2021", "may 7 2021", "7 May 2021", "07-May-2021", "2021 May 7", "Fri May 07 2021"]) {
        expect([text, read(text)]).toEqual([text, day])
      }
      expect(read("7 September 2021 5:00 pm")).toBe("2021-09-07T17:00:00.000Z")
      expect(read("Tuesday, September 7, 2021")).toBe("2021-09-07T00:00:00.000Z")
      expect(read("Sept 7, 2021 17:00:01")).toBe("2021-09-07T17:00:01.000Z")
      expect(read("Fri May 07 2021 11:08:35 GMT+0200 (Central European Summer Time)")).toBe("2021-05-07T09:08:35.000Z")
    })

    it("reads a date that starts with the year, as moment does", () => {
      for (const text of ["2021/05/07", "2021/5/7", "2021-5-7"]) {
        expect([text, read(text)]).toEqual([text, "2021-05-07T00:00:00.000Z"])
        expect(moment.utc(text).toISOString()).toBe("2021-05-07T00:00:00.000Z")
      }
      expect(read("2021/05/07 11:08:35")).toBe("2021-05-07T11:08:35.000Z")
      expect(read("2021/5/7 5:08 pm +0200")).toBe("2021-05-07T15:08:00.000Z")
    })

    it("reads the form of the C library and of the command date", () => {
      for (const text of ["Fri May  7 11:08:35 2021", "Fri May 07 11:08:35 UTC 2021", "May 7 11:08:35 GMT 2021"]) {
        expect([text, read(text)]).toEqual([text, "2021-05-07T11:08:35.000Z"])
      }
    })

    it("restores the plus before a time zone that became a space", () => {
      for (const text of [
        "2021-05-07T11:08:35 02:00",
        "2021-05-07T11:08:35 0200",
        "2021-05-07T11:08:35 02",
        "20210507T110835 0200",
        "Fri, 07 May 2021 11:08:35  0200",
        "Fri May 07 2021 11:08:35 GMT 0200 (CEST)",
      ]) {
        expect([text, read(text)]).toEqual([text, "2021-05-07T09:08:35.000Z"])
      }
      expect(read("2021-05-07T11:08:35.123 02:00")).toBe("2021-05-07T09:08:35.123Z")
    })

    it("rejects ambiguous texts", () => {
      for (const text of [
        "page 2",
        "yesterday",
        "now",
        "12/25/1995",
        "2021/05-07",
        "21/05/07",
        "May 2021",
        "7th May 2021",
        "May 7 21",
        "Smarch 7 2021",
        "May 7, 2021 and more",
        "-5",
        "0",
        "NaN",
        "null",
        "",
        " ",
      ]) {
        expect([text, read(text)]).toEqual([text, undefined])
      }
    })

    it("rejects days and times that do not exist", () => {
      for (const text of [
        "2021-02-30",
        "2021-13-01",
        "2021/2/30",
        "2021/13/1",
        "2021/0/1",
        "Thu May  7 11:08:35 2021",
        "2021-05-07T25:00:00Z",
        "Feb 31, 2021",
        "29 Feb 2021",
        "31 September 2021",
        "May 0, 2021",
        "00 May 2021",
        "7 May 2021 25:00",
        "Mon, 07 May 2021 11:08:35 +0000",
      ]) {
        expect([text, read(text)]).toEqual([text, undefined])
      }
      expect(read("29 Feb 2020")).toBe("2020-02-29T00:00:00.000Z")
    })

    it("reads a text of 100 characters, but not a longer one", () => {
      const withFraction = (digits: number) => read(`2021-05-07T11:08:35.${"1".repeat(digits)}Z`)

      expect(withFraction(79)).toBe("2021-05-07T11:08:35.111Z")
      expect(withFraction(80)).toBeUndefined()
    })

    it("returns quickly for a long text, for which a search of all parts would not", () => {
      for (const text of [
        "1:".repeat(5_000_000),
        "may ".repeat(5_000_000),
        `7 May 2021${" ".repeat(5_000_000)}x`,
        "2021/1/1 1:".repeat(5_000_000),
      ]) {
        expect(read(text)).toBeUndefined()
      }
    })

    it.prop(
      "read: returns the same as the moment library for each form of an instant",
      { millis: Schema.Int.check(Schema.isBetween({ minimum: 1_000_000_000_000, maximum: 9_999_999_999_999 })) },
      ({ millis }) => {
        const second = Math.floor(millis / 1000) * 1000
        expect(read(moment.utc(millis).toISOString())).toBe(new Date(millis).toISOString())
        expect(read(moment.utc(millis).utcOffset(-330).toISOString(true))).toBe(new Date(millis).toISOString())
        expect(read(moment.utc(millis).format("ddd, DD MMM YYYY HH:mm:ss ZZ"))).toBe(new Date(second).toISOString())
        expect(read(moment.utc(millis).format("D MMMM YYYY HH:mm:ss"))).toBe(new Date(second).toISOString())
        expect(read(String(millis))).toBe(new Date(millis).toISOString())
        expect(read(String(second / 1000))).toBe(new Date(second).toISOString())
      },
    )

    it("a failure states the parameter, the formats and what was received", () => {
      const result = Dates.read("to_date", "page 2")
      expect(result._tag === "Failure" && result.failure).toMatchObject({
        parameter: "to_date",
        code: "bad_request",
        message:
          'Invalid query parameter "to_date": expected ISO 8601 such as 2021-05-07T11:08:35Z, RFC 2822 such as Fri, 07 May 2021 11:08:35 +0000, 10 digits of seconds or 13 of milliseconds since 1970, or text such as May 7, 2021; in UTC unless it names a zone, received "page 2".',
      })
    })
  })
})
