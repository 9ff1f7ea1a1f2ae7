/** What a transaction did, in a sentence, with its outcome and age; nothing where that is not clear. */
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

/** Longest reason that is shown here, in characters; the outcome has the whole. */
const maxReason = 200

/** Movements that are no part of what a transaction is for. */
const asides: ReadonlySet<string> = new Set(["fee", "reward", "genesis"])

const changesOf = ({ rows }: Moved): ReadonlyArray<Sentence.Change> =>
  rows
    .filter(({ kind }) => !asides.has(kind))
    .map(({ amount, asset, token_id: tokenId }) => ({ asset, amount, tokenId: tokenId ?? null }))

/** Calls inside are known, so that movements have all ether. */
const hasTraces = (status: ReturnType<typeof useStatus>): boolean =>
  status !== undefined && status.traces !== null && status.traces !== "off" && (status.gaps?.trace ?? 0) === 0

interface HeadlineProps extends Pick<Known, "transaction" | "block"> {
  readonly place: Place
  readonly receipt: Receipt
  /** The call, where it is decoded. */
  readonly call: Pick<DecodedItem, "label" | "signature"> | null
  readonly reason: string | undefined
}

export const Headline = ({ block, call, reason, place, receipt, transaction }: HeadlineProps) => {
  const { data: moved } = useMovements({ ...place, address: transaction.from })
  const status = useStatus()
  // Until the movements are read, another sentence would be shown in between.
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
