/** The facts of a transaction: outcome, block, parties, value, fees and nonce. */
import { type Block, fee, type Receipt, type Transaction } from "@daybook/rpc/promise"
import { VisibleText } from "@daybook/rest/Resource"
import { AddressLink, BlockLink } from "../../display/Links.tsx"
import { Badge, Disclosure, Fact, Facts } from "../../display/Page.tsx"
import { Count, Ether, fromSeconds, Gwei, Hash, Time } from "../../display/Values.tsx"
import { Gauge } from "../../display/Gauge.tsx"
import { useService, useStatus } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { NonceLinks } from "./NonceLinks.tsx"

/** A transaction with its receipt and block. */
export interface Known {
  readonly transaction: Transaction
  /** `null` while it is pending. */
  readonly receipt: Receipt | null
  readonly block: Block | null
}

const typeNames: Readonly<Record<number, string>> = {
  0: "legacy",
  1: "with access list (EIP-2930)",
  2: "with base fee (EIP-1559)",
  3: "with blobs (EIP-4844)",
  4: "that sets code (EIP-7702)",
  126: "deposit from L1",
}

/** Maximum length of a reason shown next to the outcome, in characters; a longer one is collapsed. */
const maxReason = 160

const Reason = ({ text }: { readonly text: string }) => {
  const whole = <ForeignText className="reason" text={text} />
  return text.length <= maxReason ? (
    whole
  ) : (
    <Disclosure title={<ForeignText className="reason" text={VisibleText.visibleStart(text, maxReason)} />}>
      {whole}
    </Disclosure>
  )
}

const Outcome = ({ reason, receipt }: { readonly receipt: Receipt | null; readonly reason: string | undefined }) => {
  if (receipt === null) return <Badge tone="warning">pending</Badge>
  if (receipt.status === 0) {
    return (
      <>
        <Badge tone="bad">failed</Badge> {reason === undefined ? null : <Reason text={reason} />}
      </>
    )
  }
  return receipt.status === 1 ? <Badge tone="good">success</Badge> : <Badge>before Byzantium: not recorded</Badge>
}

const Position = ({ receipt }: { readonly receipt: Receipt }) => {
  const status = useStatus()
  const head = status?.head ?? status?.indexed?.to
  const isFinal =
    status?.finalized !== null && status?.finalized !== undefined && receipt.blockNumber <= status.finalized
  return (
    <>
      <BlockLink number={receipt.blockNumber} />, position <Count value={receipt.transactionIndex} />{" "}
      {isFinal ? (
        <Badge tone="good">final</Badge>
      ) : head === undefined || BigInt(head) < receipt.blockNumber ? null : (
        <Badge hint="Blocks on top of it, including its own">
          <Count value={BigInt(head) - receipt.blockNumber + 1n} /> confirmations
        </Badge>
      )}
    </>
  )
}

/** Development nodes charge only for gas, by no rules that the clients know. */
const developmentChains: ReadonlySet<number> = new Set([31_337, 1_337])

/** The parts of the fee, and the burnt share. */
const FeeFacts = ({ block, receipt }: { readonly receipt: Receipt; readonly block: Block | null }) => {
  const { chainId } = useService().chain
  const parts = fee(receipt, { chain: chainId, timestamp: block?.timestamp })
  const base = block?.baseFeePerGas
  const burnt = base === undefined || base === null ? null : base * receipt.gasUsed
  const named = [
    ["gas", parts.gas],
    ["blobs", parts.blob],
    ["data on L1", parts.l1],
    ["operator", parts.operator],
  ] as const
  const paid = named.filter((part): part is readonly [(typeof part)[0], bigint] => part[1] !== null && part[1] > 0n)
  return (
    <>
      <Fact name="Fee">
        <Ether amount={parts.total} isWhole />
        {parts.isComplete || developmentChains.has(chainId) ? null : (
          <span className="muted"> or more: a part of the fee is not known</span>
        )}
        {paid.length < 2 ? null : (
          <ul className="parts">
            {paid.map(([name, amount]) => (
              <li key={name}>
                {name} <Ether amount={amount} isWhole />
              </li>
            ))}
          </ul>
        )}
      </Fact>
      {burnt === null || parts.gas === null ? null : (
        <Fact name="Fee split">
          <span className="spaced">
            <span>
              burnt <Ether amount={burnt} isWhole />
            </span>{" "}
            {parts.gas >= burnt ? (
              <span>
                to the fee recipient <Ether amount={parts.gas - burnt} isWhole />
              </span>
            ) : null}
          </span>
        </Fact>
      )}
    </>
  )
}

