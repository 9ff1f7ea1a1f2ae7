/**
 * Output of `daybook backup` and `daybook restore`: the progress of a copy, and its contents.
 */
import * as Effect from "effect/Effect"
import * as Throughput from "../indexer/Throughput.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import type { Copy, CopyOptions, CopyProgress } from "../store/Database.ts"
import * as Terminal from "./Terminal.ts"

/** Interval between two progress lines. */
const intervalMillis = 5_000

const units = ["B", "KiB", "MiB", "GiB", "TiB"]

/** Formats a size for display: `512 B`, `1.5 MiB`. */
export const formatBytes = (bytes: number): string => {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** Formats the progress line of a copy, given its size at the start and the elapsed time. */
export const formatProgress = (
  { block, bytes, goal, totalBytes }: CopyProgress,
  begun: { readonly bytes: number; readonly millis: number },
): string => {
  const perSecond = (1000 * Math.max(0, bytes - begun.bytes)) / Math.max(1, begun.millis)
  const left = Math.max(0, totalBytes - bytes)
  const share = totalBytes === 0 ? 0 : Math.min(99, Math.floor((100 * bytes) / totalBytes))
  const eta = perSecond > 0 ? `, ${Throughput.formatMillis((1000 * left) / perSecond)} left` : ""
  const at = `block ${block ?? "none"} of ${goal}`
  return `${share} %, ${formatBytes(bytes)} of ${formatBytes(totalBytes)}, ${at}, ${formatBytes(perSecond)}/s${eta}`
}

/** Logs the progress of each chain's copy every few seconds. */
export const logProgress = (): NonNullable<CopyOptions["onProgress"]> => {
  const begun = new Map<string, { readonly bytes: number; readonly millis: number; loggedAt: number }>()
  return Effect.fnUntraced(function* (progress) {
    const { bytes, chain } = progress
    const now = yield* MonotonicClock.millis
    const since = begun.get(chain)
    if (since === undefined) {
      begun.set(chain, { bytes, millis: now, loggedAt: now })
      return
    }
    if (now - since.loggedAt < intervalMillis) return
    since.loggedAt = now
    const line = formatProgress(progress, { bytes: since.bytes, millis: now - since.millis })
    yield* Effect.annotateLogs(Effect.logInfo(line), { chain })
  })
}

/** Formats the line of a finished copy. */
export const formatCopy = ({ blocks, bytes, copiedBytes, file, head }: Copy): string => {
  if (head === null) return `${file}: ${formatBytes(bytes)}`
  const copied = `${Terminal.count(blocks, "block")} copied (${formatBytes(copiedBytes)})`
  return `${file}: ${copied}, up to block ${head}; ${formatBytes(bytes)}`
}
