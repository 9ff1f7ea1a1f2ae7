/**
 * Model of a correct store, compared with its tables after every commit. The model is a chain of blocks of the simulated tree, each with
 * exactly its transactions, appearances and internal calls. A block may only be removed after a node returned another block of its
 * number.
 *
 * It imports no code of the service: it reads the tables itself and derives the chain from the tree.
 */
import type { Count } from "./Count.ts"
import { fail } from "./Divergence.ts"
import * as LedgerModel from "./LedgerModel.ts"
import * as NodeResponse from "./NodeResponse.ts"
import * as StoredRows from "./StoredRows.ts"
import type { Block, Transaction, Tree } from "./Tree.ts"
import { addressesOf, chainOf } from "./Tree.ts"
import type { Stored } from "./Untraceable.ts"

/** Properties of the simulated world. */
export interface Setting {
  /** Rows of the store; `undefined` before its tables exist. */
  readonly rows: () => StoredRows.StoredRows | undefined
  readonly tree: Tree
  /** The configured first blocks; the lower one is configured later. */
  readonly starts: { readonly lowest: number; readonly highest: number }
  readonly hasTraces: boolean
  /** Whether the internal calls of a transaction are stored. */
  readonly stored: (block: Block, transaction: Transaction) => Stored
  /** Whether a transaction may be missing because a node has lost its receipt. */
  readonly mayLack: (transaction: Transaction) => boolean
  readonly now: () => number
  readonly count: Count
  /** Highest number that a node may have reported as finalized; null if no node supports the tag. */
  readonly finalized: () => number | null
  readonly isContradicted: (block: Block, sinceMillis: number) => boolean
  /** Revision of the ledgers that the processes derive. */
  readonly revision: () => number
}

/** A state of the store. */
export interface Version {
  /** Last block; null while the store is empty. */
  readonly head: Block | null
  /** Number of the first block; the configured one while the store is empty. */
  readonly first: number
  readonly finalized: number | null
  /** Whether a transaction of a block is missing. */
  readonly lacks: (block: Block, transaction: Transaction) => boolean
}

export interface Model {
  /** Compares the store; fails with a `Divergence`. */
  readonly check: () => void
  /** Compares everything again, including parts that were compared before. */
  readonly checkAll: () => void
  /** All committed states, oldest first. */
  readonly versions: ReadonlyArray<Version>
  /** Whether the ledgers of all blocks were derived at the last comparison. */
  readonly isDerived: () => boolean
}

interface Reading {
  readonly rows: StoredRows.StoredRows
  readonly ledgers: ReturnType<typeof LedgerModel.make>
}

const format = (block: { readonly number: number; readonly hash: string }) =>
  `${block.number} (${block.hash.slice(0, 10)})`

const isEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (actual === expected) return
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a === b) return
  const at = Array.from(a).findIndex((character, index) => character !== b[index])
  const cut = (text: string) => (text.length < 200 ? text : `…${text.slice(Math.max(0, at - 60), at + 100)}…`)
  fail(`${what} is ${cut(a)}, expected ${cut(b)}`)
}

/** Whether a transaction of a block is missing from the store, and the blocks with missing transactions. */
interface Missing {
  readonly blocks: ReadonlySet<number>
  readonly lacks: Version["lacks"]
}

/** Positions of the transactions of a block, and the history entries that belong to them, in the form of `StoredRows`. */
interface Lists {
  readonly positions: ReadonlyArray<string>
  readonly entries: ReadonlyArray<string>
}

const listsOf = (block: Block, lacks: Version["lacks"]): Lists => {
  const places = block.transactions.map((transaction, index) => ({ transaction, place: `${block.number}:${index}` }))
  const stored = places.filter(({ transaction }) => !lacks(block, transaction))
  const entriesOf = (transaction: Transaction) => addressesOf(transaction).map(StoredRows.keyOf).toSorted()
  return {
    positions: stored.map(({ place }) => place),
    entries: stored.flatMap(({ transaction, place }) => entriesOf(transaction).map((key) => `${place}:${key}`)),
  }
}

interface Body {
  readonly [key: string]: unknown
  readonly logs: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly decoded_call: { readonly label: string } | null
}

const checkBody = (block: Block, transaction: Transaction, index: number, text: string, firstLog: number): void => {
  const body = JSON.parse(text) as Body
  const where = `of transaction ${index} of block ${format(block)}`
  const expected: Readonly<Record<string, unknown>> = {
    hash: transaction.hash,
    nonce: String(transaction.nonce),
    transaction_index: String(index),
    from_address: transaction.from,
    to_address: transaction.to,
    value: String(transaction.value),
    gas_price: "8",
    input: transaction.input,
    receipt_gas_used: String(transaction.gasUsed),
    receipt_contract_address: transaction.created ?? "",
    receipt_status: String(transaction.status),
    block_timestamp: new Date(block.timestamp * 1000).toISOString(),
    block_number: String(block.number),
    block_hash: block.hash,
  }
  for (const [key, value] of Object.entries(expected)) isEqual(`${key} ${where}`, body[key], value)
  isEqual(`the call ${where}`, body.decoded_call?.label ?? null, transaction.input === "0x" ? null : "transfer")
  const logs = body.logs.map((log) => [log["log_index"], log["address"], log["data"], log["topic2"], log["block_hash"]])
  const expectedLogs = transaction.logs.map(({ address, data, topics }, at) => [
    String(firstLog + at),
    address,
    data,
    topics[2],
    block.hash,
  ])
  isEqual(`the logs ${where}`, logs, expectedLogs)
}

