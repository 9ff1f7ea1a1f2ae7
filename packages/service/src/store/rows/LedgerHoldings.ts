/**
 * Holdings in the rows of ledgers, for readers that examine the blocks of an index in sequence. Pure.
 *
 * Source: decisions 0050 and 0054.
 */
import * as LedgerCodec from "../../ledger/LedgerCodec.ts"
import * as Holding from "../../ledger/Holding.ts"
import type { UnreadOpenings } from "../Proofs.ts"
import { toHex } from "./Bytes.ts"

/** Number of rows after which no further block is examined. */
export const maxRows = 1_000

/** Holdings that a row moves, and the native currency; empty for a damaged row. */
const holdingsOf = (wallet: string, body: Uint8Array): ReadonlyArray<Holding.Holding> => {
  try {
    return [Holding.native, ...LedgerCodec.decodeBody(wallet, body).movements.map(Holding.fromMovement)]
  } catch {
    return []
  }
}

/** The examined columns of a ledger row. */
type Row = readonly [wallet: Uint8Array, id: unknown, body: Uint8Array, ...Array<unknown>]

/** Holdings that rows move and that are not known yet, for some wallets or for all; adds them to the known ones. */
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

/** Tokens that a row moves. */
export const tokensOf = (wallet: string, body: Uint8Array): ReadonlyArray<string> =>
  holdingsOf(wallet, body).flatMap(({ asset, standard }) => (standard === "native" ? [] : [asset]))
