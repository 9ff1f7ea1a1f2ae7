/**
 * Flags of a wallet's token transfers, which are those of its movements. Transfers of nothing, which are not movements, have flags too.
 *
 * Source: decisions 0049 and 0070.
 */
import type { Flag } from "@daybook/schema/Movement"
import * as Effect from "effect/Effect"
import * as Role from "../ledger/Role.ts"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import type { Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Lookalikes from "./Lookalikes.ts"
import * as MovementFlags from "./MovementFlags.ts"
import type { PartRow } from "./TransactionParts.ts"
import type { Transfer } from "./WalletTransfers.ts"

type Row = PartRow<Transfer>

/** Whose transfers are listed: a wallet's, or undefined for a contract's. */
type Holder = string | undefined

/** Roles of the wallet in the transaction, or of the sending account for a contract's list. */
const rolesOf = ({ document, part }: Row, wallet: Holder): number => {
  if (wallet !== undefined) return document.row.roles ?? 0
  return document.transaction.from_address === part.from ? Role.bits.sender : 0
}

/** Counterparty of a transfer made by another account; undefined if the wallet made it. */
const strangerOf = (row: Row, wallet: string): Lookalikes.Candidate | undefined => {
  if (MovementFlags.isOwn(rolesOf(row, wallet))) return undefined
  const { document, part } = row
  const { block, index } = document.row
  return { block, index, counterparty: part.from === wallet ? part.to : part.from }
}

/** Finds lookalikes of addresses that a wallet paid; none in a contract's list, because they target a wallet. */
const lookalikesIn = (
  snapshot: Snapshot,
  wallet: Holder,
  rows: ReadonlyArray<Row>,
): Effect.Effect<(row: Row) => boolean, StoreError> => {
  if (wallet === undefined) return Effect.succeed(() => false)
  const strangers = rows.flatMap((row) => strangerOf(row, wallet) ?? [])
  return Effect.map(Lookalikes.find(snapshot, wallet, strangers), (isLookalike) => (row) => {
    const stranger = strangerOf(row, wallet)
    return stranger !== undefined && isLookalike(stranger)
  })
}

/** Returns the flags of each transfer in a list: a wallet's or, if `wallet` is undefined, a contract's. */
export const make = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  chainId: number,
  wallet: Holder,
  rows: ReadonlyArray<Row>,
  tokens: ReadonlyMap<string, TokenMetadata>,
): Effect.fn.Return<(row: Row) => ReadonlyArray<Flag>, StoreError> {
  const isLookalike = yield* lookalikesIn(snapshot, wallet, rows)
  return (row) => {
    const { amount, to, token: address } = row.part
    const token = tokens.get(address)
    return MovementFlags.of({
      chainId,
      token: token && { ...token, address },
      roles: rolesOf(row, wallet),
      isIncoming: to === wallet,
      isZero: amount === 0n,
      isLookalike: isLookalike(row),
    })
  }
})
