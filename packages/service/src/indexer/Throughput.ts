/**
 * Blocks stored per second over the last half minute. An average since the start would mislead on a chain whose blocks grow. Immutable.
 */

interface Sample {
  readonly millis: number
  readonly blocks: number
}

/**
 * Recently stored blocks. Instants are in milliseconds.
 */
export interface Throughput {
  /** Start of the window: the first instant, or the last sample that left the window. */
  readonly fromMillis: number
  /** Oldest first. */
  readonly samples: ReadonlyArray<Sample>
}

const windowMillis = 30_000
/** Shortest interval over which a rate is computed. */
const minMillis = 50

/**
 * Makes an empty window.
 */
export const make = (startMillis: number): Throughput => ({ fromMillis: startMillis, samples: [] })

const slide = ({ fromMillis, samples }: Throughput, millis: number): Throughput => {
  const kept = samples.findIndex((sample) => sample.millis >= millis - windowMillis)
  const count = kept === -1 ? samples.length : kept
  return { fromMillis: samples[count - 1]?.millis ?? fromMillis, samples: samples.slice(count) }
}

/**
 * Adds blocks stored at an instant.
 */
export const add = (throughput: Throughput, millis: number, blocks: number): Throughput => {
  const { fromMillis, samples } = slide(throughput, millis)
  return { fromMillis, samples: [...samples, { millis, blocks }] }
}

/**
 * Blocks per second up to an instant; 0 when the window is empty.
 */
export const perSecond = (throughput: Throughput, millis: number): number => {
  const { fromMillis, samples } = slide(throughput, millis)
  const blocks = samples.reduce((sum, sample) => sum + sample.blocks, 0)
  return blocks === 0 ? 0 : (blocks * 1000) / Math.max(millis - fromMillis, minMillis)
}

/**
 * Milliseconds until the remaining blocks are stored at this rate; `null` at rate 0.
 */
export const etaMillis = (blocksPerSecond: number, blocksLeft: number): number | null => {
  if (blocksLeft <= 0) return 0
  return blocksPerSecond > 0 ? Math.round((blocksLeft / blocksPerSecond) * 1000) : null
}

/**
 * Formats a duration for display: `3 s`, `12 min`, `5 h 20 min`, `2 d 4 h`.
 */
export const formatMillis = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
