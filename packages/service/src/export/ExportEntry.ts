/**
 * What an export writes: movements in order, each with its place and its asset, from any source of blocks; and in the end the balances
 * that they add up to. Holdings are kept, movements are not.
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
 * An asset as an export names it.
 */
export interface Asset {
  readonly chainId: number
  readonly holding: Holding.Holding
  /** As the token describes itself; `null` for one that does not. Anyone may choose it. */
  readonly symbol: string | null
  /** Decimals of an amount. */
  readonly decimals: number
}

/**
 * A movement with its place.
 */
export interface Entry {
  readonly asset: Asset
  readonly blockNumber: number
  readonly blockHash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** `null` for what belongs to the block. */
  readonly transactionHash: string | null
  /** `null` for what belongs to the block. */
  readonly transactionIndex: number | null
  readonly movement: Movement.Movement
  /**
   * `sent` and `received` for the two movements of a transfer between wallets of the export, the second one right after the first;
   * `null` for any other movement.
   */
  readonly own: "sent" | "received" | null
  /** Label of the other side; `null` for none. */
  readonly counterpartyLabel: string | null
  /** Hints that the movement may be meant to deceive. */
  readonly flags: ReadonlyArray<Flag>
}

/**
 * What a wallet holds in the end, by its movements and by the state of the chain.
 */
export interface Closing {
  readonly wallet: string
  readonly asset: Asset
  readonly amount: bigint
  /** Largest absolute value of an amount, or of their sum at any place, in the smallest unit. */
  readonly largest: bigint
  /** `null` where the contract gives no balance. */
  readonly found: bigint | null
}

/**
 * Where movements come from, and what is known of their assets.
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
  /** What a wallet holds at the opening block. */
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
 * The totals of an export, which grow with the stream.
 */
export type Totals = Map<string, Total>

const keyOf = (wallet: string, holding: Holding.Holding): string => `${wallet} ${Holding.keyOf(holding)}`

/** Kinds that open an account, in place of a movement of a block. */
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

/** Opens the accounts that are seen for the first time: their opening balances come before their first movements. */
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

/** Rows in the order of their transactions, then of their wallets, those of the block itself last: the same from any source. */
const inOrder = (rows: DiscoveredBlock["rows"]): DiscoveredBlock["rows"] =>
  rows.toSorted(
    ({ index: one, wallet: first }, { index: other, wallet: second }) =>
      (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY) || 0 || (first < second ? -1 : 1),
  )

/** What both movements of a transfer have in common. */
const transferOf = ({ movement, transactionIndex }: Entry, from: string, to: string | null): string =>
  JSON.stringify([transactionIndex, movement.kind, movement.logIndex, movement.asset, movement.tokenId, from, to])

/** Puts what a wallet of the export received from another one right after what that one sent. */
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

/** The flags of a movement. Payments before the first block of the export are not known. */
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
 * The entries of a source, with the totals that they have added up to so far.
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
