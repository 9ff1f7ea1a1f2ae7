/** Model of the ledgers of wallets: the expected rows of a chain of blocks, derived from the tree. It imports no code of the service. */
import { fail } from "./Divergence.ts"
import * as StoredRows from "./StoredRows.ts"
import type { Block, Call, Transaction } from "./Tree.ts"
import { addressesOf } from "./Tree.ts"

/** Expected state of the rows. */
export interface Expected {
  readonly chain: ReadonlyArray<Block>
  /** Whether a transaction of a block is missing from the store. */
  readonly lacks: (block: Block, transaction: Transaction) => boolean
  /** First block whose rows may be missing or belong to an earlier derivation. */
  readonly derivedBelow: number
}

/** Index of rows that belong to a block and not to a transaction. */
const blockLevelIndex = 1_048_575
const gasPrice = 8n
const [fee, value, erc20] = [0, 1, 7]

const addressOf = (topic: string | undefined): string => `0x${(topic ?? "").slice(-40)}`

/** Wallets that always have a row at a transaction. */
const requiredOf = (transaction: Transaction): ReadonlyArray<string> => [
  ...addressesOf(transaction),
  ...transaction.logs.flatMap(({ topics }) => [addressOf(topics[1]), addressOf(topics[2])]),
]

/** Wallets that have a row if the transaction is traced. */
const partiesOf = (calls: ReadonlyArray<Call>): ReadonlyArray<string> =>
  calls.flatMap(({ calls: inner, from, to }) => [from, to, ...partiesOf(inner)])

/** Fees, value and token transfers of a wallet in a transaction. */
const movementsOf = (
  transaction: Transaction,
  firstLog: number,
  wallet: string,
): ReadonlyArray<StoredRows.StoredMovement> => {
  const recipient = transaction.to ?? transaction.created
  const hasMoved = transaction.status === 1 && transaction.value > 0
  return [
    ...(transaction.from === wallet ? [[fee, -gasPrice * BigInt(transaction.gasUsed), null] as const] : []),
    ...(hasMoved && transaction.from === wallet ? [[value, -BigInt(transaction.value), null] as const] : []),
    ...(hasMoved && recipient === wallet ? [[value, BigInt(transaction.value), null] as const] : []),
    ...transaction.logs.flatMap(({ data, topics }, at) => [
      ...(addressOf(topics[1]) === wallet ? [[erc20, -BigInt(data), firstLog + at] as const] : []),
      ...(addressOf(topics[2]) === wallet ? [[erc20, BigInt(data), firstLog + at] as const] : []),
    ]),
  ]
}

interface Row {
  readonly transaction: Transaction | null
  readonly firstLog: number
}

const format = (movements: ReadonlyArray<StoredRows.StoredMovement>): string =>
  movements.map(([kind, amount, logIndex]) => `${kind} ${amount} ${logIndex}`).join(", ")

/** Permitted rows of a block by index and wallet, and required ones. */
const rowsOf = (block: Block, lacks: Expected["lacks"]) => {
  const allowed = new Map<string, Row>()
  const required: Array<string> = []
  allowed.set(`${blockLevelIndex}:${String(block.header["miner"])}`, { transaction: null, firstLog: 0 })
  let firstLog = 0
  for (const [index, transaction] of block.transactions.entries()) {
    if (!lacks(block, transaction)) {
      const requiredWallets = requiredOf(transaction)
      for (const wallet of [...requiredWallets, ...partiesOf(transaction.calls)])
        allowed.set(`${index}:${wallet}`, { transaction, firstLog })
      required.push(...requiredWallets.map((wallet) => `${index}:${wallet}`))
    }
    firstLog += transaction.logs.length
  }
  return { allowed, required }
}

const failForeign = (block: number, row: string) =>
  fail(`the row ${block}:${row} of a ledger belongs to no stored transaction of the wallet`)

const checkBlock = (block: Block, stored: ReadonlySet<string>, isDerived: boolean, lacks: Expected["lacks"]): void => {
  const { allowed, required } = rowsOf(block, lacks)
  for (const row of stored) if (!allowed.has(row)) failForeign(block.number, row)
  const missing = isDerived ? required.find((row) => !stored.has(row)) : undefined
  if (missing !== undefined) fail(`the ledger lacks the row ${block.number}:${missing}`)
}

/** Compares the row lists of blocks; fails with a `Divergence`. */
const checkLists = (stored: string, { chain, derivedBelow }: Expected): void => {
  const lists = new Set(stored.split(" ").filter(Boolean).map(Number))
  for (const { number } of chain) {
    if (!lists.delete(number) && number < derivedBelow) fail(`block ${number} has no list of ledgers`)
  }
  const [unknownBlock] = lists
  if (unknownBlock !== undefined) fail(`the list of ledgers of block ${unknownBlock} belongs to no block`)
}

/** Creates the model of the ledgers of a store. */
export const make = (rows: StoredRows.StoredRows) => {
  /** Results of the previous comparison: a block, its missing transactions, whether it must have all its rows, and its rows. */
  const compared = new Set<string>()
  return {
    /** Compares the list of stored rows; fails with a `Divergence`. */
    check: (expected: Expected): void => {
      const { chain, derivedBelow, lacks } = expected
      checkLists(rows.ledgerBlocks(), expected)
      const stored = rows.ledger()
      for (const block of chain) {
        const isDerived = block.number < derivedBelow
        const text = stored.get(block.number) ?? ""
        stored.delete(block.number)
        const missing = block.transactions.map((transaction) => Number(lacks(block, transaction))).join("")
        const key = `${block.hash} ${missing} ${isDerived} ${text}`
        if (compared.has(key)) continue
        checkBlock(block, new Set(text.split(" ").filter(Boolean)), isDerived, lacks)
        compared.add(key)
      }
      for (const [block, text] of stored) failForeign(block, text.split(" ", 1).join(""))
    },
    /** Compares the amounts of the stored rows, each of which must belong to a block; fails with a `Divergence`. */
    checkAmounts: ({ chain, lacks }: Omit<Expected, "derivedBelow">): void => {
      const allowed = new Map(chain.map((block) => [block.number, rowsOf(block, lacks).allowed]))
      for (const { block, body, index, wallet } of rows.movements()) {
        const row = allowed.get(block)?.get(`${index}:${wallet}`)
        if (row === undefined || row.transaction === null) continue
        const stored = format(StoredRows.movementsOf(body).filter(([kind]) => [fee, value, erc20].includes(kind)))
        const expected = format(movementsOf(row.transaction, row.firstLog, wallet))
        const where = `the row ${block}:${index}:${wallet} of a ledger`
        if (stored !== expected) fail(`${where} has the movements ${stored}, expected ${expected}`)
      }
    },
  }
}
