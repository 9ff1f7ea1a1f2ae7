/**
 * Formats movements, balances and statements with the interface's names. The rows of balances and statements, of which there may be
 * thousands, are computed as they are read. Pure.
 *
 * Source: decision 0049.
 */
import type * as Balance from "@daybook/schema/Balance"
import type * as Movement from "@daybook/schema/Movement"
import type * as Statement from "@daybook/schema/Statement"
import type * as Token from "@daybook/schema/Token"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import type { Label } from "../../label/Label.ts"
import * as Role from "../../ledger/Role.ts"
import * as Totals from "../../ledger/Totals.ts"
import * as Holding from "../../ledger/Holding.ts"
import * as Proof from "../../proof/Proof.ts"
import * as TimeText from "../../block/TimeText.ts"
import type { LinkedBlock } from "../../block/BlockRows.ts"
import { type ComparedHolding, isProved, type WalletProof } from "../../store/Proofs.ts"
import type { TokenMetadata } from "../../ledger/TokenMetadata.ts"
import * as MovementFlags from "../../query/MovementFlags.ts"
import type { MovementRow } from "../../query/WalletMovements.ts"
import * as WalletSums from "../../query/WalletSums.ts"
import type { Lazy } from "./JsonText.ts"

type Wire<S extends { readonly Encoded: unknown }> = S["Encoded"]

const textOf = (value: number | null): string | null => (value === null ? null : value.toString())

/** A token in the form of a row. */
const tokenOf = (asset: string, found: TokenMetadata | undefined): Wire<typeof Token.Token> | null =>
  found === undefined
    ? null
    : {
        address: asset,
        name: found.name,
        symbol: found.symbol,
        decimals: textOf(found.decimals),
        block_number: found.block.toString(),
      }

/** A movement in the form of a page. */
export const movement = (row: MovementRow, label: Label, chainId: number): Wire<typeof Movement.Movement> => {
  const { block, entry, index, isLookalike, movement: found, token, transactionHash } = row
  const isOpening = found.kind === "genesis"
  const flags = MovementFlags.of({
    chainId,
    token: token && { ...token, address: found.asset },
    roles: entry.roles,
    isIncoming: found.amount > 0n,
    isZero: false,
    isLookalike,
  })
  const written = {
    kind: found.kind,
    asset: found.asset,
    token_id: found.tokenId,
    token: tokenOf(found.asset, token),
    amount: found.amount.toString(),
    counterparty: found.counterparty,
    counterparty_label: found.counterparty === null ? null : label(found.counterparty),
    transaction_hash: transactionHash,
    transaction_index: transactionHash === null ? null : entry.index.toString(),
    log_index: textOf(found.logIndex),
    movement_index: index.toString(),
    block_number: block.number.toString(),
    block_hash: block.hash,
    block_timestamp: TimeText.fromSeconds(block.timestamp),
    failed: found.isFailed,
    incomplete: !isOpening && Role.isIncomplete(entry.roles),
    roles: isOpening ? [] : Role.fromBits(entry.roles),
  }
  return flags.length === 0 ? written : { ...written, flags }
}

/** The body of a page of movements. */
export const page = (
  rows: ReadonlyArray<MovementRow>,
  {
    cursor,
    page: number,
    pageSize,
  }: { readonly cursor: string | null; readonly page: number; readonly pageSize: number },
  label: Label,
  chainId: number,
): Wire<typeof Movement.MovementPage> => ({
  cursor,
  page: number.toString(),
  page_size: pageSize.toString(),
  result: rows.map((row) => movement(row, label, chainId)),
})

const isEqual = ({ expected, found }: ComparedHolding): boolean => Proof.isEqual(expected, found)

/** Block at which a balance, or the owner of an id, was last compared and equal. */
const provedAt = (proof: WalletProof | null) => {
  const blocks = new Map(
    (proof?.holdings ?? []).filter(isEqual).map(({ block, holding }) => [Holding.keyOf(holding), block]),
  )
  // A wallet may hold thousands of assets.
  if (blocks.size === 0) return () => null
  return ({ asset, tokenId }: Totals.AssetRef): number | null => {
    const block = (standard: Holding.Standard) => blocks.get(Holding.keyOf({ standard, asset, tokenId })) ?? null
    if (tokenId === null) return block(asset === "native" ? "native" : "erc20")
    return block("erc1155") ?? block("erc721")
  }
}

type NegativeReason = NonNullable<Wire<typeof Balance.Balance>["negative_reason"]>

/** Why balances are negative. A wallet may have thousands of negative balances. */
const negativeReasons = ({ incomplete }: Totals.Totals, { openings }: WalletSums.Known) => {
  const refOf = ({ asset, tokenId }: Totals.AssetRef): string => `${asset} ${tokenId ?? ""}`
  const known = new Set(openings.map(({ holding }) => refOf(holding)))
  return (balance: Totals.AssetRef): NegativeReason => {
    if (!known.has(refOf(balance))) return "opening_unknown"
    return incomplete > 0 ? "movements_missing" : "unexplained"
  }
}

