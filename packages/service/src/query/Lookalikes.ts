/**
 * Counterparties whose address resembles another one that the wallet paid shortly before: both start and end with the same digits, which is
 * what an abbreviated address shows. Address poisoning places such addresses in a history, hoping that they are copied from there.
 *
 * Source: decision 0049.
 */
import * as Effect from "effect/Effect"
import * as Movement from "../ledger/Movement.ts"
import * as Role from "../ledger/Role.ts"
import type { LedgerRow } from "../ledger/WalletRows.ts"
import type { LedgerEntry, Position, Snapshot } from "../store/ChainReader.ts"
import type { StoreError } from "../store/StoreError.ts"

/** Number of equal hex digits at each end of a lookalike address. */
const sameDigits = 4

/** Number of ledger positions before a row whose payments are compared. */
export const windowPlaces = 32

/** Maximum number of payments counted per position: a transaction may pay thousands. */
const maxPayments = 64

const endsOf = (address: string): string => `${address.slice(2, 2 + sameDigits)}${address.slice(-sameDigits)}`

const noAddresses: ReadonlyArray<string> = []

/**
 * Addresses that the wallet paid at a position: by its own transaction, or in native currency, which no other account can move. Token logs
 * of another account's transaction are not payments.
 */
const paidAt = ({ movements, roles }: Pick<LedgerRow, "movements" | "roles">): ReadonlyArray<string> => {
  const isOwn = (roles & Role.bits.sender) !== 0
  const isPayment = ({ amount, asset }: Movement.Movement): boolean =>
    amount < 0n && (isOwn || asset === Movement.native)
  // Most positions have no payment.
  if (!movements.some(isPayment)) return noAddresses
  const paid = movements.flatMap((movement) => (isPayment(movement) ? (movement.counterparty ?? []) : []))
  return [...new Set(paid)].slice(0, maxPayments)
}

/** Payments at the last positions of a ledger. */
export class RecentPayments {
  readonly #places: Array<ReadonlyArray<string>> = []
  /** Addresses by their ends, each with the number of positions that paid it. */
  readonly #paid = new Map<string, Map<string, number>>()

  /** Adds the next position of the ledger. */
  add(row: Pick<LedgerRow, "movements" | "roles">): void {
    const paid = paidAt(row)
    this.#places.push(paid)
    for (const address of paid) this.#count(address, 1)
    if (this.#places.length <= windowPlaces) return
    for (const address of this.#places.shift() ?? []) this.#count(address, -1)
  }

  #count(address: string, change: 1 | -1): void {
    const ends = endsOf(address)
    const same = this.#paid.get(ends) ?? new Map<string, number>()
    const count = (same.get(address) ?? 0) + change
    if (count === 0) same.delete(address)
    else same.set(address, count)
    if (same.size === 0) this.#paid.delete(ends)
    else this.#paid.set(ends, same)
  }

  /** Whether an address was not paid itself, but resembles one that was. */
  isLookalike(address: string): boolean {
    const same = this.#paid.get(endsOf(address))
    return same !== undefined && !same.has(address)
  }
}

/** A counterparty at a position of a ledger. */
export interface Candidate extends Position {
  readonly counterparty: string
}

const keyOf = ({ block, counterparty, index }: Candidate): string => `${block} ${index} ${counterparty}`

const compare = (one: Position, other: Position): number => one.block - other.block || one.index - other.index

const batchBytes = 256 * 1024

/** Maximum number of positions read at once: rows of a narrow selection may be far apart. */
const maxAtOnce = 512

/** Ledger positions that were read, newest first: if there are any, those of all candidates and all in between. */
interface Known {
  readonly places: ReadonlyArray<LedgerEntry>
  /** Whether the ledger has no earlier position. */
  readonly isFromFirst: boolean
}

const nothing: Known = { places: [], isFromFirst: false }

/** Positions before one, newest first, up to at least `windowPlaces` before another. */
const placesBefore = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  wallet: string,
  newest: Position,
  oldest: Position,
  { isFromFirst, places }: Known,
): Effect.fn.Return<ReadonlyArray<LedgerEntry>, StoreError> {
  const found = places.filter((entry) => compare(entry, newest) < 0)
  if (isFromFirst) return found
  let older = found.filter((entry) => compare(entry, oldest) < 0).length
  // Doubles each time until the other one is reached.
  let limit = windowPlaces
  for (let after: Position = found.at(-1) ?? newest; older < windowPlaces; limit = Math.min(maxAtOnce, 2 * limit)) {
    const query = { wallet, from: 0, to: newest.block, order: "DESC", after } as const
    const atOnce = older === 0 ? limit : windowPlaces - older
    const { hasMore, rows } = yield* snapshot.ledger({ ...query, limit: atOnce, maxBytes: batchBytes })
    for (const entry of rows) {
      found.push(entry)
      if (compare(entry, oldest) < 0) older++
    }
    const last = rows.at(-1)
    if (last === undefined || !hasMore) return found
    after = last
  }
  return found
})

/** Finds lookalikes among counterparties of a wallet; returns the test for one. */
export const find = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  wallet: string,
  candidates: ReadonlyArray<Candidate>,
  known: Known = nothing,
): Effect.fn.Return<(candidate: Candidate) => boolean, StoreError> {
  const [oldest, ...later] = candidates.toSorted(compare)
  if (oldest === undefined) return () => false
  const places = yield* placesBefore(snapshot, wallet, later.at(-1) ?? oldest, oldest, known)
  const payments = new RecentPayments()
  const found = new Set<string>()
  let next = places.length - 1
  for (const candidate of [oldest, ...later]) {
    for (; next >= 0 && compare(places[next]!, candidate) < 0; next--) payments.add(places[next]!)
    if (payments.isLookalike(candidate.counterparty)) found.add(keyOf(candidate))
  }
  return (candidate) => found.has(keyOf(candidate))
})
