/**
 * Sums of the movements of a wallet by asset, id and kind, which grow place by place. Pure but for `add`.
 *
 * Source: decision 0049.
 */
import type { LedgerRow } from "./WalletRows.ts"
import * as Movement from "./Movement.ts"
import * as Role from "./Role.ts"

/** What a wallet can hold of one asset. */
export interface AssetRef extends Pick<Movement.Movement, "asset" | "tokenId"> {}

/** Sum of the movements of one kind of an asset. */
export interface Sum extends AssetRef, Pick<Movement.Movement, "kind"> {
  readonly count: number
  readonly in: bigint
  /** Negative or 0. */
  readonly out: bigint
}

/** Sums up to a place. */
export interface Totals {
  readonly sums: Map<string, Sum>
  /** Places where movements may be missing. */
  incomplete: number
  /** Blocks of the first of them. */
  readonly incompleteBlocks: Array<number>
}

/** What a wallet holds of one asset. */
export interface Balance extends AssetRef {
  readonly amount: bigint
}

/** Blocks with incomplete places that are remembered. */
const maxIncompleteBlocks = 1_000

/** No movement yet. */
export const make = (): Totals => ({ sums: new Map(), incomplete: 0, incompleteBlocks: [] })

/** Totals that can grow apart from these. */
export const copy = ({ incomplete, incompleteBlocks, sums }: Totals): Totals => ({
  sums: new Map(sums),
  incomplete,
  incompleteBlocks: [...incompleteBlocks],
})

const keyOf = ({ asset, kind, tokenId }: Pick<Sum, "asset" | "kind" | "tokenId">): string =>
  `${asset} ${tokenId ?? ""} ${kind}`

/** Adds the movements of a place, of some assets alone where they are given. */
export const add = (
  totals: Totals,
  block: number,
  { movements, roles }: Pick<LedgerRow, "movements" | "roles">,
  assets: ReadonlySet<string> | undefined,
): void => {
  if (Role.isIncomplete(roles)) {
    totals.incomplete++
    if (totals.incompleteBlocks.length < maxIncompleteBlocks) totals.incompleteBlocks.push(block)
  }
  for (const { amount, asset, kind, tokenId } of movements) {
    if (assets !== undefined && !assets.has(asset)) continue
    const key = keyOf({ asset, kind, tokenId })
    const before = totals.sums.get(key) ?? { asset, tokenId, kind, count: 0, in: 0n, out: 0n }
    totals.sums.set(key, {
      ...before,
      count: before.count + 1,
      in: amount > 0n ? before.in + amount : before.in,
      out: amount < 0n ? before.out + amount : before.out,
    })
  }
}

const text = (value: string | null): string => value ?? ""

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** `native` first, then by address and by the number of the id. */
const compare = (one: AssetRef, other: AssetRef): number => {
  if (one.asset !== other.asset) {
    if (one.asset === "native" || other.asset === "native") return one.asset === "native" ? -1 : 1
    return compareText(one.asset, other.asset)
  }
  const [first, second] = [text(one.tokenId), text(other.tokenId)]
  return first.length - second.length || compareText(first, second)
}

/** What the sums make up: each asset of which something is left. */
export const balances = ({ sums }: Totals): ReadonlyArray<Balance> => {
  const found = new Map<string, Balance>()
  for (const { asset, in: received, out, tokenId } of sums.values()) {
    const key = `${asset} ${text(tokenId)}`
    found.set(key, { asset, tokenId, amount: (found.get(key)?.amount ?? 0n) + received + out })
  }
  return [...found.values()].filter(({ amount }) => amount !== 0n).toSorted(compare)
}

/** Addresses of the tokens among assets, each once. */
export const tokensOf = (assets: Iterable<Pick<AssetRef, "asset">>): ReadonlySet<string> => {
  const tokens = new Set(Array.from(assets, ({ asset }) => asset))
  tokens.delete(Movement.native)
  return tokens
}

/** The sums of the movements between two places: the later totals contain the earlier ones. */
export const between = (earlier: Totals, later: Totals): ReadonlyArray<Sum> =>
  [...later.sums]
    .map(([key, sum]) => {
      const before = earlier.sums.get(key)
      if (before === undefined) return sum
      return { ...sum, count: sum.count - before.count, in: sum.in - before.in, out: sum.out - before.out }
    })
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => compare(one, other) || compareText(one.kind, other.kind))
