/**
 * Dates that an operator writes, in the configuration and on the command line: ISO 8601, in UTC unless they name a zone. Pure.
 */

const form = /^(?<day>\d{4}-\d\d-\d\d)(?<time>T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/

/** Milliseconds since 1970, of a date without a time its first instant; `undefined` for another text, or a day that no calendar has. */
export const parse = (text: string): number | undefined => {
  const { day = "", time, zone } = form.exec(text)?.groups ?? {}
  // The engine takes a time without a zone for that of the machine, and the last days of a short month for the first of the next one.
  const millis = Date.parse(time === undefined || zone !== undefined ? text : `${text}Z`)
  if (day === "" || Number.isNaN(millis)) return undefined
  return new Date(day).toISOString().startsWith(day) ? millis : undefined
}
