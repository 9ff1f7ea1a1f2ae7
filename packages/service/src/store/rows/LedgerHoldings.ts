/**
 * Holdings in the rows of ledgers, for readers that examine the blocks of an index in sequence. Pure.
 *
 * Source: decisions 0050 and 0054.
 */
import * as LedgerCodec from "../../ledger/LedgerCodec.ts"
import * as Holding from "../../ledger/Holding.ts"
import type { UnreadOpenings } from "../Proofs.ts"
import { toHex } from "./Bytes.ts"

/** Rows after which no further block is examined. */
export const maxRows = 1_000

/** What a row moves, and the native currency; nothing of a damaged row. */
export const holdingsOf = (wallet: string, body: Uint8Array): ReadonlyArray<Holding.Holding> => {
  try {
    return [Holding.native, ...LedgerCodec.decodeBody(wallet, body).movements.map(Holding.fromMovement)]
  } catch {
    return []
  }
}

/** A row of a ledger, as far as it is examined. */
type Row = readonly [wallet: Uint8Array, id: unknown, body: Uint8Array, ...Array<unknown>]

/** The holdings that rows move and that are not known yet, which they are from then on; of some wallets, or of all. */
export const unknownOf = (
  rows: ReadonlyArray<Row>,
  wallets: ReadonlySet<string> | null | undefined,
  known: Set<string>,
): UnreadOpenings["holdings"] =>
  rows.flatMap(([key, , body]) => {
    const wallet = toHex(key)
    if (wallets?.has(wallet) === false) return []
    return holdingsOf(wallet, body).flatMap((holding) => {
      const name = `${wallet} ${Holding.keyOf(holding)}`
      if (known.has(name)) return []
      known.add(name)
      return [{ wallet, holding }]
    })
  })

/** The tokens that a row moves. */
export const tokensOf = (wallet: string, body: Uint8Array): ReadonlyArray<string> =>
  holdingsOf(wallet, body).flatMap(({ asset, standard }) => (standard === "native" ? [] : [asset]))
