/** One transaction: overview, what moved, input, logs, trace and JSON. */
import * as InputText from "@daybook/abi/InputText"
import type { DecodedItem, WalletTransaction } from "@daybook/rest/promise"
import type { CallFrame, Receipt, RpcClient } from "@daybook/rpc/promise"
import { useRef } from "react"
import { byteLength, formatInteger } from "../display/Numbers.ts"
import { Disclosure, ErrorNotice, Notice, Page, Panel, Skeleton } from "../display/Page.tsx"
import { Bytes } from "../display/Values.tsx"
import * as RowSearch from "../history/RowSearch.ts"
import { Link } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { useRest, useRpc, useService } from "../service/Service.tsx"
import { Construction } from "./transaction/Construction.tsx"
import { Decoded } from "./transaction/Decoded.tsx"
import { Headline } from "./transaction/Headline.tsx"
import { Logs } from "./transaction/Logs.tsx"
import { Changes, TokenTransfers } from "./transaction/Moved.tsx"
import { type Known, Overview } from "./transaction/Overview.tsx"
import { RawJson } from "./transaction/RawJson.tsx"
import * as Replay from "./transaction/Replay.ts"
import { StateChanges } from "./transaction/StateChanges.tsx"
import { Trace } from "./transaction/Trace.tsx"
import { UserOperations } from "./transaction/UserOperations.tsx"
import { useReason } from "./transaction/useReason.ts"
import { WordsTable } from "./transaction/WordsTable.tsx"
import { ForeignText } from "../text/ForeignText.tsx"

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
 * The transaction as the service has it, with decoded items and labels; `null` where it is not indexed. The node has a block before the
 * service, also one that replaces another: the row is looked for until it is found.
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

/** The outermost call of a failed transaction: by its trace, else by executing it again on the state before its block. */
const useFailure = ({ receipt, transaction }: Known): CallFrame | undefined => {
  const { hash } = transaction
  const key = [hash, receipt?.blockHash]
  const isFailed = receipt?.status === 0
  const traced = useRpc(["trace", ...key], (client) => client.debug_traceTransaction(hash, { tracer: "callTracer" }), {
    enabled: isFailed,
  })
  const isSilent = traced.error !== null || (traced.data !== undefined && Replay.isWithoutReason(traced.data))
  const repeated = useRpc(
    ["repeated", ...key],
    (client) => Replay.read(client, transaction, receipt?.blockNumber ?? 0n),
    {
      enabled: isFailed && isSilent,
    },
  )
  return repeated.data ?? traced.data
}

/** The outermost call as the transaction has it, with its error where it failed. */
const outermostOf = (
  { from, gas, input, to, value }: Known["transaction"],
  { contractAddress, gasUsed }: Receipt,
  failure: CallFrame | undefined,
): CallFrame => ({
  ...failure,
  type: to === null || to === undefined ? "CREATE" : "CALL",
  from,
  to: to ?? contractAddress ?? null,
  input: input ?? "0x",
  value: value ?? null,
  gas: gas ?? null,
  gasUsed,
})

interface InputProps {
  readonly input: string
  readonly call: DecodedItem | null | undefined
  /** `null` for a creation. */
  readonly to: string | null | undefined
  /** The contract that it created. */
  readonly created: string | null | undefined
}

const Input = ({ call, created, input, to }: InputProps) => {
  const text = call === null || call === undefined ? InputText.fromHex(input) : undefined
  return (
    <>
      {call === null || call === undefined ? null : <Decoded item={call} address={to} />}
      {created === null || created === undefined ? null : <Construction address={created} input={input} />}
      {text === undefined ? null : (
        <p>
          As text: <ForeignText className="value" text={text} />
        </p>
      )}
      <Disclosure title={`Raw, ${formatInteger(byteLength(input))} bytes`} isOpen={call === null && text === undefined}>
        {to === null || to === undefined ? (
          <Bytes hex={input} label="input" />
        ) : (
          <WordsTable hex={input} selectorBytes={4} label="input" />
        )}
      </Disclosure>
    </>
  )
}

/** Why an event is not decoded. */
const reasonFor = (row: WalletTransaction | null | undefined, error: unknown): string => {
  if (row === null) return "Not decoded: the service has not indexed this transaction."
  if (row !== undefined) return "No known event has this signature."
  return error === null ? "…" : "Not decoded: the service did not send this transaction."
}

