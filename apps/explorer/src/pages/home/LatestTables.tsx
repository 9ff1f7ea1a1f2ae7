/** Tables of the latest blocks and transactions. Rows of blocks that a reorg replaced are marked. */
import type { HydratedBlock } from "@daybook/rpc/promise"
import type { Entry, LatestBlocks } from "../../blocks/LatestBlocks.ts"
import { kindOf } from "../../blocks/TransactionKind.ts"
import { Gauge } from "../../display/Gauge.tsx"
import { AddressLink, BlockLink, TransactionLink } from "../../display/Links.tsx"
import { Badge, TableBox } from "../../display/Page.tsx"
import { Amount, Count, fromSeconds, Time } from "../../display/Values.tsx"
import { useService } from "../../service/Service.tsx"

/** Transactions that are shown. */
const maxTransactions = 12

type Blocks = LatestBlocks<HydratedBlock>

const Reverted = () => (
  <Badge tone="bad" hint="A reorg replaced this block: it is no longer part of the chain.">
    reverted
  </Badge>
)

const BlockRow = ({ block, isReverted }: Entry<HydratedBlock>) => (
  <tr data-reverted={isReverted} data-hash={block.hash}>
    <td>
      {block.number === null ? null : isReverted ? (
        <span title={block.hash ?? ""}>
          <Count value={block.number} />
        </span>
      ) : (
        <BlockLink number={block.number} />
      )}{" "}
      {isReverted ? <Reverted /> : null}
    </td>
    <td>
      <Time time={fromSeconds(block.timestamp)} />
    </td>
    <td className="numeric">
      <Count value={block.transactions.length} />
    </td>
    <td className="numeric">
      <Gauge part={block.gasUsed} whole={block.gasLimit} label={`Gas used of block ${block.number}`} />
    </td>
  </tr>
)

export const BlockTable = ({ blocks }: { readonly blocks: Blocks }) => (
  <TableBox label="Latest blocks">
    <table>
      <thead>
        <tr>
          <th scope="col">Block</th>
          <th scope="col">Age</th>
          <th scope="col" className="numeric">
            Transactions
          </th>
          <th scope="col" className="numeric">
            Gas used
          </th>
        </tr>
      </thead>
      <tbody>
        {blocks.map((entry) => (
          <BlockRow key={entry.block.hash} {...entry} />
        ))}
      </tbody>
    </table>
  </TableBox>
)

interface Row {
  readonly transaction: HydratedBlock["transactions"][number]
  readonly isReverted: boolean
}

/** The newest transactions; one of a reverted block only where no block of the chain has it. */
const rowsOf = (blocks: Blocks): ReadonlyArray<Row> => {
  const current = new Set(
    blocks.flatMap(({ block, isReverted }) => (isReverted ? [] : block.transactions.map(({ hash }) => hash))),
  )
  return blocks
    .flatMap(({ block, isReverted }) =>
      block.transactions
        .filter(({ hash }) => !isReverted || !current.has(hash))
        .toReversed()
        .map((transaction) => ({ transaction, isReverted })),
    )
    .slice(0, maxTransactions)
}

const TransactionRow = ({ isReverted, transaction }: Row) => {
  const { currency } = useService().chain
  const { from, hash, to, value } = transaction
  return (
    <tr data-reverted={isReverted} data-hash={hash}>
      <td>
        <TransactionLink hash={hash} /> {isReverted ? <Reverted /> : null}
      </td>
      <td>
        <code className="method">{kindOf(transaction)}</code>
      </td>
      <td>
        <AddressLink address={from} />{" "}
        <span className="arrow" role="img" aria-label="to">
          →
        </span>{" "}
        {to === null || to === undefined ? "new contract" : <AddressLink address={to} />}
      </td>
      <td className="numeric">
        <Amount amount={value ?? 0n} decimals={currency.decimals} symbol={currency.symbol} />
      </td>
    </tr>
  )
}

export const TransactionTable = ({ blocks }: { readonly blocks: Blocks }) => {
  const rows = rowsOf(blocks)
  if (rows.length === 0) {
    return <p className="empty">No transactions in the latest blocks. New ones appear here by themselves.</p>
  }
  return (
    <TableBox label="Latest transactions">
      <table>
        <thead>
          <tr>
            <th scope="col">Transaction</th>
            <th scope="col">Method</th>
            <th scope="col">From and to</th>
            <th scope="col" className="numeric">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TransactionRow key={`${row.transaction.hash} ${row.isReverted}`} {...row} />
          ))}
        </tbody>
      </table>
    </TableBox>
  )
}
