/** The home page: the chains of the service, and the latest blocks and transactions of the selected chain. */
import { lazy, Suspense } from "react"
import { useLatestBlocks } from "../blocks/useLatestBlocks.ts"
import { useDrawn } from "../display/useDrawn.ts"
import { ErrorNotice, Page, Panel, Skeleton } from "../display/Page.tsx"
import { Link } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { useService } from "../service/Service.tsx"
import { ChainCards } from "./home/ChainCards.tsx"
import { BlockTable, BlockTime, TransactionTable } from "./home/LatestTables.tsx"
import { WatchPanel } from "./home/WatchPanel.tsx"

const GasChart = lazy(async () => ({ default: (await import("../charts/GasChart.tsx")).GasChart }))

const Latest = ({ blocks }: Pick<ReturnType<typeof useLatestBlocks>, "blocks">) => {
  const head = blocks.find(({ isReverted }) => !isReverted)?.block.number
  const isDrawn = useDrawn(blocks.length > 0)
  return (
    <>
      <div className="columns latest">
        <Panel title="Latest blocks" actions={<BlockTime blocks={blocks} />}>
          {blocks.length === 0 ? <Skeleton label="blocks" rows={12} /> : <BlockTable blocks={blocks} />}
        </Panel>
        <Panel title="Latest transactions">
          {blocks.length === 0 ? <Skeleton label="transactions" rows={12} /> : <TransactionTable blocks={blocks} />}
        </Panel>
      </div>
      <Panel title="Gas">
        {head === null || head === undefined || !isDrawn ? (
          <Skeleton label="gas" rows={5} />
        ) : (
          <Suspense fallback={<Skeleton label="gas" rows={5} />}>
            <GasChart head={head} />
          </Suspense>
        )}
      </Panel>
    </>
  )
}

export const HomePage = () => {
  const { chain, sendsWebhooks } = useService()
  const { blocks, error } = useLatestBlocks()
  return (
    <Page
      title={chain.name}
      heading="Chains"
      actions={sendsWebhooks ? <Link to={Paths.webhooks}>Webhooks</Link> : null}
    >
      <ChainCards />
      <WatchPanel />
      {error !== null && blocks.length === 0 ? <ErrorNotice error={error} /> : <Latest blocks={blocks} />}
    </Page>
  )
}