interface MovedPanelProps {
  readonly known: Known
  readonly receipt: Receipt
  /** `null` where the service has not indexed it; undefined until that is known. */
  readonly row: WalletTransaction | null | undefined
}

/** What the transaction moved for each of its parties. */
const MovedPanel = ({ known: { transaction }, receipt, row }: MovedPanelProps) => {
  const parties = [transaction.from, transaction.to, receipt.contractAddress].filter(
    (address, at, all) => address !== null && address !== undefined && all.indexOf(address) === at,
  ) as ReadonlyArray<string>
  return (
    <Panel title="What moved">
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

const Contents = ({ known }: { readonly known: Known }) => {
  const { receipt, transaction } = known
  const { data: row, error } = useRow(known)
  const isReading = receipt !== null && row === undefined && error === null
  const failure = useFailure(known)
  const reason = useReason(failure)
  const input = transaction.input ?? "0x"
  const events = new Map(
    (row?.logs ?? []).flatMap(({ decoded_event: event, log_index: index }) =>
      event === null || event === undefined ? [] : [[index, event] as const],
    ),
  )
  const call = row?.decoded_call
  return (
    <>
      {receipt === null || isReading ? null : (
        <Headline
          {...known}
          receipt={receipt}
          call={call ?? null}
          reason={reason}
          place={{
            block: receipt.blockNumber,
            blockHash: receipt.blockHash,
            hash: transaction.hash,
            isIndexed: row !== null && row !== undefined,
          }}
        />
      )}
      <Panel title="Overview">
        <Overview {...known} reason={reason} labels={{ from: row?.from_address_label, to: row?.to_address_label }} />
      </Panel>
      {receipt === null ? null : (
        <>
          <MovedPanel known={known} receipt={receipt} row={row} />
          <UserOperations receipt={receipt} />
          <TokenTransfers receipt={receipt} />
        </>
      )}
      {input === "0x" ? null : (
        <Panel title="Input">
          {isReading ? (
            <Skeleton label="the input" rows={2} />
          ) : (
            <Input input={input} call={call} to={transaction.to} created={receipt?.contractAddress} />
          )}
        </Panel>
      )}
      {receipt === null ? null : (
        <>
          {receipt.logs.length === 0 ? null : (
            <Panel title={`Logs (${formatInteger(receipt.logs.length)})`}>
              <Logs logs={receipt.logs} events={events} undecoded={reasonFor(row, error)} />
            </Panel>
          )}
          <Panel title="Trace">
            <Trace
              hash={transaction.hash}
              sender={transaction.from}
              block={receipt.blockNumber}
              blockHash={receipt.blockHash}
              outermost={outermostOf(transaction, receipt, failure)}
            />
          </Panel>
          <Panel title="State">
            <StateChanges hash={transaction.hash} blockHash={receipt.blockHash} />
          </Panel>
        </>
      )}
      <Panel title="Raw">
        <Disclosure title="Transaction as JSON">
          <RawJson value={transaction} label="Transaction as JSON" />
        </Disclosure>
        <Disclosure title="Receipt as JSON">
          <RawJson value={receipt} label="Receipt as JSON" />
        </Disclosure>
      </Panel>
    </>
  )
}

const Missing = () => {
  const { chain } = useService()
  return (
    <Notice title="No transaction has this hash">
      <p>
        The node of {chain.name} does not know it: it may not have arrived yet, be replaced by another one of the same
        nonce, or belong to another chain. It appears here once the node has it.{" "}
        <Link to={Paths.home}>See the latest transactions.</Link>
      </p>
    </Notice>
  )
}

/** States that a transaction lost its block while it was on screen. */
const Reverted = ({ now, seen }: { readonly seen: Known; readonly now: Known | null }) => (
  <Notice title="Reverted: a reorg replaced the block of this transaction" tone="warning">
    <p>
      It was in block {seen.receipt === null ? "" : formatInteger(seen.receipt.blockNumber)}.{" "}
      {now === null
        ? "The chain does not have it any more; what is below is how it was."
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
    // The same values while the block is the same, so that the page is not drawn again.
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