const checkInternal = (
  block: Block,
  transaction: Transaction,
  text: string | null,
  { hasTraces, stored }: Pick<Setting, "hasTraces" | "stored">,
): void => {
  const where = `the internal calls of ${transaction.hash} in block ${format(block)}`
  if (text === null) return hasTraces ? fail(`${where} were not stored`) : undefined
  const rows = JSON.parse(text) as ReadonlyArray<Readonly<Record<string, unknown>>> | null
  const expected = stored(block, transaction)
  if (rows === null) return expected === "always" ? fail(`${where} are a gap, and nodes can trace them`) : undefined
  if (expected === "never") return fail(`${where} were stored, and are too many`)
  const storedCalls = rows.map((row) => [row["type"], row["from"], row["to"], row["value"], row["error"] !== undefined])
  isEqual(where, storedCalls, NodeResponse.internal(block, transaction))
  for (const row of rows) isEqual(`the block of ${where}`, row["block_hash"], block.hash)
}

const gasPrice = 8n

/** Compares the facts of a block, which state the gas fees of all its transactions if none is missing. */
const checkFacts = (
  block: Block,
  { gasFees, transactions }: StoredRows.StoredFacts,
  rows: ReadonlyArray<StoredRows.StoredRow>,
): void => {
  const indexes = transactions.map(({ index }) => index)
  isEqual(
    `the transactions of the facts of block ${format(block)}`,
    indexes,
    rows.map(({ index }) => index),
  )
  const fees = block.transactions.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed) * gasPrice, 0n)
  const expected = rows.length < block.transactions.length ? null : fees.toString()
  isEqual(`the gas fees of block ${format(block)}`, gasFees, expected)
}

