/** Tables of the latest blocks and transactions. Rows of blocks that a reorg replaced are marked. */
import type { HydratedBlock } from "@daybook/rpc/promise"
import type { Entry, LatestBlocks } from "../../blocks/LatestBlocks.ts"
import { useReceipts } from "../../blocks/useReceipts.ts"
import { Gauge } from "../../display/Gauge.tsx"
import { AddressLink, BlockLink, TransactionLink } from "../../display/Links.tsx"
import { Badge } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, Ether, fromSeconds, Time } from "../../display/Values.tsx"
import { Method } from "../../names/Method.tsx"

/** Maximum number of transactions shown. */
const maxTransactions = 12

type Blocks = LatestBlocks<HydratedBlock>

/** Seconds of an average, with at most one decimal. */
const formatSeconds = (seconds: number): string => (Number.isInteger(seconds) ? String(seconds) : seconds.toFixed(1))

const Reverted = () => (
  <Badge tone="bad" hint="A reorg replaced this block: it is no longer part of the chain.">
    reverted
  </Badge>
)

const BlockNumber = ({ block, isReverted }: Entry<HydratedBlock>) => {
  if (block.number === null) return null
  if (!isReverted) return <BlockLink number={block.number} />
  return (
    <>
      <span title={block.hash ?? ""}>
        <Count value={block.number} />
      </span>{" "}
      <Reverted />
    </>
  )
}

const blockColumns: ReadonlyArray<Column<Entry<HydratedBlock>>> = [
  { name: "Block", cell: (entry) => <BlockNumber {...entry} /> },
  { name: "Age", cell: ({ block }) => <Time time={fromSeconds(block.timestamp)} /> },
  { name: "Transactions", isNumeric: true, cell: ({ block }) => <Count value={block.transactions.length} /> },
  {
    name: "Gas used",
    isNumeric: true,
    cell: ({ block }) => (
      <Gauge part={block.gasUsed} whole={block.gasLimit} label={`Gas used of block ${block.number}`} />
    ),
  },
]

export const BlockTable = ({ blocks }: { readonly blocks: Blocks }) => (
  <Table
    label="Latest blocks"
    columns={blockColumns}
    rows={blocks}
    keyOf={({ block }) => block.hash ?? ""}
    marksOf={({ block, isReverted }) => ({ "data-reverted": isReverted, "data-hash": block.hash })}
  />
)

/** Average time between two of these blocks. */
export const BlockTime = ({ blocks }: { readonly blocks: Blocks }) => {
  const times = blocks.filter(({ isReverted }) => !isReverted).map(({ block }) => Number(block.timestamp))
  const [newest, oldest] = [times[0], times.at(-1)]
  if (newest === undefined || oldest === undefined || times.length < 2) return null
  const seconds = (newest - oldest) / (times.length - 1)
  return (
    <span className="muted" title={`Over the last ${times.length} blocks`}>
      {seconds < 1 ? "under 1 s" : `every ${formatSeconds(seconds)} s`} on average
    </span>
  )
}

interface Row {
  readonly block: HydratedBlock
  readonly transaction: HydratedBlock["transactions"][number]
  readonly isReverted: boolean
}

/** The newest transactions. One from a reverted block is included only if no canonical block has it. */
const rowsOf = (blocks: Blocks): ReadonlyArray<Row> => {
  const current = new Set(
    blocks.flatMap(({ block, isReverted }) => (isReverted ? [] : block.transactions.map(({ hash }) => hash))),
  )
  return blocks
    .flatMap(({ block, isReverted }) =>
      block.transactions
        .filter(({ hash }) => !isReverted || !current.has(hash))
        .toReversed()
        .map((transaction) => ({ block, transaction, isReverted })),
    )
    .slice(0, maxTransactions)
}

/** Marks a failed transaction. Receipts of a replaced block are not read. */
const Failed = ({ block, transaction }: Row) => {
  const receipt = useReceipts(block)?.get(transaction.hash)
  return receipt?.status === 0 ? <Badge tone="bad">failed</Badge> : null
}

const transactionColumns: ReadonlyArray<Column<Row>> = [
  {
    name: "Transaction",
    cell: (row) => (
      <>
        <TransactionLink hash={row.transaction.hash} /> {row.isReverted ? <Reverted /> : <Failed {...row} />}
      </>
    ),
  },
  { name: "Method", cell: ({ transaction }) => <Method to={transaction.to} input={transaction.input} /> },
  {
    name: "From and to",
    cell: ({ transaction: { from, to } }) => (
      <>
        <AddressLink address={from} />{" "}
        <span className="arrow" role="img" aria-label="to">
          →
        </span>{" "}
        {to === null || to === undefined ? "new contract" : <AddressLink address={to} />}
      </>
    ),
  },
  {
    name: "Value",
    isNumeric: true,
    cell: ({ transaction: { value } }) => <Ether amount={value ?? 0n} />,
  },
]

export const TransactionTable = ({ blocks }: { readonly blocks: Blocks }) => {
  const rows = rowsOf(blocks)
  if (rows.length === 0) {
    return <p className="empty">No transactions in the latest blocks. New ones appear here automatically.</p>
  }
  return (
    <Table
      label="Latest transactions"
      columns={transactionColumns}
      rows={rows}
      keyOf={({ isReverted, transaction }) => `${transaction.hash} ${isReverted}`}
      marksOf={({ isReverted, transaction }) => ({ "data-reverted": isReverted, "data-hash": transaction.hash })}
    />
  )
}
