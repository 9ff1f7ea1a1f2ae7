/**
 * Sums of a wallet's movements by asset, id and kind, updated position by position. Pure except for `add`. Anyone may send a wallet any
 * number of ids and tokens: beyond a number of sums, those of a contract with many ids are merged into one per kind, and further contracts
 * are omitted. Which ones only depends on the order of positions.
 *
 * Source: decision 0049.
 */
import type { LedgerRow } from "./WalletRows.ts"
import * as Movement from "./Movement.ts"
import * as Role from "./Role.ts"

/** An asset that a wallet can hold. */
export interface AssetRef extends Pick<Movement.Movement, "asset" | "tokenId"> {}

/** Sum of the movements of one kind in one asset. */
export interface Sum extends AssetRef, Pick<Movement.Movement, "kind"> {
  readonly count: number
  readonly in: bigint
  /** Negative or 0. */
  readonly out: bigint
}

/** Sums up to a position. */
export interface Totals {
  readonly sums: Map<string, Sum>
  /** Number of positions where movements may be missing. */
  incomplete: number
  /** Blocks of the first of these positions. */
  readonly incompleteBlocks: Array<number>
  /** Number of sums per asset. */
  readonly counts: Map<string, number>
  /** Contracts whose ids are summed together. */
  readonly merged: Set<string>
  /** Number of movements of omitted contracts. */
  omitted: number
}

/** Balance of a wallet in one asset. */
export interface Balance extends AssetRef {
  readonly amount: bigint
}

/** Maximum number of blocks with incomplete positions that are kept. */
const maxIncompleteBlocks = 1_000

/** Maximum number of sums, apart from a few kinds per asset: as many as fit into a response. */
export const maxSums = 20_000

/** A contract with fewer sums is not merged, and nothing is merged if it frees fewer sums. */
const [minMerged, minFreed] = [8, 256]

/** No movement yet. */
export const make = (): Totals => ({
  sums: new Map(),
  incomplete: 0,
  incompleteBlocks: [],
  counts: new Map(),
  merged: new Set(),
  omitted: 0,
})

/** Copies totals, so that the copy can grow independently. */
export const copy = ({ counts, incomplete, incompleteBlocks, merged, omitted, sums }: Totals): Totals => ({
  sums: new Map(sums),
  incomplete,
  incompleteBlocks: [...incompleteBlocks],
  counts: new Map(counts),
  merged: new Set(merged),
  omitted,
})

/** True if the sums keep all assets separate. */
export const isWhole = ({ merged, omitted }: Totals): boolean => merged.size === 0 && omitted === 0

const keyOf = ({ asset, kind, tokenId }: Pick<Sum, "asset" | "kind" | "tokenId">): string =>
  `${asset} ${tokenId ?? ""} ${kind}`

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const plus = (one: Sum, { count, in: received, out }: Pick<Sum, "count" | "in" | "out">): Sum => ({
  ...one,
  count: one.count + count,
  in: one.in + received,
  out: one.out + out,
})

const zero = { count: 0, in: 0n, out: 0n }

/** Merges the sums of the ids of contracts into one per kind. */
const merge = ({ counts, merged, sums }: Totals, assets: ReadonlySet<string>): void => {
  const byKind = new Map<string, Sum>()
  for (const [key, sum] of sums) {
    const { asset, kind } = sum
    if (!assets.has(asset)) continue
    sums.delete(key)
    const own = { asset, tokenId: null, kind }
    const kindKey = keyOf(own)
    byKind.set(kindKey, plus(byKind.get(kindKey) ?? { ...own, ...zero }, sum))
  }
  for (const asset of assets) {
    counts.set(asset, 0)
    merged.add(asset)
  }
  for (const [key, sum] of byKind) {
    sums.set(key, sum)
    counts.set(sum.asset, counts.get(sum.asset)! + 1)
  }
}

/** Merges the contracts with the most sums, as many as needed; false if that does not free enough. */
const makeRoom = (totals: Totals): boolean => {
  const { counts, merged } = totals
  const large = [...counts].filter(([asset, count]) => count >= minMerged && !merged.has(asset))
  const ordered = large.toSorted(([one, first], [other, second]) => second - first || compareText(one, other))
  const chosen = new Set<string>()
  let freed = 0
  for (const [asset, count] of ordered) {
    if (freed >= minFreed) break
    chosen.add(asset)
    freed += count - 1
  }
  if (freed < minFreed) return false
  merge(totals, chosen)
  return true
}

