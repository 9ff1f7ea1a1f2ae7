/**
 * Input for deriving movements from a block, and the two adapters that provide it: from decoded node responses, and from stored texts of an
 * index. Both yield the same for a block. Pure.
 *
 * Source: decision 0048.
 */
import type { InternalTransactionWire } from "../block/InternalTransactions.ts"
import * as InternalTransactions from "../block/InternalTransactions.ts"
import * as BlockFacts from "../block/BlockFacts.ts"
import type { BlockRows } from "../block/BlockRows.ts"
import type { MinedBlock } from "../verification/MinedBlock.ts"
import * as GasPrice from "./GasPrice.ts"

/** A log. */
export interface SourceLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly logIndex: number
}

/** A call inside a transaction. */
export type SourceFrame = Pick<InternalTransactionWire, "type" | "from" | "to" | "value"> & {
  readonly isFailed: boolean
}

/** A transaction with its receipt. */
export interface SourceTransaction {
  readonly index: number
  readonly from: string
  readonly to: string | null
  /** Contract created at top level, even if the creation failed. */
  readonly created: string | null
  readonly value: bigint
  readonly gas: bigint
  readonly gasUsed: bigint
  readonly gasPrice: bigint
  /** 0 or 1; `null` before Byzantium. */
  readonly status: number | null
  readonly logs: ReadonlyArray<SourceLog>
  /** `null` if unknown. */
  readonly frames: ReadonlyArray<SourceFrame> | null
  /** `null` if unknown. */
  readonly facts: BlockFacts.TransactionFacts | null
}

/** A block. */
export interface LedgerSource {
  readonly number: number
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly transactions: ReadonlyArray<SourceTransaction>
  /** `null` if unknown. */
  readonly facts: BlockFacts.BlockFacts | null
}

const framesOf = (rows: InternalTransactions.TransactionRows | null | undefined): SourceTransaction["frames"] => {
  if (rows == null || InternalTransactions.isUntraced(rows)) return null
  return rows.map(({ error, from, to, type, value }) => ({ type, from, to, value, isFailed: error !== undefined }))
}

const byIndex = (facts: BlockFacts.BlockFacts | null): ReadonlyMap<number, BlockFacts.TransactionFacts> =>
  new Map(facts?.transactions.map((one) => [one.index, one]))

/** Parts of a block as received from a node. */
export interface Responses {
  readonly block: Pick<MinedBlock, "number" | "timestamp" | "baseFeePerGas">
  readonly executed: ReadonlyArray<BlockFacts.Executed>
  /** Internal transactions of each of them; `null` if traces are off. */
  readonly internal: InternalTransactions.Rows | null
  readonly facts: BlockFacts.BlockFacts | null
}

/** Number of topics of a log in a document. */
const maxTopics = 4

/** Contract in a receipt, unless it is the recipient: Hedera relays report the called contract. */
const createdOf = (contract: string | null, to: string | null): string | null => (contract === to ? null : contract)

/** Makes the source from decoded responses. */
export const fromResponses = ({ block, executed, facts, internal }: Responses): LedgerSource => {
  const own = byIndex(facts)
  return {
    number: Number(block.number),
    timestamp: Number(block.timestamp),
    facts,
    transactions: executed.map(({ receipt, transaction }, position) => ({
      index: receipt.transactionIndex,
      from: transaction.from,
      to: transaction.to ?? null,
      created: createdOf(receipt.contractAddress, transaction.to ?? null),
      value: transaction.value ?? 0n,
      gas: transaction.gas ?? 0n,
      gasUsed: receipt.gasUsed,
      gasPrice: GasPrice.effective(transaction, receipt, block.baseFeePerGas),
      status: receipt.status ?? null,
      logs: receipt.logs.map(({ address, data, logIndex, topics }) => ({
        address,
        data,
        topics: topics.length <= maxTopics ? topics : topics.slice(0, maxTopics),
        logIndex: logIndex ?? 0,
      })),
      frames: framesOf(internal?.[position]),
      facts: own.get(receipt.transactionIndex) ?? null,
    })),
  }
}

/** The fields read from a stored document. */
interface Document {
  readonly from_address: string
  readonly to_address: string | null
  readonly value: string
  readonly gas: string
  readonly gas_price: string
  readonly receipt_gas_used: string
  readonly receipt_contract_address: string
  readonly receipt_status: string
  readonly logs: ReadonlyArray<
    Readonly<Record<"address" | "data" | "topic0" | "topic1" | "topic2" | "topic3" | "log_index", string>>
  >
}

const fromDocument = (
  { body, index, internal }: BlockRows["transactions"][number],
  facts: BlockFacts.TransactionFacts | undefined,
): SourceTransaction => {
  // Sound: the assembler wrote the texts, and their checksums were verified on reading.
  const document = JSON.parse(body) as Document
  const frames = internal === null ? null : (JSON.parse(internal) as ReadonlyArray<InternalTransactionWire> | null)
  const { receipt_contract_address: contract, receipt_status: status, to_address: to } = document
  return {
    index,
    from: document.from_address,
    to,
    created: createdOf(contract === "" ? null : contract, to),
    value: BigInt(document.value),
    gas: BigInt(document.gas),
    gasUsed: BigInt(document.receipt_gas_used),
    gasPrice: BigInt(document.gas_price),
    status: status === "" ? null : Number(status),
    logs: document.logs.map(({ address, data, log_index, topic0, topic1, topic2, topic3 }) => ({
      address,
      data,
      topics: [topic0, topic1, topic2, topic3].filter((topic) => topic !== ""),
      logIndex: Number(log_index),
    })),
    frames: framesOf(frames),
    facts: facts ?? null,
  }
}

/** Makes the source from stored texts. */
export const fromRows = (block: BlockRows): LedgerSource => {
  const facts = block.facts === undefined ? null : BlockFacts.fromText(block.facts)
  const own = byIndex(facts)
  return {
    number: block.number,
    timestamp: block.timestamp,
    facts,
    transactions: block.transactions.map((row) => fromDocument(row, own.get(row.index))),
  }
}
