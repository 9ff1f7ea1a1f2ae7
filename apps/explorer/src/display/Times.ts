/** Times as text: local with time zone, in UTC, and relative to now. Pure. */

const pad = (value: number): string => String(value).padStart(2, "0")

/** `2026-01-31 13:45:07 UTC`. */
export const formatUtc = (time: Date): string =>
  Number.isNaN(time.getTime()) ? "unknown time" : `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`

/** The offset of the local time zone from UTC, as `+02:00`. */
const zoneOf = (time: Date): string => {
  const minutes = -time.getTimezoneOffset()
  const size = Math.abs(minutes)
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

/** `2026-01-31 15:45:07 +02:00`, in the time zone of the browser. */
export const formatLocal = (time: Date): string => {
  if (Number.isNaN(time.getTime())) return "unknown time"
  const day = [time.getFullYear(), pad(time.getMonth() + 1), pad(time.getDate())].join("-")
  const clock = [pad(time.getHours()), pad(time.getMinutes()), pad(time.getSeconds())].join(":")
  return `${day} ${clock} ${zoneOf(time)}`
}

const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const

/** `3 minutes ago`, or `in 3 minutes` for a chain whose clock is ahead. */
export const formatAge = (time: Date, nowMillis: number): string => {
  const seconds = Math.round((nowMillis - time.getTime()) / 1_000)
  if (Number.isNaN(seconds)) return "unknown time"
  const size = Math.abs(seconds)
  if (size < 1) return "now"
  const [name, length] = units.find((unit) => size >= unit[1]) ?? units[3]
  const count = Math.floor(size / length)
  const text = `${count} ${name}${count === 1 ? "" : "s"}`
  return seconds < 0 ? `in ${text}` : `${text} ago`
}

/** `1 min 20 s`, for durations of minutes and hours. */
export const formatDuration = (millis: number): string => {
  const seconds = Math.round(millis / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
}
