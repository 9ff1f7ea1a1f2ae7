/** Transactions of an address: all that it took part in, or only those that it sent or received itself. */
import type { ServedChain } from "@daybook/rest/ExplorerClient"
import type { WalletTransaction } from "@daybook/rest/promise"
import { fee } from "@daybook/rest/promise"
import { useCallback } from "react"
import { AddressLink, BlockLink, TransactionLink } from "../../display/Links.tsx"
import { Badge } from "../../display/Page.tsx"
import { Ether, Time } from "../../display/Values.tsx"
import { DownloadMenu } from "../../download/DownloadMenu.tsx"
import { useHistory } from "../../history/useHistory.ts"
import { VirtualRows } from "../../history/VirtualRows.tsx"
import { Method } from "../../names/Method.tsx"
import * as Clients from "../../service/Clients.ts"
import { useService } from "../../service/Service.tsx"
import { Choice, DayRange, datesOf, Toolbar, useAddressSearch } from "./Filters.tsx"
import { NotIndexed } from "./NotIndexed.tsx"
import { useStart } from "./useStart.ts"

const columns = [
  { name: "Transaction" },
  { name: "Method" },
  { name: "Block" },
  { name: "Age" },
  { name: "From" },
  { name: "In/out" },
  { name: "To" },
  { name: "Value", isNumeric: true },
  { name: "Fee", isNumeric: true },
]

const keyOf = (row: WalletTransaction): string => row.hash

/** Interval at which new rows are requested. */
const follow = "1 second"

const directionOf = (row: WalletTransaction, address: string): "in" | "out" | "self" | "other" => {
  if (row.from_address === address) return row.to_address === address ? "self" : "out"
  return row.to_address === address || row.receipt_contract_address === address ? "in" : "other"
}

interface PartyProps {
  readonly row: WalletTransaction
  /** The address whose page is open. */
  readonly address: string
}

const Direction = ({ address, row }: PartyProps) => {
  const direction = directionOf(row, address)
  const roles = row.roles?.join(", ").replaceAll("_", " ")
  return (
    <Badge
      tone={direction === "in" ? "in" : direction === "out" ? "out" : "neutral"}
      {...(roles === undefined ? {} : { hint: roles })}
    >
      {direction}
    </Badge>
  )
}

const Sender = ({ address, row }: PartyProps) => (
  <AddressLink address={row.from_address} label={row.from_address_label} isCurrent={row.from_address === address} />
)

const Recipient = ({ address, row }: PartyProps) => {
  const { to_address: to, to_address_label: toLabel } = row
  if (to === null || to === undefined) {
    const created = row.receipt_contract_address
    return created === null || created === undefined ? (
      "new contract"
    ) : (
      <AddressLink address={created} isCurrent={created === address} />
    )
  }
  return <AddressLink address={to} label={toLabel} isCurrent={to === address} />
}

const cellsOf = (row: WalletTransaction, isReverted: boolean, address: string, { chainId }: ServedChain) => [
  <>
    {isReverted ? (
      <code className="hash" title={row.hash}>{`${row.hash.slice(0, 8)}…`}</code>
    ) : (
      <TransactionLink hash={row.hash} />
    )}{" "}
    {isReverted ? (
      <Badge tone="bad" hint="A reorg replaced the block of this transaction.">
        reverted
      </Badge>
    ) : row.receipt_status === 0 ? (
      <Badge tone="bad">failed</Badge>
    ) : null}
  </>,
  <Method to={row.to_address} input={row.input} decoded={row.decoded_call} />,
  <BlockLink number={row.block_number} />,
  <Time time={row.block_timestamp} />,
  <Sender row={row} address={address} />,
  <Direction row={row} address={address} />,
  <Recipient row={row} address={address} />,
  <Ether amount={row.value} />,
  row.from_address === address ? <Ether amount={fee(row, { chain: chainId }).total} /> : null,
]

export const TransactionsTab = ({ address }: { readonly address: string }) => {
  const { apiKey, chain } = useService()
  const [search, change] = useAddressSearch()
  const start = useStart()
  const { from, order, scope, to } = search
  const isFiltered = from !== undefined || to !== undefined
  const isLive = !isFiltered && order === undefined
  const base = { address, scope: scope ?? "all", ...datesOf(search) } as const
  const key = start === undefined ? null : ["transactions", address, scope, order, from, to].join(" ")
  const history = useHistory<WalletTransaction>(key, (client, name) => {
    const boundary = start?.boundary ?? null
    const query = { ...base, chain: name }
    const past = isLive && boundary !== null ? { ...query, to_block: boundary } : query
    return {
      boundary,
      keyOf,
      blockOf: (row) => row.block_number,
      first:
        isLive && boundary === null
          ? null
          : (signal) => client.walletTransactions({ ...past, order: order ?? "DESC" }, { signal }),
      follow: isLive
        ? (signal) =>
            client.walletTransactionsStream(
              { ...query, from_block: boundary === null ? undefined : boundary + 1 },
              { follow, onStaleCursor: "restart", signal },
            )
        : null,
    }
  })
  const cells = useCallback(
    (row: WalletTransaction, isReverted: boolean) => cellsOf(row, isReverted, address, chain),
    [address, chain],
  )
  return (
    <>
      <Toolbar
        downloads={
          <DownloadMenu
            name={`${chain.name}-${address}-transactions`}
            table="transactions"
            rows={async (signal) =>
              (await Clients.rest(apiKey)).walletTransactionsStream(
                { ...base, chain: chain.name, order: order ?? "DESC" },
                { signal },
              )
            }
          />
        }
      >
        <Choice
          label="Show"
          value={scope ?? ""}
          options={[
            ["", "every role"],
            ["direct", "sent and received"],
          ]}
          onChange={(value) => change({ scope: value === "direct" ? value : undefined })}
        />
        <Choice
          label="Order"
          value={order ?? ""}
          options={[
            ["", "newest first"],
            ["ASC", "oldest first"],
          ]}
          onChange={(value) => change({ order: value === "ASC" ? value : undefined })}
        />
        <DayRange />
      </Toolbar>
      <VirtualRows
        label="Transactions"
        layout="transactions"
        columns={columns}
        history={history}
        keyOf={keyOf}
        cells={cells}
        empty={<NotIndexed what="transactions" isFiltered={isFiltered} />}
      />
    </>
  )
}
