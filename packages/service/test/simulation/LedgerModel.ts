/**
 * Model of the ledgers of wallets: the rows that a chain of blocks justifies, known from the tree. It imports no code of the service.
 */
import { fail } from "./Divergence.ts"
import * as StoredRows from "./StoredRows.ts"
import type { Block, Call, Deed } from "./Tree.ts"
import { addressesOf } from "./Tree.ts"

/** What the rows are compared with. */
export interface Expected {
  readonly chain: ReadonlyArray<Block>
  /** Whether a transaction of a block is missing from the store. */
  readonly lacks: (block: Block, deed: Deed) => boolean
  /** First block whose rows may be those of an earlier derivation, or missing. */
  readonly derivedBelow: number
  /** Compares amounts too. */
  readonly withAmounts: boolean
}

/** Index of rows that belong to a block and not to a transaction. */
const blockLevelIndex = 1_048_575
const gasPrice = 8n
const [fee, value, erc20] = [0, 1, 7]

const addressOf = (topic: string | undefined): string => `0x${(topic ?? "").slice(-40)}`

/** Wallets that have a row at a transaction in any case. */
const requiredOf = (deed: Deed): ReadonlyArray<string> => [
  ...addressesOf(deed),
  ...deed.logs.flatMap(({ topics }) => [addressOf(topics[1]), addressOf(topics[2])]),
]

/** Wallets that have one where the transaction is traced. */
const partiesOf = (calls: ReadonlyArray<Call>): ReadonlyArray<string> =>
  calls.flatMap(({ calls: inner, from, to }) => [from, to, ...partiesOf(inner)])

/** Fees, value and transfers of tokens of a wallet in a transaction. */
const movementsOf = (deed: Deed, firstLog: number, wallet: string): ReadonlyArray<StoredRows.StoredMovement> => {
  const recipient = deed.to ?? deed.created
  const hasMoved = deed.status === 1 && deed.value > 0
  return [
    ...(deed.from === wallet ? [[fee, -gasPrice * BigInt(deed.gasUsed), null] as const] : []),
    ...(hasMoved && deed.from === wallet ? [[value, -BigInt(deed.value), null] as const] : []),
    ...(hasMoved && recipient === wallet ? [[value, BigInt(deed.value), null] as const] : []),
    ...deed.logs.flatMap(({ data, topics }, at) => [
      ...(addressOf(topics[1]) === wallet ? [[erc20, -BigInt(data), firstLog + at] as const] : []),
      ...(addressOf(topics[2]) === wallet ? [[erc20, BigInt(data), firstLog + at] as const] : []),
    ]),
  ]
}

interface Row {
  readonly deed: Deed | null
  readonly firstLog: number
}

const format = (movements: ReadonlyArray<StoredRows.StoredMovement>): string =>
  movements.map(([kind, amount, logIndex]) => `${kind} ${amount} ${logIndex}`).join(", ")

/** Every row that the chain allows, by its key, and those that it requires. */
const rowsOf = ({ chain, derivedBelow, lacks }: Expected) => {
  const allowed = new Map<string, Row>()
  const required: Array<string> = []
  for (const block of chain) {
    allowed.set(`${block.number}:${blockLevelIndex}:${String(block.header["miner"])}`, { deed: null, firstLog: 0 })
    let firstLog = 0
    for (const [index, deed] of block.deeds.entries()) {
      if (!lacks(block, deed)) {
        const own = requiredOf(deed)
        for (const wallet of [...own, ...partiesOf(deed.calls)]) {
          allowed.set(`${block.number}:${index}:${wallet}`, { deed, firstLog })
        }
        if (block.number < derivedBelow) required.push(...own.map((wallet) => `${block.number}:${index}:${wallet}`))
      }
      firstLog += deed.logs.length
    }
  }
  return { allowed, required }
}

/** Compares the stored rows; fails with a `Divergence`. */
export const check = (rows: ReturnType<typeof StoredRows.make>, expected: Expected): void => {
  const { chain, derivedBelow, withAmounts } = expected
  const lists = new Set(rows.ledgerBlocks())
  const numbers = new Set(chain.map(({ number }) => number))
  for (const number of lists)
    if (!numbers.has(number)) fail(`the list of ledgers of block ${number} belongs to no block`)
  for (const number of numbers) {
    if (number < derivedBelow && !lists.has(number)) fail(`block ${number} has no list of ledgers`)
  }
  const { allowed, required } = rowsOf(expected)
  const found = new Set<string>()
  for (const { block, body, index, wallet } of rows.ledger()) {
    const key = `${block}:${index}:${wallet}`
    found.add(key)
    const row = allowed.get(key)
    if (row === undefined) return fail(`the row ${key} of a ledger belongs to no stored transaction of the wallet`)
    if (!withAmounts || row.deed === null) continue
    const stored = format(StoredRows.movementsOf(body).filter(([kind]) => [fee, value, erc20].includes(kind)))
    const truth = format(movementsOf(row.deed, row.firstLog, wallet))
    if (stored !== truth) fail(`the row ${key} of a ledger has the movements ${stored}, expected ${truth}`)
  }
  const missing = required.find((key) => !found.has(key))
  if (missing !== undefined) fail(`the ledger lacks the row ${missing}`)
}
