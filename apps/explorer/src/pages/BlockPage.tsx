/** The page of a block, by number or hash: its header, what was verified, its transactions and withdrawals. */
import type { HydratedBlock, RpcClient } from "@daybook/rpc/promise"
import { useRef } from "react"
import { formatInteger } from "../display/Numbers.ts"
import { Disclosure, ErrorNotice, Notice, Page, Panel, Skeleton } from "../display/Page.tsx"
import { Link } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { useRpc, useService } from "../service/Service.tsx"
import { BlockFacts } from "./block/BlockFacts.tsx"
import { BlockTransactions } from "./block/BlockTransactions.tsx"
import { Withdrawals } from "./block/Withdrawals.tsx"
import { RawJson } from "./transaction/RawJson.tsx"

/** A block by its hash, or by its number in digits. */
const readBlock = (client: RpcClient, id: string): Promise<HydratedBlock | null> =>
  id.startsWith("0x") && id.length === 66
    ? client.eth_getBlockByHash(id, true)
    : client.eth_getBlockByNumber(BigInt(id), true)

const isId = (id: string): boolean => /^(?:\d{1,20}|0x[0-9a-fA-F]{64})$/.test(id)

const Neighbours = ({ number }: { readonly number: bigint }) => (
  <nav className="pager" aria-label="Neighbouring blocks">
    {number === 0n ? null : (
      <Link to={Paths.block(number - 1n)} rel="prev" className="button">
        ← Previous
      </Link>
    )}
    <Link to={Paths.block(number + 1n)} rel="next" className="button">
      Next →
    </Link>
  </nav>
)

const Missing = ({ id }: { readonly id: string }) => {
  const { chain } = useService()
  return (
    <Notice
      title={id.startsWith("0x") ? "No block has this hash" : `There is no block ${formatInteger(BigInt(id))} yet`}
    >
      <p>
        {id.startsWith("0x")
          ? `The node of ${chain.name} does not know it: a reorg may have replaced it, or it belongs to another chain. `
          : `It appears here once ${chain.name} has it. `}
        <Link to={Paths.home}>See the latest blocks.</Link>
      </p>
    </Notice>
  )
}

/** Notice that a block was replaced while it was on screen. */
const Replaced = ({ block, now }: { readonly block: HydratedBlock; readonly now: HydratedBlock | null }) => (
  <Notice title="Reverted: this block is no longer part of the chain" tone="warning">
    <p>
      A reorg replaced block <code className="hash">{block.hash}</code>.{" "}
      {now?.hash === null || now === null ? null : (
        <>
          The block with this number is now{" "}
          <Link to={Paths.block(now.hash)}>
            <code className="hash">{now.hash}</code>
          </Link>
          .
        </>
      )}
    </p>
  </Notice>
)

const Contents = ({ block }: { readonly block: HydratedBlock }) => (
  <>
    <Panel title="Overview">
      <BlockFacts block={block} />
    </Panel>
    <Panel title={`Transactions (${formatInteger(block.transactions.length)})`}>
      <BlockTransactions block={block} />
    </Panel>
    {block.withdrawals === undefined || block.withdrawals === null || block.withdrawals.length === 0 ? null : (
      <Panel title={`Withdrawals (${formatInteger(block.withdrawals.length)})`}>
        <Withdrawals withdrawals={block.withdrawals} />
      </Panel>
    )}
    <Panel title="Raw">
      <Disclosure title="Show as JSON">
        <RawJson value={block} label="Block as JSON" />
      </Disclosure>
    </Panel>
  </>
)

const Found = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = useRpc(["block", id], (client) => readBlock(client, id), {
    isLive: true,
  })
  // The first block shown for this id, which a reorg may replace.
  const first = useRef<HydratedBlock | null>(null)
  first.current ??= data ?? null
  const seen = first.current
  const current = useRpc(
    ["block", String(seen?.number)],
    (client) => client.eth_getBlockByNumber(seen?.number ?? 0n, true),
    { enabled: seen !== null && seen.number !== null, isLive: true },
  ).data
  if (seen === null) {
    if (data === null) return <Missing id={id} />
    return error === null ? <Skeleton label="the block" rows={14} /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  const isReplaced = current !== undefined && current?.hash !== seen.hash
  return (
    <>
      {isReplaced ? <Replaced block={seen} now={current} /> : null}
      <div className="stack" data-reverted={isReplaced}>
        <Contents block={seen} />
      </div>
    </>
  )
}

export const BlockPage = ({ block: id }: { readonly block: string }) => {
  const isNumber = /^\d+$/.test(id)
  const found = useRpc(["block", id], (client) => readBlock(client, id), { enabled: !isNumber && isId(id) }).data
  const number = isNumber ? BigInt(id) : found?.number
  return (
    <Page
      title={isId(id) ? `Block ${id}` : "Block"}
      heading={
        <>
          Block{" "}
          {number !== undefined && number !== null ? (
            formatInteger(number)
          ) : isId(id) ? (
            <code className="hash">{id}</code>
          ) : null}
        </>
      }
      actions={number === undefined || number === null ? null : <Neighbours number={number} />}
    >
      {isId(id) ? (
        <Found key={id} id={id} />
      ) : (
        <Notice title="This is not a block" tone="bad">
          <p>A block has a number in digits, or a hash of 64 digits after 0x.</p>
        </Notice>
      )}
    </Page>
  )
}
