/** One sentence that states what a transaction did, with its outcome and age. Shows nothing if that is not clear. */
import * as Sentence from "@daybook/abi/Sentence"
import type { DecodedItem } from "@daybook/rest/promise"
import { VisibleText } from "@daybook/rest/Resource"
import { type Receipt, transfers } from "@daybook/rpc/promise"
import { AddressLink } from "../../display/Links.tsx"
import { Badge } from "../../display/Page.tsx"
import { fromSeconds, Time } from "../../display/Values.tsx"
import { useStatus } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { TokenAmount, TokenLink } from "../../tokens/TokenAmount.tsx"
import { useToken } from "../../tokens/useToken.ts"
import { type Moved, type Place, useMovements } from "./Moved.tsx"
import type { Known } from "./Overview.tsx"

const Token = ({ address }: { readonly address: string }) => (
  <TokenLink address={address} symbol={useToken(address)?.symbol} />
)

const Part = ({ part }: { readonly part: Sentence.Part }) => {
  switch (part._tag) {
    case "Words":
      return part.text
    case "Name":
      return <ForeignText className="method" text={part.text} />
    case "Address":
      return <AddressLink address={part.address} />
    case "Token":
      return <Token address={part.address} />
    case "Amount":
      return <TokenAmount asset={part.asset} amount={part.amount} tokenId={part.tokenId} />
  }
}

/** Maximum length of the reason shown here, in characters; the outcome shows it in full. */
const maxReason = 200

/** Kinds of movements that are incidental to a transaction. */
const asides: ReadonlySet<string> = new Set(["fee", "reward", "genesis"])

const changesOf = ({ rows }: Moved): ReadonlyArray<Sentence.Change> =>
  rows
    .filter(({ kind }) => !asides.has(kind))
    .map(({ amount, asset, token_id: tokenId }) => ({ asset, amount, tokenId: tokenId ?? null }))

/** Whether internal calls are indexed, so that movements include all ether. */
const hasTraces = (status: ReturnType<typeof useStatus>): boolean =>
  status !== undefined && status.traces !== null && status.traces !== "off" && (status.gaps?.trace ?? 0) === 0

interface HeadlineProps extends Pick<Known, "transaction" | "block"> {
  readonly place: Place
  readonly receipt: Receipt
  /** The call, if it is decoded. */
  readonly call: Pick<DecodedItem, "label" | "signature"> | null
  readonly reason: string | undefined
}

export const Headline = ({ block, call, reason, place, receipt, transaction }: HeadlineProps) => {
  const { data: moved } = useMovements({ ...place, address: transaction.from })
  const status = useStatus()
  // Before the movements are read, a different sentence would flash up.
  if (place.isIndexed && moved === undefined) return null
  const sentence = Sentence.fromFacts({
    from: transaction.from,
    to: transaction.to ?? null,
    created: receipt.contractAddress ?? null,
    value: transaction.value ?? 0n,
    status: receipt.status ?? null,
    input: transaction.input ?? "0x",
    call,
    transfers: transfers(receipt),
    logs: receipt.logs,
    movements: moved !== undefined && moved.isWhole && hasTraces(status) ? changesOf(moved) : null,
    reason: reason === undefined ? undefined : VisibleText.visibleStart(reason, maxReason),
  })
  if (sentence === null) return null
  return (
    <p className="headline">
      <Badge tone={receipt.status === 0 ? "bad" : "good"}>{receipt.status === 0 ? "failed" : sentence.action}</Badge>{" "}
      {sentence.parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
      {block === null ? null : (
        <span className="muted">
          {" "}
          · <Time time={fromSeconds(block.timestamp)} />
        </span>
      )}
    </p>
  )
}
