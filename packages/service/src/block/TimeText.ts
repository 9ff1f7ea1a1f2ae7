/**
 * Text of a block's time. The standard function takes longer than anything else in the text of a movement. Pure.
 */

const daySeconds = 86_400

const twoDigits = Array.from({ length: 60 }, (_, number) => number.toString().padStart(2, "0"))

/** The last day and its text, up to the `T`: the blocks of a page are often of one day. */
let lastDay = Number.NaN
let lastText = ""

/** Seconds since 1970 as ISO 8601 in UTC, as `Date` writes them. Throws a `RangeError` beyond the years of `Date`. */
export const fromSeconds = (seconds: number): string => {
  const day = Math.floor(seconds / daySeconds)
  if (day !== lastDay) {
    const text = new Date(day * daySeconds * 1000).toISOString()
    lastText = text.slice(0, text.indexOf("T") + 1)
    lastDay = day
  }
  const rest = seconds - day * daySeconds
  const [hours, minutes] = [Math.floor(rest / 3600), Math.floor((rest % 3600) / 60)]
  return `${lastText}${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[rest % 60]}.000Z`
}