const balancesOf = function* (totals: Totals.Totals, known: WalletSums.Known): Generator<Wire<typeof Balance.Balance>> {
  const blockOf = provedAt(known.proof)
  const reasonOf = negativeReasons(totals, known)
  for (const balance of Totals.balances(totals)) {
    const row = {
      asset: balance.asset,
      token_id: balance.tokenId,
      token: tokenOf(balance.asset, known.tokens.get(balance.asset)),
      balance: balance.amount.toString(),
      proved_at_block: textOf(blockOf(balance)),
    }
    yield balance.amount < 0n ? { ...row, negative_reason: reasonOf(balance) } : row
  }
}

const incompleteOf = (
  totals: Totals.Totals,
  known: WalletSums.Known,
  from = 0,
  before = 0,
): Wire<typeof Balance.Incomplete> => {
  const places = totals.incomplete - before
  const first = places === 0 ? undefined : totals.incompleteBlocks.find((block) => block >= from)
  const { merged, omitted } = totals
  const further = {
    merged: merged.size === 0 ? undefined : [...merged].toSorted(),
    omitted: omitted === 0 ? undefined : omitted.toString(),
    direct_only_to: known.directOnlyTo?.toString(),
    untraced_to: known.untracedTo?.toString(),
    unstated_to: known.unstatedTo?.toString(),
  }
  return {
    opening: WalletSums.lacksOpening(totals, known),
    places: places.toString(),
    first_block: textOf(first ?? null),
    ...Record.filter(further, Predicate.isNotUndefined),
  }
}

/** Approximate number of bytes of a row. */
const rowBytes = 320

/** Approximate number of bytes of the balances after a block. */
export const sizeOf = ({ sums }: Totals.Totals): number => sums.size * rowBytes

/** The body of the balances of a wallet after a block. */
export const balances = (
  block: LinkedBlock,
  totals: Totals.Totals,
  known: WalletSums.Known,
): Lazy<Wire<typeof Balance.Balances>> => ({
  block_number: block.number.toString(),
  block_hash: block.hash,
  incomplete: () => incompleteOf(totals, known),
  result: balancesOf(totals, known),
})

const byStateRootOf = ({ holdings }: WalletProof): ReadonlyArray<"native" | "nonce"> =>
  (["native", "nonce"] as const).filter((standard) =>
    holdings.some(({ holding, isByStateRoot }) => isByStateRoot === true && holding.standard === standard),
  )

const partsOf = (proof: WalletProof): Wire<typeof Statement.Proof> => ({
  block_number: proof.block.number.toString(),
  proved: isProved(proof),
  proved_at_block: textOf(proof.provedBlock),
  differences: proof.holdings
    .filter((compared) => !isEqual(compared))
    .map(({ expected, firstBlock, found, holding }) => ({
      asset: holding.asset,
      token_id: holding.tokenId,
      expected: expected.toString(),
      found: found?.toString() ?? null,
      first_block: textOf(firstBlock),
    })),
  not_compared: proof.unchecked,
})

/** The last comparison of a wallet. */
export const proof = (proof: WalletProof): Wire<typeof Statement.Proof> => {
  const byStateRoot = byStateRootOf(proof)
  return byStateRoot.length === 0 ? partsOf(proof) : { ...partsOf(proof), by_state_root: byStateRoot }
}

/** Input of a statement. */
export interface StatementParts {
  readonly address: string
  /** First block of the range. */
  readonly from: number
  /** Last block of the range. */
  readonly block: LinkedBlock
  readonly opening: Totals.Totals
  readonly closing: Totals.Totals
  readonly known: WalletSums.Known
}

const sumsOf = function* (
  { closing, opening }: StatementParts,
  { tokens }: WalletSums.Known,
): Generator<Wire<typeof Statement.Statement>["sums"][number]> {
  for (const { asset, count, in: received, kind, out, tokenId } of Totals.between(opening, closing)) {
    yield {
      asset,
      token_id: tokenId,
      token: tokenOf(asset, tokens.get(asset)),
      kind,
      count: count.toString(),
      in: received.toString(),
      out: out.toString(),
      amount: (received + out).toString(),
    }
  }
}

/** The body of a statement. */
export const statement = (parts: StatementParts): Lazy<Wire<typeof Statement.Statement>> => {
  const { address, block, closing, from, known, opening } = parts
  return {
    address,
    from_block: from.toString(),
    block_number: block.number.toString(),
    block_hash: block.hash,
    block_timestamp: TimeText.fromSeconds(block.timestamp),
    opening: { block_number: from === 0 ? null : (from - 1).toString(), result: balancesOf(opening, known) },
    sums: sumsOf(parts, known),
    closing: balances(block, closing, known),
    proof: known.proof === null ? null : proof(known.proof),
    incomplete: () => incompleteOf(closing, known, from, opening.incomplete),
  }
}
