/**
 * Flags of the transfers of tokens of a wallet, which are those of its movements. A transfer of nothing, which is no movement, has them too.
 *
 * Source: decisions 0049 and 0070.
 */
import type { Flag } from "@daybook/schema/Movement"
import * as Effect from "effect/Effect"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import type { Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as Lookalikes from "./Lookalikes.ts"
import * as MovementFlags from "./MovementFlags.ts"
import type { PartRow } from "./TransactionParts.ts"
import type { Transfer } from "./WalletTransfers.ts"

type Row = PartRow<Transfer>

const rolesOf = ({ document }: Row): number => document.row.roles ?? 0

/** The other side of a transfer that another account made; undefined where the wallet made it. */
const strangerOf = (row: Row, wallet: string): Lookalikes.Candidate | undefined => {
  if (MovementFlags.isOwn(rolesOf(row))) return undefined
  const { document, part } = row
  const { block, index } = document.row
  return { block, index, counterparty: part.from === wallet ? part.to : part.from }
}

/** Gives the flags of each transfer of a list. */
export const make = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  chainId: number,
  wallet: string,
  rows: ReadonlyArray<Row>,
  tokens: ReadonlyMap<string, TokenMetadata>,
): Effect.fn.Return<(row: Row) => ReadonlyArray<Flag>, StoreError> {
  const isLookalike = yield* Lookalikes.find(
    snapshot,
    wallet,
    rows.flatMap((row) => strangerOf(row, wallet) ?? []),
  )
  return (row) => {
    const { amount, to, token: address } = row.part
    const [token, stranger] = [tokens.get(address), strangerOf(row, wallet)]
    return MovementFlags.of({
      chainId,
      token: token && { ...token, address },
      roles: rolesOf(row),
      isIncoming: to === wallet,
      isZero: amount === 0n,
      isLookalike: stranger !== undefined && isLookalike(stranger),
    })
  }
})
