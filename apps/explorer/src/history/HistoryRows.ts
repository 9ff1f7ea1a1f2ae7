/**
 * The rows of a wallet on screen: pages of the past, newest first, and above them the followed rows of blocks that are not final. Rows of
 * blocks that a reorg replaced are marked and stay until a replacement with the same key arrives. Pure.
 */

/** A row on screen. */
export interface Entry<Row> {
  readonly row: Row
  readonly isReverted: boolean
}

/** The key and the block of a row. */
export interface Reading<Row> {
  readonly keyOf: (row: Row) => string
  readonly blockOf: (row: Row) => bigint
}

/** Maximum number of reverted rows kept. */
const maxReverted = 200

/** The rows. Arrays are appended to in place, so that 100,000 rows are never copied. */
export interface HistoryRows<Row> {
  /** Rows of the past, newest first. */
  readonly past: Array<Row>
  /** Rows of blocks that are not final, oldest first. */
  live: Array<Entry<Row>>
}

export const empty = <Row>(): HistoryRows<Row> => ({ past: [], live: [] })

export const count = <Row>({ live, past }: HistoryRows<Row>): number => live.length + past.length

/** The row at an index from the top. */
export const at = <Row>({ live, past }: HistoryRows<Row>, index: number): Entry<Row> | undefined => {
  if (index < live.length) return live[live.length - 1 - index]
  const row = past[index - live.length]
  return row === undefined ? undefined : { row, isReverted: false }
}

/** Adds a new row on top; a reverted row with its key is dropped. */
export const addLive = <Row>(rows: HistoryRows<Row>, row: Row, { keyOf }: Reading<Row>): void => {
  if (rows.live.some(({ isReverted }) => isReverted)) {
    const key = keyOf(row)
    rows.live = rows.live.filter((entry) => !entry.isReverted || keyOf(entry.row) !== key)
  }
  rows.live.push({ row, isReverted: false })
}

/** Marks rows from a block on as reverted. Returns whether rows of the past are among them, which must be read again. */
export const revert = <Row>(rows: HistoryRows<Row>, fromBlock: bigint, { blockOf }: Reading<Row>): boolean => {
  let left = maxReverted
  rows.live = rows.live
    .toReversed()
    .flatMap((entry) => {
      const isReverted = entry.isReverted || blockOf(entry.row) >= fromBlock
      if (!isReverted) return [entry]
      return left-- > 0 ? [{ row: entry.row, isReverted }] : []
    })
    .toReversed()
  const [newest] = rows.past
  return newest !== undefined && blockOf(newest) >= fromBlock
}
