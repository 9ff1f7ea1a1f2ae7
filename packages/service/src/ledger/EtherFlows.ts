/**
 * Native value moved by a transaction: directly, by the calls inside it, or by logs of ether transfers. Pure.
 *
 * Source: EIP-6780, EIP-7708; decision 0048.
 */
import * as Address from "@daybook/schema/Address"
import { etherLogger, topics } from "@daybook/schema/TokenTransfer"
import * as Movement from "./Movement.ts"
import type { SourceFrame, SourceLog, SourceTransaction } from "./LedgerSource.ts"
import type { WalletRows } from "./WalletRows.ts"

interface EtherTransfer {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly logIndex: number
}

/** Ether transfers in logs. */
const etherTransfers = (logs: ReadonlyArray<SourceLog>): ReadonlyArray<EtherTransfer> =>
  logs.flatMap(({ address, data, logIndex, topics: [topic0, topic1, topic2] }) => {
    const [from, to] = [Address.fromTopic(topic1), Address.fromTopic(topic2)]
    if (address !== etherLogger || topic0 !== topics.transfer || data.length !== 66) return []
    return from === undefined || to === undefined ? [] : [{ from, to, amount: BigInt(data), logIndex }]
  })

/** Whether the chain logs ether transfers at a block, judging by its transactions. */
export const hasEtherLogs = (transactions: ReadonlyArray<SourceTransaction>): boolean =>
  transactions.some(({ logs }) => logs.some(({ address }) => address === etherLogger))

/** True for a log of an ether transfer, which does not belong to a token. */
export const isEtherLog = ({ address }: SourceLog): boolean => address === etherLogger

/** Whether a transaction took effect; `null` if unknown. */
export const succeeded = ({
  gas,
  gasUsed,
  status,
}: Pick<SourceTransaction, "gas" | "gasUsed" | "status">): boolean | null => {
  if (status !== null) return status !== 0
  // Before Byzantium a failed transaction used all its gas, and 21,000 is all that a plain transfer may use.
  return gasUsed < gas || gas <= 21_000n ? true : null
}

const isCreation = (type: string): boolean => type === "CREATE" || type === "CREATE2"
const valueless: ReadonlySet<string> = new Set(["STATICCALL", "DELEGATECALL"])

const addRoles = (rows: WalletRows, { from, to, type }: SourceFrame): void => {
  if (valueless.has(type)) return
  rows.role(from, "internal_caller")
  if (isCreation(type)) rows.role(from, "creator")
  if (to !== null) rows.role(to, isCreation(type) ? "created" : "internal_callee")
}

/**
 * Contracts destroyed in a transaction. If it also created them, what they hold at its end is burned, even if received after their
 * destruction.
 */
class Destroyed {
  readonly #created = new Set<string>()
  readonly #earlier = new Set<string>()
  readonly #left = new Map<string, bigint>()

  create(contract: string): void {
    this.#created.add(contract)
  }

  /** Records a selfdestruct; returns whether the balance left the chain. */
  destroy(contract: string): boolean {
    if (!this.#created.has(contract)) {
      this.#earlier.add(contract)
      return false
    }
    this.#left.set(contract, this.#left.get(contract) ?? 0n)
    return true
  }

  /** True for a destroyed contract that an earlier transaction created. */
  hasEarlier(contract: string): boolean {
    return this.#earlier.has(contract)
  }

  move(wallet: string, amount: bigint): void {
    const held = this.#left.get(wallet)
    if (held !== undefined) this.#left.set(wallet, held + amount)
  }

  left(): Iterable<readonly [wallet: string, amount: bigint]> {
    return this.#left
  }
}

/**
 * Adds calls. For a selfdestruct of a contract to itself, which moves nothing since Cancun, revm tracers before July 2026 repeat the last
 * transfer. A contract may also genuinely pay the same amount twice, so both sides are marked.
 *
 * Source: bluealloy/revm #3805.
 */
