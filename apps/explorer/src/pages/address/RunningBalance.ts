/** Balance of each asset after each movement of a wallet, computed from its balances at a block. Pure. */
import type { Balance, Movement } from "@daybook/rest/promise"
import type { HistoryRows } from "../../history/HistoryRows.ts"

/** Key of an asset and token id. */
const assetOf = ({ asset, token_id }: Pick<Movement, "asset" | "token_id">): string => `${asset} ${token_id ?? ""}`

type Held = Pick<Balance, "asset" | "token_id" | "balance">

/** Adds holdings from before the first indexed block to sums of movements. */
export const withOpenings = (held: ReadonlyArray<Held>, openings: ReadonlyArray<Held>): ReadonlyArray<Held> => {
  const all = new Map(held.map((row) => [assetOf(row), row]))
  for (const opening of openings) {
    const before = all.get(assetOf(opening))
    all.set(assetOf(opening), { ...opening, balance: opening.balance + (before?.balance ?? 0n) })
  }
  return [...all.values()]
}

/** Key of a movement of a wallet. */
export const keyOf = (row: Movement): string =>
  [row.block_hash, row.transaction_hash ?? row.kind, row.movement_index].join(" ")

/** Balances after movements, computed once for each row. */
export interface RunningBalances {
  /** The balance after a movement; undefined for a reverted movement. */
  readonly after: (row: Movement) => bigint | undefined
  /** Processes new rows. */
  readonly update: (rows: HistoryRows<Movement>) => void
}

/** Starts from the balances at the boundary between the past and the followed rows. */
export const make = (held: ReadonlyArray<Held>): RunningBalances => {
  const start = new Map(held.map((balance) => [assetOf(balance), balance.balance]))
  let below = new Map(start)
  let past = new Map<Movement, bigint>()
  let live = new Map<Movement, bigint>()
  let taken = 0

  const takePast = (rows: ReadonlyArray<Movement>) => {
    // After a reorg the rows are read again, so the balances are recomputed.
    if (rows.length < taken) [below, past, taken] = [new Map(start), new Map(), 0]
    for (; taken < rows.length; taken++) {
      const row = rows[taken]!
      const asset = assetOf(row)
      const after = below.get(asset) ?? 0n
      past.set(row, after)
      below.set(asset, after - row.amount)
    }
  }

  const takeLive = (entries: HistoryRows<Movement>["live"]) => {
    const held = new Map(start)
    live = new Map()
    for (const { isReverted, row } of entries) {
      if (isReverted) continue
      const asset = assetOf(row)
      const after = (held.get(asset) ?? 0n) + row.amount
      held.set(asset, after)
      live.set(row, after)
    }
  }

  return {
    after: (row) => live.get(row) ?? past.get(row),
    update: (rows) => {
      takePast(rows.past)
      takeLive(rows.live)
    },
  }
}
