/** Gas used and base fee of the latest blocks. */
import type { FeeHistory } from "@daybook/rpc/promise"
import { useMemo, useRef } from "react"
import { BlockLink } from "../display/Links.tsx"
import { ErrorNotice, Skeleton } from "../display/Page.tsx"
import { Gwei } from "../display/Values.tsx"
import { useRpc } from "../service/Service.tsx"
import { LineChart } from "./LineChart.tsx"

/** Blocks of the chart. */
const maxBlocks = 100

const percent = (ratio: number): string => `${Math.round(ratio * 1_000) / 10}%`

const gwei = (height: number): string => `${height} gwei`

const Charts = ({ history }: { readonly history: FeeHistory }) => {
  const ratios = history.gasUsedRatio ?? []
  const fees = history.baseFeePerGas ?? []
  const [gas, fee] = useMemo(() => {
    const numbers = ratios.map((_, at) => Number(history.oldestBlock) + at)
    const shared = {
      xs: numbers,
      xName: "Block",
      xAt: (at: number) => <BlockLink number={numbers[at] ?? 0} />,
    }
    return [
      {
        ...shared,
        label: `Share of the gas limit used, last ${ratios.length} blocks`,
        series: [
          {
            name: "Gas used",
            heights: ratios,
            isBar: true,
            exactAt: (at: number) => `${(ratios[at] ?? 0) * 100}%`,
            format: percent,
          },
        ],
      },
      {
        ...shared,
        label: `Base fee, last ${ratios.length} blocks`,
        series: [
          {
            name: "Base fee",
            heights: ratios.map((_, at) => Number(fees[at] ?? 0n) / 1e9),
            isStepped: true,
            exactAt: (at: number) => <Gwei wei={fees[at] ?? 0n} />,
            format: gwei,
          },
        ],
      },
    ]
    // The history is a new object for each head.
  }, [history])
  return (
    <div className="columns">
      <LineChart {...gas} />
      {fees.length === 0 ? null : <LineChart {...fee} />}
    </div>
  )
}

export const GasChart = ({ head }: { readonly head: bigint }) => {
  const count = head + 1n < BigInt(maxBlocks) ? Number(head) + 1 : maxBlocks
  const { data, error } = useRpc(["fees", String(head)], (client) => client.eth_feeHistory(count, "latest", []))
  // The chart of the previous head stays until the data of the new one is loaded.
  const shown = useRef(data)
  if (data !== undefined) shown.current = data
  if (shown.current !== undefined) return <Charts history={shown.current} />
  return error === null ? <Skeleton label="gas" rows={5} /> : <ErrorNotice error={error} />
}
