/** Native balance and fees of an address over time, from its latest movements. */
import type { Movement, RestPromiseClient } from "@daybook/rest/promise"
import { useMemo } from "react"
import { LineChart } from "../../charts/LineChart.tsx"
import { formatAmount } from "../../display/Numbers.ts"
import { ErrorNotice, Notice, Panel, Skeleton } from "../../display/Page.tsx"
import { Amount, Time } from "../../display/Values.tsx"
import * as Clients from "../../service/Clients.ts"
import { useRest, useService } from "../../service/Service.tsx"
import { NotIndexed } from "./NotIndexed.tsx"

/** Maximum number of movements drawn. */
const maxRows = 1_000

/** Poll interval for the first movements of an address without any, in milliseconds. */
const pollMillis = 5_000

interface Point {
  readonly time: Date
  readonly balance: bigint
  /** Fees paid since the first point, including this one. */
  readonly fees: bigint
}

/** Points, oldest first, from movements, newest first, and the balance after the newest one. */
const pointsOf = (rows: ReadonlyArray<Movement>, held: bigint): ReadonlyArray<Point> => {
  const points: Array<Point> = []
  let balance = held
  let fees = rows.reduce((sum, { amount, kind }) => (kind === "fee" ? sum - amount : sum), 0n)
  for (const { amount, block_timestamp: time, kind } of rows) {
    points.push({ time, balance, fees })
    balance -= amount
    if (kind === "fee") fees += amount
  }
  return points.toReversed()
}

const useHistory = (address: string) => {
  const { apiKey } = useService()
  const read = async (client: RestPromiseClient, chain: string, signal: AbortSignal) => {
    const { block_number: block, result } = await client.balances({ address, chain, asset: "native" }, { signal })
    // Unlike sums of movements, the state of the chain includes holdings from before the first indexed block.
    const node = await Clients.rpc(chain, apiKey)
    const held = await node.eth_getBalance(address, block).catch(() => result[0]?.balance ?? 0n)
    const rows: Array<Movement> = []
    const query = { address, chain, asset: "native", to_block: block }
    for await (const row of client.movementsStream(query, { maxRows, signal })) rows.push(row)
    return { points: pointsOf(rows, held), isWhole: rows.length < maxRows }
  }
  return useRest(["chart", address], read, { everyMillis: (data) => (data?.points.length === 0 ? pollMillis : false) })
}

export const ChartsTab = ({ address }: { readonly address: string }) => {
  const { currency } = useService().chain
  const { data, error, refetch } = useHistory(address)
  const charts = useMemo(() => {
    const points = data?.points ?? []
    const { decimals, symbol } = currency
    const toHeight = (amount: bigint) => Number(amount) / 10 ** decimals
    const chart = (name: string, amountOf: (point: Point) => bigint) => ({
      label: `${name} after each of the last ${points.length} movements, in ${symbol}`,
      xs: points.map(({ time }) => time.getTime() / 1_000),
      xName: "Time",
      xAt: (at: number) => <Time time={points[at]?.time ?? new Date(0)} form="full" />,
      isTime: true,
      series: [
        {
          name,
          heights: points.map((point) => toHeight(amountOf(point))),
          isStepped: true,
          exactAt: (at: number) => {
            const point = points[at]
            return point === undefined ? null : <Amount amount={amountOf(point)} decimals={decimals} symbol={symbol} />
          },
          format: (height: number) => formatAmount(BigInt(Math.round(height * 1e6)), 6).text,
        },
      ],
    })
    return { balance: chart("Balance", ({ balance }) => balance), fees: chart("Fees", ({ fees }) => fees) }
  }, [currency, data])
  if (data === undefined) {
    return error === null ? <Skeleton label="charts" rows={10} /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  if (data.points.length === 0) {
    return (
      <div className="empty">
        <NotIndexed what="movements" isFiltered={false} />
      </div>
    )
  }
  return (
    <>
      {data.isWhole ? null : <Notice title={`Only the last ${maxRows} movements are drawn`} />}
      <Panel title="Balance">
        <LineChart {...charts.balance} />
      </Panel>
      <Panel title="Fees paid">
        <LineChart {...charts.fees} />
      </Panel>
    </>
  )
}
