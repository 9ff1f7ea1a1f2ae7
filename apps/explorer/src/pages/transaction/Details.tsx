/** The sections below a transaction's overview: user operations, tokens, input, logs, trace, state and JSON. Loaded after the overview. */
import * as InputText from "@daybook/abi/InputText"
import type { DecodedItem, WalletTransaction } from "@daybook/rest/promise"
import type { CallFrame, Receipt } from "@daybook/rpc/promise"
import { byteLength, formatInteger } from "../../display/Numbers.ts"
import { Disclosure, Panel, Skeleton } from "../../display/Page.tsx"
import { Bytes } from "../../display/Values.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { Construction } from "./Construction.tsx"
import { Decoded } from "./Decoded.tsx"
import { Logs } from "./Logs.tsx"
import { TokenTransfers } from "./Moved.tsx"
import type { Known } from "./Overview.tsx"
import { RawJson } from "./RawJson.tsx"
import { StateChanges } from "./StateChanges.tsx"
import { Trace } from "./Trace.tsx"
import { UserOperations } from "./UserOperations.tsx"
import { WordsTable } from "./WordsTable.tsx"

/** The outermost call according to the transaction, with its error if it failed. */
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
  /** The contract that the transaction created. */
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
  return error === null ? "…" : "Not decoded: the service did not return this transaction."
}

interface DetailsProps {
  readonly known: Known
  /** `null` if the service has not indexed it; undefined until that is known. */
  readonly row: WalletTransaction | null | undefined
  /** Why the row could not be read; `null` if it was read or is being read. */
  readonly error: unknown
  /** The outermost call, if it failed. */
  readonly failure: CallFrame | undefined
}

/** The input; shown as loading until the row of the service is known. */
const InputPanel = ({ error, known: { receipt, transaction }, row }: Omit<DetailsProps, "failure">) => {
  const input = transaction.input ?? "0x"
  if (input === "0x") return null
  const isReading = receipt !== null && row === undefined && error === null
  return (
    <Panel id="input" title="Input">
      {isReading ? (
        <Skeleton label="the input" rows={2} />
      ) : (
        <Input input={input} call={row?.decoded_call} to={transaction.to} created={receipt?.contractAddress} />
      )}
    </Panel>
  )
}

const LogsPanel = ({ error, receipt, row }: Pick<DetailsProps, "error" | "row"> & { readonly receipt: Receipt }) => {
  if (receipt.logs.length === 0) return null
  const events = new Map(
    (row?.logs ?? []).flatMap(({ decoded_event: event, log_index: index }) =>
      event === null || event === undefined ? [] : [[index, event] as const],
    ),
  )
  return (
    <Panel id="logs" title={`Logs (${formatInteger(receipt.logs.length)})`}>
      <Logs logs={receipt.logs} events={events} undecoded={reasonFor(row, error)} />
    </Panel>
  )
}

export const Details = ({ error, failure, known, row }: DetailsProps) => {
  const { receipt, transaction } = known
  return (
    <>
      {receipt === null ? null : (
        <>
          <UserOperations receipt={receipt} />
          <TokenTransfers receipt={receipt} />
        </>
      )}
      <InputPanel known={known} row={row} error={error} />
      {receipt === null ? null : (
        <>
          <LogsPanel receipt={receipt} row={row} error={error} />
          <Panel id="trace" title="Trace">
            <Trace
              hash={transaction.hash}
              sender={transaction.from}
              block={receipt.blockNumber}
              blockHash={receipt.blockHash}
              outermost={outermostOf(transaction, receipt, failure)}
            />
          </Panel>
          <Panel id="state" title="State">
            <StateChanges hash={transaction.hash} blockHash={receipt.blockHash} />
          </Panel>
        </>
      )}
      <Panel id="raw" title="Raw">
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
