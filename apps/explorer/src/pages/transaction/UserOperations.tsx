/** The user operations in a transaction, from the logs of entry points: what each account did, and who paid. */
import { type Receipt, userOperations } from "@daybook/rpc/promise"
import { AddressLink } from "../../display/Links.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { Badge, Fact, Facts, Panel } from "../../display/Page.tsx"
import { useFirst } from "../../display/useFirst.tsx"
import { Bytes, Hash } from "../../display/Values.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"
import * as OperationFacts from "./OperationFacts.ts"

type Operation = ReturnType<typeof userOperations>[number]

/** Number of operations shown initially and added by the button: a transaction may have thousands. */
const step = 50

const EntryPoint = ({ entryPoint }: Operation) => {
  const version = OperationFacts.versionOf(entryPoint)
  return (
    <>
      <AddressLink address={entryPoint} />{" "}
      {version === undefined ? (
        <Badge tone="bad" hint="This contract is not a known entry point. It may log operations that did not happen.">
          unconfirmed
        </Badge>
      ) : (
        <Badge>{`version ${version}`}</Badge>
      )}
    </>
  )
}

const Reason = ({ data, name }: { readonly name: string; readonly data: string | null }) =>
  data === null ? null : (
    <Fact name={name}>
      <Bytes hex={data} label={name} />
    </Fact>
  )

const Item = (operation: Operation) => {
  const { factory, hash, isPrefundTooLow, isSuccess, paymaster, sender } = operation
  const nonce = OperationFacts.nonceOf(operation.nonce)
  return (
    <li className="log">
      <div className="log-head">
        <AddressLink address={sender} isFull withCopy />{" "}
        {isSuccess ? <Badge tone="good">succeeded</Badge> : <Badge tone="bad">failed</Badge>}{" "}
        {isPrefundTooLow ? (
          <Badge tone="bad" hint="The operation used more gas than was paid in advance.">
            prefund too low
          </Badge>
        ) : null}
      </div>
      <Facts>
        <Fact name="Operation">
          <Hash hash={hash} what="hash of the operation" />
        </Fact>
        <Fact name="Entry point">
          <EntryPoint {...operation} />
        </Fact>
        <Fact name="Paid by">
          {paymaster === null ? "the sender" : <AddressLink address={paymaster} />}{" "}
          <TokenAmount asset="native" amount={operation.actualGasCost} tokenId={null} />
          {` for ${formatInteger(operation.actualGasUsed)} gas`}
        </Fact>
        <Fact name="Nonce">{nonce}</Fact>
        {factory === null ? null : (
          <Fact name="Deployed by">
            <AddressLink address={factory} />
          </Fact>
        )}
        <Reason name="Reverted with" data={operation.revertReason} />
        <Reason name="Paymaster reverted with" data={operation.postOperationRevertReason} />
      </Facts>
    </li>
  )
}

/** The user operations of a receipt; nothing if it has none. */
export const UserOperations = ({ receipt }: { readonly receipt: Receipt }) => {
  const all = userOperations(receipt)
  const [shown, more] = useFirst(all, step)
  if (all.length === 0) return null
  return (
    <Panel id="operations" title={`User operations (${formatInteger(all.length)})`}>
      <p className="muted">
        Accounts did this through an entry point (ERC-4337). The cost of an operation is included in what moved, not
        added to it.
      </p>
      <ol className="logs">
        {shown.map((operation) => (
          <Item key={operation.position} {...operation} />
        ))}
      </ol>
      {more}
    </Panel>
  )
}