/** True if a new sum of an asset may be added. */
const hasRoom = (totals: Totals, { asset, tokenId }: AssetRef): boolean => {
  if (totals.sums.size < maxSums) return true
  // Once something was omitted, merging cannot help any more.
  if (totals.omitted === 0 && makeRoom(totals)) return true
  return tokenId === null && totals.counts.has(asset)
}

/** Merges contracts in earlier sums that are merged in later sums. */
export const mergeAs = (earlier: Totals, later: Totals): Totals => {
  const missing = [...later.merged].filter((asset) => !earlier.merged.has(asset) && earlier.counts.has(asset))
  if (missing.length === 0) return earlier
  const totals = copy(earlier)
  merge(totals, new Set(missing))
  return totals
}

/** Sums of some assets only. */
export const only = (totals: Totals, assets: ReadonlySet<string>): Totals => ({
  ...totals,
  sums: new Map([...totals.sums].filter(([, { asset }]) => assets.has(asset))),
  merged: new Set([...totals.merged].filter((asset) => assets.has(asset))),
})

const addMovement = (totals: Totals, { amount, asset, kind, tokenId }: Movement.Movement): void => {
  const one = { count: 1, in: amount > 0n ? amount : 0n, out: amount < 0n ? amount : 0n }
  const { counts, merged, sums } = totals
  const own = { asset, kind, tokenId: merged.has(asset) ? null : tokenId }
  const before = sums.get(keyOf(own))
  if (before !== undefined) return void sums.set(keyOf(own), plus(before, one))
  if (!hasRoom(totals, own)) return void totals.omitted++
  // Room may have been made by merging this contract.
  const added = { asset, kind, tokenId: merged.has(asset) ? null : tokenId }
  const key = keyOf(added)
  const found = sums.get(key)
  if (found === undefined) counts.set(asset, (counts.get(asset) ?? 0) + 1)
  sums.set(key, plus(found ?? { ...added, ...zero }, one))
}

/** Adds the movements of a position, limited to some assets if given. */
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
  for (const movement of movements) {
    if (assets === undefined || assets.has(movement.asset)) addMovement(totals, movement)
  }
}

const text = (value: string | null): string => value ?? ""

/** Orders by `native` first, then by address and by numeric id. */
const compare = (one: AssetRef, other: AssetRef): number => {
  if (one.asset !== other.asset) {
    if (one.asset === "native" || other.asset === "native") return one.asset === "native" ? -1 : 1
    return compareText(one.asset, other.asset)
  }
  const [first, second] = [text(one.tokenId), text(other.tokenId)]
  return first.length - second.length || compareText(first, second)
}

/** True for ERC-721 events of an id that ERC-1155 events also report: some contracts log both for one token. */
const isRepeated = ({ sums }: Totals, { asset, kind, tokenId }: Sum): boolean =>
  kind === "erc721" &&
  (["erc1155", "genesis"] as const).some((other) => sums.has(keyOf({ asset, tokenId, kind: other })))

/** Balances resulting from the sums: each asset with a remainder. */
export const balances = (totals: Totals): ReadonlyArray<Balance> => {
  const found = new Map<string, Balance>()
  for (const sum of totals.sums.values()) {
    if (isRepeated(totals, sum)) continue
    const { asset, in: received, out, tokenId } = sum
    const key = `${asset} ${text(tokenId)}`
    found.set(key, { asset, tokenId, amount: (found.get(key)?.amount ?? 0n) + received + out })
  }
  return [...found.values()].filter(({ amount }) => amount !== 0n).toSorted(compare)
}

/** Token addresses among assets, without duplicates. */
export const tokensOf = (assets: Iterable<Pick<AssetRef, "asset">>): ReadonlySet<string> => {
  const tokens = new Set(Array.from(assets, ({ asset }) => asset))
  tokens.delete(Movement.native)
  return tokens
}

/** Sums of the movements between two positions; the later totals include the earlier ones. */
export const between = (earlier: Totals, later: Totals): ReadonlyArray<Sum> =>
  [...later.sums]
    .map(([key, sum]) => {
      const before = earlier.sums.get(key)
      if (before === undefined) return sum
      return { ...sum, count: sum.count - before.count, in: sum.in - before.in, out: sum.out - before.out }
    })
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => compare(one, other) || compareText(one.kind, other.kind))
