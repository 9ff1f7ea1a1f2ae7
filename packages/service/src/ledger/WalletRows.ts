/**
 * Collects roles and movements of the wallets of one transaction or block, within a bound. Pure.
 */
import * as Movement from "./Movement.ts"
import * as Role from "./Role.ts"

/** Roles and movements of a wallet at one place. */
export interface LedgerRow {
  /** Index of the transaction, or `Movement.blockLevelIndex`. */
  readonly index: number
  readonly wallet: string
  /** See `Role`. */
  readonly roles: number
  /** In the order of execution: minted value, fee, value, internal calls, logs. */
  readonly movements: ReadonlyArray<Movement.Movement>
}

interface Collected {
  roles: number
  readonly movements: Array<Movement.Movement>
}

/** What moves between two wallets. */
export interface Transfer extends Pick<Movement.Movement, "asset" | "kind"> {
  /** `null` where the amount is minted. */
  readonly from: string | null
  /** `null` where the amount is burned. */
  readonly to: string | null
  readonly amount: bigint
  readonly tokenId?: string | null
  readonly logIndex?: number | null
}

/** One side of a movement. */
export interface Change extends Pick<Movement.Movement, "wallet" | "kind" | "amount"> {
  readonly counterparty?: string | null
  readonly isFailed?: boolean
}

/** Rows of one place. */
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

  #rowOf(wallet: string): Collected {
    const found = this.#rows.get(wallet)
    if (found !== undefined) return found
    const row: Collected = { roles: 0, movements: [] }
    this.#rows.set(wallet, row)
    return row
  }

  #push(movement: Movement.Movement): void {
    if (this.#movements >= this.#max) {
      this.#isIncomplete = true
      return
    }
    this.#movements++
    this.#rowOf(movement.wallet).movements.push(movement)
  }

  /** Adds roles of a wallet. A wallet beyond the bound has none. */
  role(wallet: string, ...roles: ReadonlyArray<Role.Role>): void {
    if (!this.#rows.has(wallet) && this.#rows.size >= this.#max) {
      this.#isIncomplete = true
      return
    }
    const row = this.#rowOf(wallet)
    for (const role of roles) row.roles |= Role.bits[role]
  }

  /** Marks the row of a wallet, or of all wallets: movements may be missing. */
  incomplete(wallet?: string): void {
    if (wallet === undefined) this.#isIncomplete = true
    else this.#rowOf(wallet).roles |= Role.incompleteBit
  }

  /** A native change of one wallet; none for an amount of 0. */
  change({ amount, counterparty = null, isFailed = false, kind, wallet }: Change): void {
    if (amount === 0n) return
    this.#push({ wallet, counterparty, asset: Movement.native, tokenId: null, amount, kind, logIndex: null, isFailed })
  }

  /** A transfer, seen from both sides; none for an amount of 0. */
  transfer({ amount, asset, from, kind, logIndex = null, to, tokenId = null }: Transfer): void {
    if (amount === 0n) return
    const common = { asset, tokenId, kind, logIndex, isFailed: false }
    if (from !== null) this.#push({ ...common, wallet: from, counterparty: to, amount: -amount })
    if (to !== null) this.#push({ ...common, wallet: to, counterparty: from, amount })
  }

  /** The native movements so far, by wallet. */
  nativeSums(kinds: ReadonlySet<Movement.Kind>): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>()
    for (const [wallet, { movements }] of this.#rows) {
      const own = movements.filter(({ asset, kind }) => asset === Movement.native && kinds.has(kind))
      const sum = own.reduce((total, { amount }) => total + amount, 0n)
      if (sum !== 0n) sums.set(wallet, sum)
    }
    return sums
  }

  /** Whether a native amount moved to a wallet, or from it where the amount is negative. */
  hasNative(wallet: string, amount: bigint): boolean {
    const movements = this.#rows.get(wallet)?.movements ?? []
    return movements.some((movement) => movement.amount === amount && movement.asset === Movement.native)
  }

  /** The rows, in the order in which their wallets were named first. */
  toRows(): ReadonlyArray<LedgerRow> {
    const mark = this.#isIncomplete ? Role.incompleteBit : 0
    return [...this.#rows].map(([wallet, { movements, roles }]) => ({
      index: this.#index,
      wallet,
      roles: roles | mark,
      movements,
    }))
  }
}
