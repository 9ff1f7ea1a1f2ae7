/**
 * Entries of an export: movements in order, each with its position and asset, from any source of blocks; and the final balances that they
 * add up to. Holdings are kept in memory, movements are not.
 *
 * Source: decision 0047.
 */
import type { Flag } from "@daybook/schema/Movement"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DiscoveredBlock } from "../ledger/DiscoveredBlock.ts"
import type * as Movement from "../ledger/Movement.ts"
import * as Holding from "../ledger/Holding.ts"
import { RecentPayments } from "../query/Lookalikes.ts"
import * as MovementFlags from "../query/MovementFlags.ts"
import type { Label } from "../label/Label.ts"

/**
 * An asset, as named in an export.
 */
export interface Asset {
  readonly chainId: number
  readonly holding: Holding.Holding
  /** Symbol reported by the token; `null` if it reports none. Anyone may choose any symbol. */
  readonly symbol: string | null
  /** Decimals of an amount. */
  readonly decimals: number
}

/**
 * A movement with its position.
 */
export interface Entry {
  readonly asset: Asset
  readonly blockNumber: number
  readonly blockHash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** `null` for movements of the block itself. */
  readonly transactionHash: string | null
  /** `null` for movements of the block itself. */
  readonly transactionIndex: number | null
  readonly movement: Movement.Movement
  /**
   * `sent` and `received` for the two movements of a transfer between exported wallets, the second one directly after the first; `null` for
   * any other movement.
   */
  readonly own: "sent" | "received" | null
  /** Label of the counterparty; `null` for none. */
  readonly counterpartyLabel: string | null
  /** Hints that the movement may be deceptive. */
  readonly flags: ReadonlyArray<Flag>
}

/**
 * Closing balance of a wallet, from its movements and from the state of the chain.
 */
export interface Closing {
  readonly wallet: string
  readonly asset: Asset
  readonly amount: bigint
  /** Largest absolute value of an amount, or of the running sum, in the smallest unit. */
  readonly largest: bigint
  /** `null` if the contract reports no balance. */
  readonly found: bigint | null
}

/**
 * Source of movements, and what is known about their assets.
 */
export interface Source<E> {
  readonly chainId: number
  readonly wallets: ReadonlyArray<string>
  /** Labels of addresses. */
  readonly label: Label
  readonly blocks: Stream.Stream<DiscoveredBlock, E>
  /** The block of the opening balances. */
  readonly opening: Pick<DiscoveredBlock, "number" | "hash" | "timestamp">
  /** Describes assets, once each. */
  readonly describe: (holdings: ReadonlyArray<Holding.Holding>) => Effect.Effect<ReadonlyArray<Asset>, E>
  /** Balances of a wallet at the opening block. */
  readonly openings: (
    wallet: string,
    holdings: ReadonlyArray<Holding.Holding>,
  ) => Effect.Effect<ReadonlyArray<bigint>, E>
}

/** Sum of the movements of one holding of a wallet. */
interface Total {
  readonly wallet: string
  readonly asset: Asset
  amount: bigint
  largest: bigint
}

/**
 * Totals of an export, which grow with the stream.
 */
export type Totals = Map<string, Total>

const keyOf = (wallet: string, holding: Holding.Holding): string => `${wallet} ${Holding.keyOf(holding)}`

/** Movement that opens an account, in place of a movement of a block. */
const openingEntry = ({ opening }: Source<never>, wallet: string, asset: Asset, amount: bigint): Entry => ({
  asset,
  blockNumber: opening.number,
  blockHash: opening.hash,
  timestamp: opening.timestamp,
  transactionHash: null,
  transactionIndex: null,
  movement: {
    wallet,
    amount,
    counterparty: null,
    asset: asset.holding.asset,
    tokenId: asset.holding.tokenId,
    kind: "genesis",
    logIndex: null,
    isFailed: false,
  },
  own: null,
  counterpartyLabel: null,
  flags: [],
})

/** Opens the accounts that occur for the first time: their opening balances precede their first movements. */
const open = Effect.fnUntraced(function* <E>(
  source: Source<E>,
  totals: Totals,
  wallet: string,
  holdings: ReadonlyArray<Holding.Holding>,
): Effect.fn.Return<ReadonlyArray<Entry>, E> {
  const missing = [...new Map(holdings.map((holding) => [keyOf(wallet, holding), holding])).entries()].filter(
    ([key]) => !totals.has(key),
  )
  if (missing.length === 0) return []
  const added = missing.map(([, holding]) => holding)
  const assets = yield* source.describe(added)
  const amounts = yield* source.openings(wallet, added)
  return missing.flatMap(([key], at) => {
    const [asset, amount] = [assets[at]!, amounts[at] ?? 0n]
    totals.set(key, { wallet, asset, amount, largest: amount })
    // Sound: the opening block does not depend on the errors of the source.
    return amount === 0n ? [] : [openingEntry(source as unknown as Source<never>, wallet, asset, amount)]
  })
})

