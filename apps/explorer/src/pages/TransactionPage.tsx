/** The page of a transaction: what it did, an overview, what moved, and details, whose code is loaded once the overview is drawn. */
import type { WalletTransaction } from "@daybook/rest/promise"
import type { CallFrame, Receipt, RpcClient } from "@daybook/rpc/promise"
import { Suspense, useRef } from "react"
import { formatInteger } from "../display/Numbers.ts"
import { ErrorNotice, Notice, Page, Panel, Skeleton } from "../display/Page.tsx"
import { useDrawn } from "../display/useDrawn.ts"
import * as RowSearch from "../history/RowSearch.ts"
import { Failure } from "../layout/Fallback.tsx"
import { lazyPage } from "../navigation/lazyPage.tsx"
import { Link } from "../navigation/Navigation.tsx"
import { PageBoundary } from "../navigation/PageBoundary.tsx"
import * as Paths from "../navigation/Paths.ts"
import { useRest, useRpc, useService } from "../service/Service.tsx"
import { Headline } from "./transaction/Headline.tsx"
import { Changes } from "./transaction/Moved.tsx"
import { type Known, Overview } from "./transaction/Overview.tsx"
import * as Replay from "./transaction/Replay.ts"
import { Sections } from "./transaction/Sections.tsx"
import { useReason } from "./transaction/useReason.ts"
import { useTrace } from "./transaction/useTrace.ts"

const Details = lazyPage(async () => (await import("./transaction/Details.tsx")).Details)

const pollMillis = 2_000

const readKnown = async (client: RpcClient, hash: string): Promise<Known | null> => {
  const [transaction, receipt] = await Promise.all([
    client.eth_getTransactionByHash(hash),
    client.eth_getTransactionReceipt(hash),
  ])
  if (transaction === null) return null
  const block = receipt === null ? null : await client.eth_getBlockByHash(receipt.blockHash)
  return { transaction, receipt, block }
}

/**
 * The transaction as indexed by the service, with decoded items and labels; `null` if it is not indexed. The node has a block before the
 * service does, including after a reorg, so the row is polled until it is found.
 */
const useRow = ({ receipt, transaction: { from, hash } }: Known) =>
  useRest<WalletTransaction | null>(
    ["row", hash, receipt?.blockHash],
    async (client, chain, signal) => {
      if (receipt === null) return null
      const place = { hash, sender: from, block: receipt.blockNumber, blockHash: receipt.blockHash }
      return RowSearch.findInBlock(client, place, { chain }, signal)
    },
    { enabled: receipt !== null, everyMillis: (row) => (row === null ? pollMillis : false) },
  )

/** The outermost call of a failed transaction: from its trace, otherwise by executing it again on the state before its block. */
const useFailure = ({ receipt, transaction }: Known): CallFrame | undefined => {
  const { hash } = transaction
  const key = [hash, receipt?.blockHash]
  const isFailed = receipt?.status === 0
  // Read for every transaction, while the code that shows it is loading.
  const traced = useTrace(hash, receipt?.blockHash)
  const isSilent = traced.error !== null || (traced.data !== undefined && Replay.isWithoutReason(traced.data))
  const repeated = useRpc(
    ["repeated", ...key],
    (client) => Replay.read(client, transaction, receipt?.blockNumber ?? 0n),
    {
      enabled: isFailed && isSilent,
    },
  )
  return isFailed ? (repeated.data ?? traced.data) : undefined
}

interface MovedPanelProps {
  readonly known: Known
  readonly receipt: Receipt
  /** `null` if the service has not indexed it; undefined until that is known. */
  readonly row: WalletTransaction | null | undefined
}

/** Shows what the transaction moved for each of its parties. */
const MovedPanel = ({ known: { transaction }, receipt, row }: MovedPanelProps) => {
  const parties = [transaction.from, transaction.to, receipt.contractAddress].filter(
    (address, at, all) => address !== null && address !== undefined && all.indexOf(address) === at,
  ) as ReadonlyArray<string>
  return (
    <Panel id="moved" title="What moved">
      {row === null ? (
        <p className="empty">The service has not indexed this transaction. What it moved appears here once it has.</p>
      ) : (
        <Changes
          parties={parties}
          labels={
            new Map([
              [transaction.from, row?.from_address_label],
              [transaction.to ?? "", row?.to_address_label],
            ])
          }
          block={receipt.blockNumber}
          blockHash={receipt.blockHash}
          hash={transaction.hash}
          isIndexed={row !== undefined}
        />
      )}
    </Panel>
  )
}

