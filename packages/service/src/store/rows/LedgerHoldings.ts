/**
 * The holdings in rows of ledgers, for readers that examine the blocks of an index one after another. Pure.
 *
 * Source: decisions 0050 and 0054.
 */
import * as LedgerCodec from "../../ledger/LedgerCodec.ts"
import * as Holding from "../../proof/Holding.ts"

/** Rows after which no further block is examined. */
export const maxRows = 1_000

/** What a row moves, and the native currency; nothing of a damaged row. */
export const of = (wallet: string, body: Uint8Array): ReadonlyArray<Holding.Holding> => {
  try {
    return [Holding.native, ...LedgerCodec.decodeBody(wallet, body).movements.map(Holding.fromMovement)]
  } catch {
    return []
  }
}

/** The tokens that a row moves. */
export const tokensOf = (wallet: string, body: Uint8Array): ReadonlyArray<string> =>
  of(wallet, body).flatMap(({ asset, standard }) => (standard === "native" ? [] : [asset]))