/** Orders rows by transaction, then by wallet, with those of the block itself last, independent of the source. */
const inOrder = (rows: DiscoveredBlock["rows"]): DiscoveredBlock["rows"] =>
  rows.toSorted(
    ({ index: one, wallet: first }, { index: other, wallet: second }) =>
      (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY) || 0 || (first < second ? -1 : 1),
  )

/** What both movements of a transfer have in common. */
const transferOf = ({ movement, transactionIndex }: Entry, from: string, to: string | null): string =>
  JSON.stringify([transactionIndex, movement.kind, movement.logIndex, movement.asset, movement.tokenId, from, to])

/** Places what an exported wallet received from another one directly after what that one sent. */
const joined = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const received = new Map<string, Array<Entry>>()
  for (const entry of entries) {
    const { amount, counterparty, wallet } = entry.movement
    if (amount <= 0n || counterparty === null) continue
    const key = `${transferOf(entry, counterparty, wallet)} ${amount}`
    const same = received.get(key)
    if (same === undefined) received.set(key, [entry])
    else same.push(entry)
  }
  const pairs = new Map<Entry, Entry>()
  for (const entry of entries) {
    const { amount, counterparty, wallet } = entry.movement
    const other =
      amount < 0n ? received.get(`${transferOf(entry, wallet, counterparty)} ${-amount}`)?.shift() : undefined
    if (other !== undefined) pairs.set(entry, other)
  }
  const taken = new Set(pairs.values())
  return entries.flatMap((entry): ReadonlyArray<Entry> => {
    const other = pairs.get(entry)
    if (other !== undefined)
      return [
        { ...entry, own: "sent" },
        { ...other, own: "received" },
      ]
    return taken.has(entry) ? [] : [entry]
  })
}

/** Flags of a movement. Payments before the first block of the export are not known. */
const flagsOf = (
  chainId: number,
  { symbol }: Asset,
  { amount, asset, counterparty }: Movement.Movement,
  roles: number,
  payments: RecentPayments,
): ReadonlyArray<Flag> =>
  MovementFlags.of({
    chainId,
    token: asset === "native" ? undefined : { address: asset, name: null, symbol },
    roles,
    isIncoming: amount > 0n,
    isZero: false,
    isLookalike: counterparty !== null && !MovementFlags.isOwn(roles) && payments.isLookalike(counterparty),
  })

const entriesOf = Effect.fnUntraced(function* <E>(
  source: Source<E>,
  totals: Totals,
  paid: Map<string, RecentPayments>,
  block: DiscoveredBlock,
): Effect.fn.Return<ReadonlyArray<Entry>, E> {
  const entries: Array<Entry> = []
  const rows = inOrder(block.rows)
  const movements = rows.flatMap((row) => row.movements)
  for (const wallet of [...new Set(movements.map((movement) => movement.wallet))].toSorted()) {
    const own = movements.filter((movement) => movement.wallet === wallet)
    entries.push(...(yield* open(source, totals, wallet, own.map(Holding.fromMovement))))
  }
  for (const { index, movements: own, roles, transactionHash, wallet } of rows) {
    const payments = paid.get(wallet) ?? new RecentPayments()
    paid.set(wallet, payments)
    for (const movement of own) {
      // Sound: the account was opened above.
      const total = totals.get(keyOf(movement.wallet, Holding.fromMovement(movement)))!
      total.amount += movement.amount
      for (const value of [movement.amount, total.amount]) {
        const size = value < 0n ? -value : value
        if (size > total.largest) total.largest = size
      }
      entries.push({
        asset: total.asset,
        blockNumber: block.number,
        blockHash: block.hash,
        timestamp: block.timestamp,
        transactionHash,
        transactionIndex: index,
        movement,
        own: null,
        counterpartyLabel: movement.counterparty === null ? null : source.label(movement.counterparty),
        flags: flagsOf(source.chainId, total.asset, movement, roles, payments),
      })
    }
    payments.add({ movements: own, roles })
  }
  return joined(entries)
})

/**
 * Streams the entries of a source, with the totals that they have added up to.
 */
export const stream = <E>(
  source: Source<E>,
): { readonly entries: Stream.Stream<Entry, E>; readonly totals: Totals } => {
  const totals: Totals = new Map()
  const paid = new Map<string, RecentPayments>()
  const opened = Stream.fromArrayEffect(
    Effect.map(
      Effect.forEach(source.wallets, (wallet) => open(source, totals, wallet, [Holding.native])),
      (entries) => entries.flat(),
    ),
  )
  const moved = source.blocks.pipe(
    Stream.mapEffect((block) => entriesOf(source, totals, paid, block)),
    Stream.flatMap((entries) => Stream.fromIterable(entries)),
  )
  return { entries: Stream.concat(opened, moved), totals }
}