const details = (
  <Panel title="Details">
    <Skeleton label="the details" rows={10} />
  </Panel>
)

const Contents = ({ known }: { readonly known: Known }) => {
  const { receipt, transaction } = known
  const { data: row, error } = useRow(known)
  const failure = useFailure(known)
  const reason = useReason(failure)
  const place = {
    block: receipt?.blockNumber ?? 0n,
    blockHash: receipt?.blockHash ?? "",
    hash: transaction.hash,
    isIndexed: row !== null && row !== undefined,
  }
  const isDrawn = useDrawn(true)
  return (
    <>
      {receipt === null || (row === undefined && error === null) ? null : (
        <Headline {...known} receipt={receipt} call={row?.decoded_call ?? null} reason={reason} place={place} />
      )}
      {receipt === null ? null : <Sections transaction={transaction} receipt={receipt} />}
      <Panel title="Overview">
        <Overview {...known} reason={reason} labels={{ from: row?.from_address_label, to: row?.to_address_label }} />
      </Panel>
      {receipt === null ? null : <MovedPanel known={known} receipt={receipt} row={row} />}
      {isDrawn || Details.isLoaded() ? (
        <PageBoundary show={(failed) => <Failure error={failed} />}>
          <Suspense fallback={details}>
            <Details known={known} row={row} error={error} failure={failure} />
          </Suspense>
        </PageBoundary>
      ) : (
        details
      )}
    </>
  )
}

const Missing = () => {
  const { chain } = useService()
  return (
    <Notice title="No transaction has this hash">
      <p>
        The node of {chain.name} does not know it: it may not have arrived yet, may have been replaced by another one
        with the same nonce, or may belong to another chain. It appears here once the node has it.{" "}
        <Link to={Paths.home}>See the latest transactions.</Link>
      </p>
    </Notice>
  )
}

/** Notice that a reorg replaced the block of a transaction while it was on screen. */
const Reverted = ({ now, seen }: { readonly seen: Known; readonly now: Known | null }) => (
  <Notice title="Reverted: a reorg replaced the block of this transaction" tone="warning">
    <p>
      It was in block {seen.receipt === null ? "" : formatInteger(seen.receipt.blockNumber)}.{" "}
      {now === null
        ? "It is no longer part of the chain; this page shows it as it was."
        : now.receipt === null
          ? "It is pending again."
          : `It is in block ${formatInteger(now.receipt.blockNumber)} now.`}
    </p>
  </Notice>
)

const Found = ({ hash }: { readonly hash: string }) => {
  const { data, error, refetch } = useRpc(["transaction", hash], (client) => readKnown(client, hash), {
    isLive: true,
    everyMillis: (known) => (known === null ? pollMillis : false),
  })
  const first = useRef<Known | null>(null)
  const last = useRef<Known | null>(null)
  if (data !== undefined && data !== null) {
    if (data.receipt !== null) first.current ??= data
    // Keeps the identity of the values while the block is unchanged, so that the page is not drawn again.
    if (last.current === null || last.current.receipt?.blockHash !== data.receipt?.blockHash) last.current = data
  }
  const shown = last.current
  if (shown === null) {
    if (data === null) return <Missing />
    return error === null ? (
      <Skeleton label="the transaction" rows={14} />
    ) : (
      <ErrorNotice error={error} onRetry={refetch} />
    )
  }
  const seen = first.current
  const isReverted =
    seen !== null && data !== undefined && (data === null || data.receipt?.blockHash !== seen.receipt?.blockHash)
  return (
    <>
      {isReverted ? <Reverted seen={seen} now={data} /> : null}
      <div className="stack" data-reverted={data === null}>
        <Contents known={shown} />
      </div>
    </>
  )
}

export const TransactionPage = ({ hash }: { readonly hash: string }) => {
  return (
    <Page title={`Transaction ${hash.slice(0, 10)}`} heading="Transaction">
      {/^0x[0-9a-f]{64}$/i.test(hash) ? (
        <Found key={hash} hash={hash.toLowerCase()} />
      ) : (
        <Notice title="This is not the hash of a transaction" tone="bad">
          <p>A hash has 64 digits after 0x.</p>
        </Notice>
      )}
    </Page>
  )
}
