/**
 * Parses the dates of a query in the forms that the service accepts. These are ISO 8601 in all of its forms, digits, a year before its
 * month and day, and text with the name of a month. Pure.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Result from "effect/Result"

const expected =
  "ISO 8601 such as 2021-05-07T11:08:35Z, RFC 2822 such as Fri, 07 May 2021 11:08:35 +0000, 10 digits of seconds or 13 of milliseconds since 1970, or text such as May 7, 2021; in UTC unless it names a zone"

const dayMillis = 86_400_000

const isoOf = (dash: string, colon: string): RegExp => {
  const date = `(?:(?<month>\\d\\d)${dash}(?<day>\\d\\d)|W(?<week>\\d\\d)${dash}(?<weekday>[1-7])|(?<ordinal>\\d{3}))`
  const time = `(?<hours>\\d\\d)(?:${colon}(?<minutes>\\d\\d)(?:${colon}(?<seconds>\\d\\d)(?:[.,](?<fraction>\\d+))?)?)?`
  return new RegExp(`^(?<year>\\d{4})${dash}${date}(?:[T ]${time}(?<zone>[+-]\\d\\d(?::?\\d\\d)?| *Z)?)?$`)
}

/** Forms of ISO 8601: with dashes and colons, without them, and a year, month or week alone. */
const iso = [isoOf("-", ":"), isoOf("", ""), /^(?<year>\d{4})(?:-?(?<month>\d\d)|-?W(?<week>\d\d))?$/]

type Parts = Readonly<Record<string, string | undefined>>

const mondayOfFirstWeek = (year: number): number => {
  // The first week contains January 4.
  const fourth = Date.UTC(year, 0, 4)
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMillis
}

/** First instant of a day; NaN if the calendar has no such day. */
const dayOf = ({ day = "01", month = "01", ordinal, week, weekday = "1", year = "" }: Parts): number => {
  if (week === undefined && ordinal === undefined) {
    const millis = Date.parse(`${year}-${month}-${day}`)
    return new Date(millis).getUTCDate() === Number(day) ? millis : Number.NaN
  }
  const first = ordinal === undefined ? mondayOfFirstWeek : (one: number) => Date.UTC(one, 0, 1)
  const days = ordinal === undefined ? Number(week) * 7 - 8 + Number(weekday) : Number(ordinal) - 1
  const millis = first(Number(year)) + days * dayMillis
  return Number(week ?? ordinal) > 0 && millis < first(Number(year) + 1) ? millis : Number.NaN
}

/** Time of a day, minus the offset of its zone; NaN if no clock shows it. */
const timeOf = ({ fraction = "", hours = "00", minutes = "00", seconds = "00", zone = "Z" }: Parts): number => {
  const isEnd = hours === "24" && /^0*$/.test(minutes + seconds + fraction)
  if (!isEnd && (hours > "23" || minutes > "59" || seconds > "59")) return Number.NaN
  const [, sign, hour = 0, minute = 0] = /([+-])(\d\d):?(\d\d)?/.exec(zone) ?? []
  const offset = (sign === "-" ? -1 : 1) * (Number(hour) * 60 + Number(minute))
  const clock = (Number(hours) * 60 + Number(minutes) - offset) * 60_000 + Number(seconds) * 1_000
  return clock + Number(fraction.slice(0, 3).padEnd(3, "0"))
}

/** A date that begins with its year, with slashes or without zeros. */
const yearFirst = /^(\d{4})([/-])(\d{1,2})\2(\d{1,2})(?=$| )/

/** Instants in digits: seconds or milliseconds since 1970. */
const digits = /^(?:\d{10}|\d{13})$/
const named = /^(?=.*[a-z]{3})(?=.*\b\d{4}\b)[\w ,:.+-]+$/i
const zone = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i

/** Instant of a date in milliseconds since 1970, in UTC unless it states a zone; NaN if it is invalid. */
const parse = (given: string): number => {
  // In a query, the plus sign of a zone becomes a space.
  const text = given
    .trim()
    .replace(/(T\d{2,6}|:\d{2}(?:[.,]\d+)?) ([01]\d(?::?\d{2})?)$/, "$1+$2")
    .replace(yearFirst, (_, year: string, _separator, month: string, day: string) =>
      [year, month.padStart(2, "0"), day.padStart(2, "0")].join("-"),
    )
  if (digits.test(text)) return Number(text) * (text.length === 10 ? 1_000 : 1)
  const parts = iso.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (parts !== undefined) return dayOf(parts) + timeOf(parts)
  if (!named.test(text)) return Number.NaN
  return Date.parse(zone.test(text) ? text : `${text} UTC`)
}

/** Reads a date as milliseconds since 1970; undefined if there is no text. */
export const read = (path: string, text: string | undefined): Result.Result<number | undefined, Issue.Issue> => {
  const date = text === undefined ? undefined : parse(text)
  return Number.isNaN(date)
    ? Result.fail({ path, expected, received: Issue.describe(text?.trim()) })
    : Result.succeed(date)
}
