/**
 * Dates written by operators, in the configuration and on the command line: ISO 8601, in UTC unless they include a zone. Pure.
 */

const form = /^(?<day>\d{4}-\d\d-\d\d)(?<time>T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/

/** Milliseconds since 1970; for a date without a time, its first instant; `undefined` if the text is not a date or the day does not exist. */
export const parse = (text: string): number | undefined => {
  const { day = "", time, zone } = form.exec(text)?.groups ?? {}
  // The JavaScript engine reads a time without a zone in the machine's time zone, and rolls over nonexistent days to the next month.
  const millis = Date.parse(time === undefined || zone !== undefined ? text : `${text}Z`)
  if (day === "" || Number.isNaN(millis)) return undefined
  return new Date(day).toISOString().startsWith(day) ? millis : undefined
}
