/**
 * The transactions of each wallet: one appearance for each wallet of a transaction.
 *
 * Source: decision 0009.
 */
import type { RowProjection } from "../block/Projection.ts"

/** Appearances of wallets in transactions. */
export const projection: RowProjection = {
  id: "wallet_transactions",
  kind: "appearances",
  revision: 1,
  rows: ({ transactions }) => transactions.map(({ addresses, index }) => ({ index, body: null, keys: addresses })),
}