/** Creates the model of a store that may not exist yet. */
export const make = (setting: Setting): Model => {
  const { starts, tree } = setting
  const lines = new Map<string, Block>()
  const lists = new Map<Block, Lists>()
  const versions: Array<Version> = [{ head: null, first: starts.highest, finalized: null, lacks: () => false }]
  const storedAt = new Map<string, number>()
  let read: Reading | undefined
  let fingerprint = ""

  const open = () => {
    const rows = read?.rows ?? setting.rows()
    if (rows === undefined) return undefined
    return (read ??= { rows, ledgers: LedgerModel.make(rows) })
  }

  /** Block of a line in the list of blocks. */
  const blockOf = (line: string): Block => {
    const known = lines.get(line)
    if (known !== undefined) return known
    const [number, hash = "", parentHash, timestamp] = line.split(":")
    const block = tree.byHash.get(hash)
    if (block === undefined) return fail(`block ${number} (${hash}) was never in the world`)
    isEqual(`the number of block ${hash}`, number, String(block.number))
    isEqual(`the time of block ${format(block)}`, timestamp, String(block.timestamp))
    isEqual(`the parent of block ${format(block)}`, parentHash, block.parent?.hash ?? `0x${"0".repeat(64)}`)
    lines.set(line, block)
    return block
  }

  const checkBlocks = (list: string, first: number): Block | null => {
    let head: Block | null = null
    for (const [at, line] of list.split(" ").filter(Boolean).entries()) {
      const block = blockOf(line)
      isEqual("the number of a block", block.number, first + at)
      if (at > 0 && block.parent !== head) fail(`block ${format(block)} does not extend block ${format(head!)}`)
      head = block
    }
    return head
  }

  /** Compares the lists of transactions, appearances and facts with the expected ones of a chain. */
  const checkLists = ({ rows }: Reading, chain: ReadonlyArray<Block>, { blocks, lacks }: Missing): void => {
    const expected = chain.map((block) => {
      if (blocks.has(block.number)) return listsOf(block, lacks)
      const known = lists.get(block) ?? listsOf(block, () => false)
      lists.set(block, known)
      return known
    })
    const numbers = chain.map(({ number }) => number)
    const entries = expected.flatMap((list) => list.entries).join(" ")
    isEqual("the list of blocks with facts", rows.factBlocks(), numbers.join(" "))
    isEqual("the list of transactions", rows.positions(), expected.flatMap(({ positions }) => positions).join(" "))
    for (const copy of rows.histories()) isEqual("the list of appearances", copy, entries)
  }

  const checkTexts = (block: Block, rows: ReadonlyArray<StoredRows.StoredRow>, lacks: Version["lacks"]): void => {
    const rowOf = new Map(rows.map((row) => [row.index, row]))
    const untraced = block.transactions
      .filter((_, index) => rowOf.get(index)?.internal === "null")
      .map(({ hash }) => hash)
    const gaps = read!.rows.untraced(block.number)
    isEqual(`the gaps of block ${format(block)}`, gaps.toSorted(), untraced.toSorted())
    checkFacts(block, read!.rows.factsOf(block.number), rows)
    let logs = 0
    for (const [index, transaction] of block.transactions.entries()) {
      const row = rowOf.get(index)
      if (row === undefined && !lacks(block, transaction))
        fail(`transaction ${transaction.hash} of ${format(block)} has no row`)
      if (row !== undefined) {
        checkBody(block, transaction, index, row.body, logs)
        checkInternal(block, transaction, row.internal, setting)
      }
      logs += transaction.logs.length
    }
  }

  /** Transactions that are missing because no node had their receipts, which is verified for each. */
  const readMissing = (): Missing => {
    const rows = read!.rows.missing()
    const missing = new Set(rows.map(([block, transaction]) => `${block} ${transaction}`))
    const blocks = new Set(rows.map(([block]) => block))
    return { blocks, lacks: ({ number }, { hash }) => blocks.has(number) && missing.has(`${number} ${hash}`) }
  }

  /** Verifies the first block of a store: a configured one, or one in between while blocks are prepended. */
  const checkFirst = (before: Version, { first, head }: Pick<Version, "first" | "head">): void => {
    if (first < starts.lowest || first > starts.highest) fail(`the first block is ${first}`)
    if (head === null || before.head === null || first === before.first) return
    if (first > before.first) fail(`the first block went from ${before.first} to ${first}`)
    setting.count("blocks are stored below the first one")
  }

  const checkUnwound = (before: Version, after: Pick<Version, "first" | "head">): void => {
    const kept = new Set(chainOf(after.head, after.first))
    const removed = chainOf(before.head, before.first).filter((block) => !kept.has(block))
    const [lowest] = removed
    if (lowest === undefined) return
    const since = storedAt.get(lowest.hash) ?? 0
    for (const block of removed) storedAt.delete(block.hash)
    if (setting.isContradicted(lowest, since)) return
    fail(`block ${format(lowest)} and those above it were removed, but no node returned another block of that number`)
  }

  /** Whether the ledgers of all blocks are derived with the current revision. */
  let isDerived = false

  const checkLedgers = (reading: Reading, chain: ReadonlyArray<Block>, lacks: Version["lacks"]): void => {
    const [revision, next] = reading.rows.derived() ?? [0, null]
    const head = chain.at(-1)?.number ?? -1
    isDerived = revision === setting.revision() && (next === null ? head < 0 : next > head)
    reading.ledgers.check({ chain, lacks, derivedBelow: next ?? 0 })
  }

  const compare = (mode: "new" | "all"): void => {
    const reading = open()
    const row = reading?.rows.checkpoint()
    if (reading === undefined || row === undefined) return
    const print = JSON.stringify(row)
    if (mode === "new" && print === fingerprint) return
    fingerprint = print
    const before = versions.at(-1)!
    const first = row.first ?? starts.highest
    const head = checkBlocks(reading.rows.blocks(), first)
    checkFirst(before, { head, first })
    const chain = chainOf(head, first)
    const checkpoint = [row.first, row.number, row.hash, row.timestamp]
    const expected = head === null ? [null, null, null, null] : [first, head.number, head.hash, head.timestamp]
    isEqual("the checkpoint", checkpoint, expected)

    const missing = readMissing()
    const { lacks } = missing
    for (const block of chain.filter(({ number }) => missing.blocks.has(number))) {
      const wrong = block.transactions.find((transaction) => lacks(block, transaction) && !setting.mayLack(transaction))
      if (wrong !== undefined) fail(`the receipt of ${wrong.hash} is a gap, and nodes have it`)
    }
    checkLedgers(reading, chain, lacks)
    if (mode === "all") reading.ledgers.checkAmounts({ chain, lacks })
    checkLists(reading, chain, missing)
    for (const block of chain) {
      if (mode === "new" && storedAt.has(block.hash)) continue
      checkTexts(block, reading.rows.ofBlock(block.number), lacks)
    }

    const { finalized } = row
    if ((before.finalized ?? -1) > (finalized ?? -1))
      fail(`the final block went from ${before.finalized} to ${finalized}`)
    const highest = setting.finalized()
    if (finalized !== null && (highest === null || finalized > highest)) {
      fail(`block ${finalized} is stored as final; the nodes have finalized ${highest}`)
    }
    checkUnwound(before, { head, first })
    const now = setting.now()
    const kept = new Set(chainOf(before.head, before.first))
    for (const block of chain) if (!kept.has(block)) storedAt.set(block.hash, now)
    const isNew = head !== before.head || first !== before.first || finalized !== before.finalized
    if (isNew) versions.push({ head, first, finalized, lacks })
  }

  return {
    check: () => compare("new"),
    checkAll: () => compare("all"),
    versions,
    isDerived: () => isDerived,
  }
}
