/**
 * How fast blocks are stored, over the last half minute: the average since the start tells little of a chain whose blocks grow.
 */

/**
 * A window over the last blocks.
 */
export interface Throughput {
  /** Takes blocks that were stored at an instant in milliseconds. */
  readonly add: (millis: number, blocks: number) => void
  /** Blocks per second up to an instant; 0 while nothing was stored in the window. */
  readonly perSecond: (millis: number) => number
}

const windowMillis = 30_000
/** Below this the quotient says nothing. */
const shortestMillis = 50

/**
 * Makes an empty window that begins at an instant in milliseconds.
 */
export const make = (startMillis: number): Throughput => {
  const samples: Array<{ readonly millis: number; readonly blocks: number }> = []
  let from = startMillis
  let sum = 0
  const drop = (now: number) => {
    while (samples.length > 0 && samples[0]!.millis < now - windowMillis) {
      const { blocks, millis } = samples.shift()!
      sum -= blocks
      from = millis
    }
  }
  return {
    add: (millis, blocks) => {
      samples.push({ millis, blocks })
      sum += blocks
    },
    perSecond: (millis) => {
      drop(millis)
      return sum === 0 ? 0 : (sum * 1000) / Math.max(millis - from, shortestMillis)
    },
  }
}

/**
 * Milliseconds until so many blocks are stored; `null` while nothing is.
 */
export const etaMillis = (perSecond: number, blocksLeft: number): number | null =>
  blocksLeft <= 0 ? 0 : perSecond > 0 ? Math.round((blocksLeft / perSecond) * 1000) : null

/**
 * A span of time as a person reads it: `3 s`, `12 min`, `5 h 20 min`, `2 d 4 h`.
 */
export const sayMillis = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
