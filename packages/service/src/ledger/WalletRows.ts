/**
 * Collects roles and movements of the wallets of one transaction or block, within a bound. Pure.
 */
import * as Movement from "./Movement.ts"
import * as Role from "./Role.ts"

/** A token that a wallet may hold without a movement. A proof compares it with the sum of its movements, which may be 0. */
export interface Candidate extends Pick<Movement.Movement, "asset" | "kind" | "tokenId"> {}

/** Roles and movements of a wallet at one position. */
export interface LedgerRow {
  /** Index of the transaction, or `Movement.blockLevelIndex`. */
  readonly index: number
  readonly wallet: string
  /** See `Role`. */
  readonly roles: number
  /** In execution order: minted value, fee, value, internal calls, logs. */
  readonly movements: ReadonlyArray<Movement.Movement>
  /** Absent if there are none. */
  readonly candidates?: ReadonlyArray<Candidate> | undefined
}

interface Collected {
  roles: number
  /** By token and kind; `null` until there is one. */
  candidates: Map<string, Candidate> | null
  readonly movements: Array<Movement.Movement>
  /** Native movements by amount that are not taken yet, once `takeNative` was called. */
  nativeAmounts: Map<bigint, number> | null
}

/** A transfer between two wallets. */
export interface Transfer extends Pick<Movement.Movement, "asset" | "kind"> {
  /** `null` if the amount is minted. */
  readonly from: string | null
  /** `null` if the amount is burned. */
  readonly to: string | null
  readonly amount: bigint
  readonly tokenId?: string | null | undefined
  readonly logIndex?: number | null
}

/** One side of a movement. */
export interface Change extends Pick<Movement.Movement, "wallet" | "kind" | "amount"> {
  readonly counterparty?: string | null
  readonly isFailed?: boolean
}

const count = (amounts: Map<bigint, number>, amount: bigint): Map<bigint, number> =>
  amounts.set(amount, (amounts.get(amount) ?? 0) + 1)

const isNative = ({ asset }: Movement.Movement): boolean => asset === Movement.native

/** Rows of one position. */
export class WalletRows {
  readonly #index: number
  readonly #max: number
  readonly #rows = new Map<string, Collected>()
  #movements = 0
  #isIncomplete = false

  constructor(index: number, max: number) {
    this.#index = index
    this.#max = max
  }

  /** Row of a wallet; `null` beyond the bound. */
  #rowOf(wallet: string): Collected | null {
    const found = this.#rows.get(wallet)
    if (found !== undefined) return found
    if (this.#rows.size >= this.#max) {
      this.#isIncomplete = true
      return null
    }
    const row: Collected = { roles: 0, candidates: null, movements: [], nativeAmounts: null }
    this.#rows.set(wallet, row)
    return row
  }

  #push(movement: Movement.Movement): void {
    if (this.isFull()) {
      this.#isIncomplete = true
      return
    }
    const row = this.#rowOf(movement.wallet)
    if (row === null) return
    this.#movements++
    row.movements.push(movement)
    if (row.nativeAmounts !== null && isNative(movement)) count(row.nativeAmounts, movement.amount)
  }

  /** True if there is no room for another movement; the next one marks the rows. */
  isFull(): boolean {
    return this.#movements >= this.#max
  }

  /** Adds a role of a wallet. A wallet beyond the bound gets none. */
  role(wallet: string, role: Role.Role): void {
    const row = this.#rowOf(wallet)
    if (row !== null) row.roles |= Role.bits[role]
  }

  /** Marks the row of a wallet, or of all wallets: movements may be missing. */
  incomplete(wallet?: string): void {
    const row = wallet === undefined ? null : this.#rowOf(wallet)
    if (row === null) this.#isIncomplete = true
    else row.roles |= Role.incompleteBit
  }

  /** Adds a token to compare, once per wallet and position. */
  candidate(wallet: string, asset: string, kind: "erc20" | "erc721"): void {
    const row = this.#rowOf(wallet)
    const key = `${kind} ${asset}`
    if (row === null || row.candidates?.has(key) === true) return
    if (this.isFull()) {
      this.#isIncomplete = true
      return
    }
    this.#movements++
    row.candidates ??= new Map()
    row.candidates.set(key, { asset, kind, tokenId: null })
  }

  /** Adds a native change of one wallet; none for an amount of 0. */
  change({ amount, counterparty = null, isFailed = false, kind, wallet }: Change): void {
    if (amount === 0n) return
    this.#push({ wallet, counterparty, asset: Movement.native, tokenId: null, amount, kind, logIndex: null, isFailed })
  }

  /** Adds a transfer for both sides; none for an amount of 0. */
  transfer({ amount, asset, from, kind, logIndex = null, to, tokenId = null }: Transfer): void {
    if (amount === 0n) return
    const isFailed = false
    if (from !== null) {
      this.#push({ wallet: from, counterparty: to, asset, tokenId, amount: -amount, kind, logIndex, isFailed })
    }
    if (to !== null) this.#push({ wallet: to, counterparty: from, asset, tokenId, amount, kind, logIndex, isFailed })
  }

  /** Native movements so far, by wallet. */
  nativeSums(kinds: ReadonlySet<Movement.Kind>): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>()
    for (const [wallet, { movements }] of this.#rows) {
      const own = movements.filter((movement) => isNative(movement) && kinds.has(movement.kind))
      const sum = own.reduce((total, { amount }) => total + amount, 0n)
      if (sum !== 0n) sums.set(wallet, sum)
    }
    return sums
  }

  /** Whether a native amount moved to a wallet or, if negative, from it; each movement is taken once. */
  takeNative(wallet: string, amount: bigint): boolean {
    const row = this.#rows.get(wallet)
    if (row === undefined) return false
    row.nativeAmounts ??= row.movements
      .filter(isNative)
      .reduce((amounts, movement) => count(amounts, movement.amount), new Map<bigint, number>())
    const left = row.nativeAmounts.get(amount) ?? 0
    if (left > 0) row.nativeAmounts.set(amount, left - 1)
    return left > 0
  }

  /** Whether native currency moved to or from a wallet. */
  hasNative(wallet: string, isIn: boolean): boolean {
    const movements = this.#rows.get(wallet)?.movements ?? []
    return movements.some((movement) => isNative(movement) && movement.amount > 0n === isIn)
  }

  /** Returns the rows, in the order in which their wallets first occurred. */
  toRows(): ReadonlyArray<LedgerRow> {
    const mark = this.#isIncomplete ? Role.incompleteBit : 0
    return Array.from(this.#rows, ([wallet, { candidates, movements, roles }]): LedgerRow => {
      const row = { index: this.#index, wallet, roles: roles | mark, movements }
      if (candidates === null) return row
      for (const { asset, kind } of movements) candidates.delete(`${kind} ${asset}`)
      return candidates.size === 0 ? row : { ...row, candidates: [...candidates.values()] }
    })
  }
}
