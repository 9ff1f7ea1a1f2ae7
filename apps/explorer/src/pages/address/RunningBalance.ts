/** What a wallet held of each asset after each of its movements, from what it holds at a block. Pure. */
import type { Balance, Movement } from "@daybook/rest/promise"
import type { HistoryRows } from "../../history/HistoryRows.ts"

/** An asset, and the id of its token. */
export const assetOf = ({ asset, token_id }: Pick<Movement, "asset" | "token_id">): string =>
  `${asset} ${token_id ?? ""}`

type Held = Pick<Balance, "asset" | "token_id" | "balance">

/** What was held before the first indexed block, added to sums of movements alone. */
export const withOpenings = (held: ReadonlyArray<Held>, openings: ReadonlyArray<Held>): ReadonlyArray<Held> => {
  const all = new Map(held.map((row) => [assetOf(row), row]))
  for (const opening of openings) {
    const before = all.get(assetOf(opening))
    all.set(assetOf(opening), { ...opening, balance: opening.balance + (before?.balance ?? 0n) })
  }
  return [...all.values()]
}

/** Identifies a movement of a wallet. */
export const keyOf = (row: Movement): string =>
  [row.block_hash, row.transaction_hash ?? row.kind, row.movement_index].join(" ")

/** Balances after movements, computed once for each row. */
export interface RunningBalances {
  /** The balance after a movement; undefined for one that is not part of the chain. */
  readonly after: (row: Movement) => bigint | undefined
  /** Takes rows that are new. */
  readonly update: (rows: HistoryRows<Movement>) => void
}

/** Starts with what is held at the boundary between the past and the rows that are followed. */
export const make = (held: ReadonlyArray<Held>): RunningBalances => {
  const start = new Map(held.map((balance) => [assetOf(balance), balance.balance]))
  let below = new Map(start)
  let past = new Map<Movement, bigint>()
  let live = new Map<Movement, bigint>()
  let taken = 0

  const takePast = (rows: ReadonlyArray<Movement>) => {
    // Rows that are read again, after a reorg, begin anew.
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
