/** The header of a block. */
import type { ServedChain } from "@daybook/rest/ExplorerClient"
import type { HydratedBlock } from "@daybook/rpc/promise"
import { Gauge } from "../../display/Gauge.tsx"
import { AddressLink, BlockLink } from "../../display/Links.tsx"
import { Link } from "../../navigation/Navigation.tsx"
import * as Paths from "../../navigation/Paths.ts"
import { Badge, Disclosure, Fact, Facts } from "../../display/Page.tsx"
import { Bytes, Count, Ether, fromSeconds, Gwei, Hash, Time } from "../../display/Values.tsx"
import { useService, useStatus } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"

const verified: Readonly<Record<ServedChain["checks"], string>> = {
  links: "number, parent, and that receipts and logs belong to the block",
  standard: "block hash, parent, blooms, and that receipts and logs belong to the block",
  full: "block hash, parent, blooms, roots of transactions and receipts, and the hash of each transaction",
}

/** What the service verified before it stored the block, and whether the block is final. */
const IndexFacts = ({ number }: { readonly number: bigint }) => {
  const { chain } = useService()
  const status = useStatus()
  if (status === undefined || status.indexed === null) return null
  const isIndexed = number >= BigInt(status.indexed.from) && number <= BigInt(status.indexed.to)
  const isFinal = status.finalized !== null && number <= BigInt(status.finalized)
  return (
    <>
      <Fact name="State">
        <Badge tone={isFinal ? "good" : "neutral"}>{isFinal ? "final" : "not final"}</Badge>{" "}
        <Badge tone={isIndexed ? "good" : "warning"}>{isIndexed ? "indexed" : "not indexed"}</Badge>
      </Fact>
      {isIndexed ? (
        <Fact name="Verified" hint="By this service, before the block was stored.">
          {verified[chain.checks]}
          {status.unchecked === undefined ? null : (
            <ForeignText className="muted" text={` Not checked: ${status.unchecked}`} />
          )}
        </Fact>
      ) : null}
    </>
  )
}

const MoreFacts = ({ block }: { readonly block: HydratedBlock }) => (
  <Facts>
    <Fact name="State root">
      {block.stateRoot === null ? "none" : <Hash hash={block.stateRoot} what="state root" />}
    </Fact>
    <Fact name="Transactions root">
      <Hash hash={block.transactionsRoot} what="transactions root" />
    </Fact>
    <Fact name="Receipts root">
      <Hash hash={block.receiptsRoot} what="receipts root" />
    </Fact>
    {block.withdrawalsRoot === undefined || block.withdrawalsRoot === null ? null : (
      <Fact name="Withdrawals root">
        <Hash hash={block.withdrawalsRoot} what="withdrawals root" />
      </Fact>
    )}
    {block.parentBeaconBlockRoot === undefined || block.parentBeaconBlockRoot === null ? null : (
      <Fact name="Parent beacon root">
        <Hash hash={block.parentBeaconBlockRoot} what="parent beacon root" />
      </Fact>
    )}
    {block.mixHash === undefined || block.mixHash === null ? null : (
      <Fact name="RANDAO" hint="Mix digest before the merge">
        <Hash hash={block.mixHash} what="RANDAO" />
      </Fact>
    )}
    <Fact name="Nonce">{block.nonce ?? "none"}</Fact>
    <Fact name="Difficulty">
      <Count value={block.difficulty} />
    </Fact>
    <Fact name="Extra data">
      <Bytes hex={block.extraData} label="extra data" />
    </Fact>
  </Facts>
)

export const BlockFacts = ({ block }: { readonly block: HydratedBlock }) => {
  const { baseFeePerGas, blobGasUsed, number } = block
  return (
    <>
      <Facts>
        {number === null ? null : (
          <Fact name="Number">
            <BlockLink number={number} />
          </Fact>
        )}
        <Fact name="Hash">{block.hash === null ? "pending" : <Hash hash={block.hash} what="block hash" />}</Fact>
        {number === null ? null : <IndexFacts number={number} />}
        <Fact name="Time">
          <Time time={fromSeconds(block.timestamp)} form="full" />
        </Fact>
        <Fact name="Parent">
          <Link to={Paths.block(block.parentHash)}>
            <code className="hash">{block.parentHash}</code>
          </Link>
        </Fact>
        <Fact name="Fee recipient">
          {block.miner === null ? "pending" : <AddressLink address={block.miner} isFull withCopy />}
        </Fact>
        <Fact name="Gas used">
          <Count value={block.gasUsed} /> of <Count value={block.gasLimit} />{" "}
          <Gauge part={block.gasUsed} whole={block.gasLimit} label="Gas used" />
        </Fact>
        {baseFeePerGas === undefined || baseFeePerGas === null ? null : (
          <>
            <Fact name="Base fee">
              <Gwei wei={baseFeePerGas} />
            </Fact>
            <Fact name="Burnt" hint="Base fee times gas used">
              <Ether amount={baseFeePerGas * block.gasUsed} isWhole />
            </Fact>
          </>
        )}
        {blobGasUsed === undefined || blobGasUsed === null ? null : (
          <Fact name="Blob gas">
            <Count value={blobGasUsed} />
          </Fact>
        )}
        <Fact name="Size">
          <Count value={block.size} /> bytes
        </Fact>
      </Facts>
      <Disclosure title="Roots and other fields">
        <MoreFacts block={block} />
      </Disclosure>
    </>
  )
}
