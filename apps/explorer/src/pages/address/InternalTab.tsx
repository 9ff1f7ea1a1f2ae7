/** Internal transactions that an address took part in. */
import type { RestPromiseClient, WalletTransaction } from "@daybook/rest/promise"
import { useCallback } from "react"
import { AddressLink, BlockLink, TransactionLink } from "../../display/Links.tsx"
import { Badge, Notice } from "../../display/Page.tsx"
import { Ether, Time } from "../../display/Values.tsx"
import { DownloadMenu } from "../../download/DownloadMenu.tsx"
import type { InternalRow } from "../../download/Tables.ts"
import type { PageOf } from "../../history/History.ts"
import { useHistory } from "../../history/useHistory.ts"
import { VirtualRows } from "../../history/VirtualRows.tsx"
import * as Clients from "../../service/Clients.ts"
import { codeOf } from "../../service/Errors.ts"
import { useService } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { isolated } from "../../text/VisibleText.ts"
import { Toolbar } from "./Filters.tsx"
import { NotIndexed } from "./NotIndexed.tsx"

const columns = [
  { name: "Transaction" },
  { name: "Type" },
  { name: "Block" },
  { name: "Age" },
  { name: "From" },
  { name: "To" },
  { name: "Value", isNumeric: true },
]

const keyOf = ({ index, transaction }: InternalRow): string => `${transaction.hash} ${index}`

/** The calls of a transaction that involve an address. */
const callsOf = (transaction: WalletTransaction, address: string): ReadonlyArray<InternalRow> =>
  (transaction.internal_transactions ?? []).flatMap((call, index) =>
    call.from === address || call.to === address ? [{ call, index, transaction }] : [],
  )

type Page = Awaited<ReturnType<RestPromiseClient["walletTransactions"]>>

/** Maximum number of pages without calls that are read in a row; then the user decides whether to continue. */
const maxEmpty = 20

/** Pages of transactions as one page of their calls. */
const toCalls = async (first: Page, address: string): Promise<PageOf<InternalRow>> => {
  let page = first
  let result = page.result.flatMap((row) => callsOf(row, address))
  for (let count = 0; result.length === 0 && count < maxEmpty; count++) {
    const next = await page.next()
    if (next === null) break
    page = next
    result = page.result.flatMap((row) => callsOf(row, address))
  }
  return {
    cursor: page.cursor ?? null,
    result,
    next: async () => {
      const next = await page.next()
      return next === null ? null : toCalls(next, address)
    },
  }
}

const queryOf = (address: string, chain: string) =>
  ({ address, chain, include: "internal_transactions", scope: "all" }) as const

async function* readAll(client: RestPromiseClient, address: string, chain: string, signal: AbortSignal) {
  const rows = client.walletTransactionsStream(queryOf(address, chain), { signal })
  for await (const row of rows) yield* callsOf(row, address)
}

const cellsOf = ({ call, transaction }: InternalRow, address: string) => [
  <>
    <TransactionLink hash={transaction.hash} />{" "}
    {call.error === null || call.error === undefined ? null : (
      <Badge tone="bad" hint={isolated(call.error)}>
        failed
      </Badge>
    )}
  </>,
  <Badge>
    <ForeignText text={call.type} />
  </Badge>,
  <BlockLink number={transaction.block_number} />,
  <Time time={transaction.block_timestamp} />,
  <AddressLink address={call.from} isCurrent={call.from === address} />,
  call.to === null || call.to === undefined ? (
    "none"
  ) : (
    <AddressLink address={call.to} isCurrent={call.to === address} />
  ),
  <Ether amount={call.value} />,
]

export const InternalTab = ({ address }: { readonly address: string }) => {
  const { apiKey, chain } = useService()
  const history = useHistory<InternalRow>(`internal ${address}`, (client, name) => ({
    boundary: null,
    keyOf,
    blockOf: ({ transaction }) => transaction.block_number,
    first: async (signal) => toCalls(await client.walletTransactions(queryOf(address, name), { signal }), address),
    follow: null,
  }))
  const cells = useCallback((row: InternalRow) => cellsOf(row, address), [address])
  if (codeOf(history.error) === "traces_not_indexed") {
    return (
      <Notice title="Internal transactions are not indexed on this chain">
        <p>The node of the service has no traces, or they are switched off in its configuration.</p>
      </Notice>
    )
  }
  return (
    <>
      <Toolbar
        downloads={
          <DownloadMenu
            name={`${chain.name}-${address}-internal`}
            table="internal"
            rows={async (signal) => readAll(await Clients.rest(apiKey), address, chain.name, signal)}
          />
        }
      />
      <VirtualRows
        label="Internal transactions"
        layout="internal"
        columns={columns}
        history={history}
        keyOf={keyOf}
        cells={cells}
        empty={<NotIndexed what="internal transactions" isFiltered={false} />}
      />
    </>
  )
}
