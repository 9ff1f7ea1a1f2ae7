/**
 * The books of one wallet: its movements, summed by holding and kind as they arrive. Sums are updated in place. Pure.
 *
 * Source: decision 0047.
 */
import * as Bisection from "./Bisection.ts"
import type { DiscoveredBlock, WalletRow } from "../ledger/DiscoveredBlock.ts"
import type * as Movement from "./Movement.ts"
import * as Role from "./Role.ts"
import * as Holding from "./Holding.ts"

/**
 * Movements of one kind. Amounts are in the smallest unit, `out` is negative.
 */
export interface Sum {
  count: number
  in: bigint
  out: bigint
}

/**
 * The movements of one holding.
 */
export interface Account {
  readonly holding: Holding.Holding
  readonly sums: Map<Movement.Kind, Sum>
  change: bigint
  /** Changes by block, ascending. */
  readonly changes: Array<readonly [block: number, change: bigint]>
}

/**
 * The books of a wallet.
 */
export interface Books {
  readonly wallet: string
  /** Keyed by `Holding.keyOf`; the native currency is always present. */
  readonly accounts: Map<string, Account>
  /** Ids of ERC-721 contracts; the number of tokens per contract is among the accounts. */
  readonly ids: Map<string, Account>
  /** Transactions in which the wallet takes part. */
  transactions: number
  /** Number of those that it sent. */
  sent: number
  /**
   * Number of rows in which it set code by an authorization, created contracts, or exported to another chain, all of which count towards
   * its nonce.
   */
  delegations: number
  /** Number of rows that may lack movements. */
  incomplete: number
}

const accountOf = (holding: Holding.Holding): Account => ({ holding, sums: new Map(), change: 0n, changes: [] })

/**
 * Empty books.
 */
export const make = (wallet: string): Books => ({
  wallet,
  accounts: new Map([[Holding.keyOf(Holding.native), accountOf(Holding.native)]]),
  ids: new Map(),
  transactions: 0,
  sent: 0,
  delegations: 0,
  incomplete: 0,
})

/**
 * Account of a holding, added if missing.
 */
export const accountIn = ({ accounts }: Books, holding: Holding.Holding): Account => {
  const key = Holding.keyOf(holding)
  const account = accounts.get(key) ?? accountOf(holding)
  accounts.set(key, account)
  return account
}

/**
 * Adds a change of a holding at a block. Changes are added in block order.
 */
export const addChange = (account: Account, block: number, amount: bigint): void => {
  account.change += amount
  const last = account.changes.at(-1)
  if (last?.[0] === block) account.changes[account.changes.length - 1] = [block, last[1] + amount]
  else account.changes.push([block, amount])
}

const idIn = ({ ids }: Books, holding: Holding.Holding): Account => {
  const key = Holding.keyOf(holding)
  const id = ids.get(key) ?? accountOf(holding)
  ids.set(key, id)
  return id
}

const addMovement = (books: Books, block: number, movement: Movement.Movement): void => {
  const account = accountIn(books, Holding.fromMovement(movement))
  const sum = account.sums.get(movement.kind) ?? { count: 0, in: 0n, out: 0n }
  account.sums.set(movement.kind, sum)
  const { amount } = movement
  sum.count += 1
  if (amount > 0n) sum.in += amount
  else sum.out += amount
  addChange(account, block, amount)
  const id = Holding.ownedId(movement)
  if (id !== null) addChange(idIn(books, id), block, amount)
}

/**
 * Adds a row of the wallet at its block. Rows are added in block order.
 */
export const addRow = (
  books: Books,
  block: number,
  { candidates = [], index, movements, roles }: Pick<WalletRow, "candidates" | "index" | "movements" | "roles">,
): void => {
  if (index !== null) books.transactions += 1
  if ((roles & Role.bits.sender) !== 0) books.sent += 1
  const isExport = movements.some(({ amount, kind }) => kind === "irregular" && amount < 0n)
  if (isExport || (roles & (Role.bits.authority | Role.bits.creator)) !== 0) books.delegations += 1
  if (Role.isIncomplete(roles)) books.incomplete += 1
  for (const movement of movements) addMovement(books, block, movement)
  for (const candidate of candidates) accountIn(books, Holding.fromMovement(candidate))
}

/**
 * Adds the wallet's rows in a block. Blocks are added in order.
 */
export const add = (books: Books, { number, rows }: DiscoveredBlock): void => {
  for (const row of rows) if (row.wallet === books.wallet) addRow(books, number, row)
}

/** Changes of a holding by block, ascending. */
export const changesOf = ({ accounts, ids }: Books, holding: Holding.Holding): Account["changes"] => {
  const key = Holding.keyOf(holding)
  return (accounts.get(key) ?? ids.get(key))?.changes ?? []
}

/**
 * Whether the wallet owned an id before its movements, as 1 or 0: it did if it first sends the id.
 */
export const ownedBefore = (books: Books, id: Holding.Holding): bigint =>
  (changesOf(books, id).find(([, change]) => change !== 0n)?.[1] ?? 0n) < 0n ? 1n : 0n

/** Number of ids per ERC-721 contract that the wallet owned before its movements, of those that moved. */
export const countOwnedBefore = (books: Books): ReadonlyMap<string, bigint> => {
  const counts = new Map<string, bigint>()
  for (const { holding } of books.ids.values()) {
    counts.set(holding.asset, (counts.get(holding.asset) ?? 0n) + ownedBefore(books, holding))
  }
  return counts
}

/**
 * Change of a holding from the opening block to another block.
 */
export const changeUpTo = (books: Books, holding: Holding.Holding, opening: number, block: number): bigint =>
  Bisection.fromChanges(changesOf(books, holding))(opening, block)