const addFrames = (
  rows: WalletRows,
  frames: ReadonlyArray<SourceFrame>,
  { from: sender, to: recipient, value }: SourceTransaction,
  created: string | null,
): void => {
  if (frames.length === 0) return
  const destroyed = new Destroyed()
  let last = { from: sender, to: recipient ?? created, amount: value }
  if (created !== null) destroyed.create(created)
  for (const frame of frames) {
    addRoles(rows, frame)
    const { from, isFailed, to, type } = frame
    if (isFailed || to === null || valueless.has(type) || type === "CALLCODE") continue
    const amount = BigInt(frame.value)
    if (isCreation(type)) destroyed.create(to)
    if (type === "SELFDESTRUCT") {
      const isRepeated = amount > 0n && last.amount === amount && last.from === from && last.to === to
      if (isRepeated) for (const side of [from, to]) rows.incomplete(side)
      destroyed.move(from, -amount)
      const isBurned = destroyed.destroy(from)
      if (from === to) {
        if (isBurned) rows.change({ wallet: from, kind: "internal", amount: -amount })
        // Since Cancun it keeps its balance; before, it lost it.
        else if (amount > 0n) rows.incomplete(from)
        continue
      }
    } else destroyed.move(from, -amount)
    rows.transfer({ asset: Movement.native, kind: "internal", from, to, amount })
    destroyed.move(to, amount)
    if (amount > 0n && from !== to) last = { from, to, amount }
    // Since Cancun it keeps what it receives; before, it lost it.
    if (amount > 0n && destroyed.hasEarlier(to)) rows.incomplete(to)
  }
  for (const [wallet, amount] of destroyed.left()) rows.change({ wallet, kind: "internal", amount: -amount })
}

const checked: ReadonlySet<Movement.Kind> = new Set(["value", "internal"])

const isSame = (one: ReadonlyMap<string, bigint>, other: ReadonlyMap<string, bigint>): boolean =>
  one.size === other.size && [...one].every(([wallet, sum]) => other.get(wallet) === sum)

/** Whether the logs of ether transfers match what value and calls moved. */
const agrees = (rows: WalletRows, transfers: ReadonlyArray<EtherTransfer>): boolean => {
  const sums = new Map<string, bigint>()
  for (const { amount, from, to } of transfers) {
    sums.set(from, (sums.get(from) ?? 0n) - amount)
    sums.set(to, (sums.get(to) ?? 0n) + amount)
  }
  return isSame(rows.nativeSums(checked), new Map([...sums].filter(([, sum]) => sum !== 0n)))
}

const addValue = (rows: WalletRows, transaction: SourceTransaction): void => {
  const { created, from, value } = transaction
  const to = transaction.to ?? created
  if (to === null) {
    if (value > 0n) rows.incomplete()
  } else rows.transfer({ asset: Movement.native, kind: "value", from, to, amount: value })
}

/**
 * Adds value and internal calls. Without traces, the logs of ether transfers provide both if the chain logs them; otherwise the rows are
 * marked.
 */
export const add = (rows: WalletRows, transaction: SourceTransaction, isLogged: boolean): void => {
  const { created, frames, logs } = transaction
  const effect = succeeded(transaction)
  if (effect === null) rows.incomplete()
  const transfers = isLogged ? etherTransfers(logs) : []
  if (frames === null && isLogged) {
    for (const { amount, from, logIndex, to } of transfers) {
      rows.role(from, "internal_caller")
      rows.role(to, "internal_callee")
      rows.transfer({ asset: Movement.native, kind: "ether_log", from, to, amount, logIndex })
    }
    return
  }
  if (effect !== false) addValue(rows, transaction)
  if (frames === null) rows.incomplete()
  else addFrames(rows, frames, transaction, effect === false ? null : created)
  if (isLogged && !agrees(rows, transfers)) rows.incomplete()
}