const GasFacts = ({ block, receipt, transaction }: Known) => {
  const { gas } = transaction
  const price = receipt?.effectiveGasPrice ?? ("gasPrice" in transaction ? transaction.gasPrice : undefined)
  const maxFee = "maxFeePerGas" in transaction ? transaction.maxFeePerGas : undefined
  const maxTip = "maxPriorityFeePerGas" in transaction ? transaction.maxPriorityFeePerGas : undefined
  const base = block?.baseFeePerGas
  return (
    <>
      {gas === undefined || gas === null ? null : (
        <Fact name="Gas used">
          {receipt === null ? "pending" : <Count value={receipt.gasUsed} />} of <Count value={gas} />{" "}
          {receipt === null ? null : <Gauge part={receipt.gasUsed} whole={gas} label="Share of the gas limit used" />}
        </Fact>
      )}
      {price === undefined || price === null ? null : (
        <Fact name="Gas price">
          <Gwei wei={price} />
          {base === undefined || base === null ? null : (
            <span className="muted">
              {" "}
              (base <Gwei wei={base} />
              {maxTip === undefined || maxTip === null ? null : (
                <>
                  , priority at most <Gwei wei={maxTip} />
                </>
              )}
              {maxFee === undefined || maxFee === null ? null : (
                <>
                  , max fee <Gwei wei={maxFee} />
                </>
              )}
              )
            </span>
          )}
        </Fact>
      )}
    </>
  )
}

/** Facts of particular transaction types: blobs, and the code that accounts delegate to. */
const TypeFacts = ({ transaction }: Pick<Known, "transaction">) => (
  <>
    {"blobVersionedHashes" in transaction ? (
      <Fact name="Blobs">
        {transaction.blobVersionedHashes.map((hash) => (
          <div key={hash}>
            <Hash hash={hash} what="hash of the blob" />
          </div>
        ))}
        <span className="muted">
          blob gas price at most <Gwei wei={transaction.maxFeePerBlobGas} />
        </span>
      </Fact>
    ) : null}
    {"authorizationList" in transaction ? (
      <Fact name="Delegates to" hint="Code that accounts delegate to in this transaction (EIP-7702)">
        {transaction.authorizationList.map(({ address }, at) => (
          <div key={at}>
            <AddressLink address={address} isFull withCopy />
          </div>
        ))}
      </Fact>
    ) : null}
  </>
)

interface OverviewProps extends Known {
  readonly reason: string | undefined
  /** Labels from the service; undefined if the transaction is not indexed. */
  readonly labels: { readonly from: string | null | undefined; readonly to: string | null | undefined }
}

export const Overview = ({ block, labels, reason, receipt, transaction }: OverviewProps) => {
  const { from, hash, nonce, to, type, value } = transaction
  const created = receipt?.contractAddress
  return (
    <Facts>
      <Fact name="Hash">
        <Hash hash={hash} what="transaction hash" />
      </Fact>
      <Fact name="Outcome">
        <Outcome receipt={receipt} reason={reason} />
      </Fact>
      {receipt === null ? null : (
        <Fact name="Block">
          <Position receipt={receipt} />
        </Fact>
      )}
      {block === null ? null : (
        <Fact name="Time">
          <Time time={fromSeconds(block.timestamp)} form="full" />
        </Fact>
      )}
      <Fact name="From">
        <AddressLink address={from} label={labels.from} isFull withCopy />
      </Fact>
      {to === null || to === undefined ? (
        <Fact name="Created">
          {created === null || created === undefined ? (
            "no contract"
          ) : (
            <AddressLink address={created} isFull withCopy />
          )}
        </Fact>
      ) : (
        <Fact name="To">
          <AddressLink address={to} label={labels.to} isFull withCopy />
        </Fact>
      )}
      <Fact name="Value">
        <Ether amount={value ?? 0n} isWhole />
      </Fact>
      {receipt === null ? null : <FeeFacts receipt={receipt} block={block} />}
      <GasFacts transaction={transaction} receipt={receipt} block={block} />
      {nonce === undefined || nonce === null ? null : (
        <Fact name="Nonce">
          <Count value={nonce} />{" "}
          {receipt === null ? null : <NonceLinks transaction={transaction} block={receipt.blockNumber} />}
        </Fact>
      )}
      <Fact name="Type">
        {type ?? 0}, {typeNames[Number(type ?? 0)] ?? "of this chain"}
      </Fact>
      <TypeFacts transaction={transaction} />
    </Facts>
  )
}
