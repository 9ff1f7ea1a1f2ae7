/** A decoded call or event: its signature and parameters. Names and values are chosen by contracts. */
import type { AbiItem } from "@daybook/rest/ExplorerClient"
import type { DecodedItem } from "@daybook/rest/promise"
import { AddressLink } from "../../display/Links.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { Badge } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, fromSeconds, Time } from "../../display/Values.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { isolated } from "../../text/VisibleText.ts"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"
import { useToken } from "../../tokens/useToken.ts"
import { useAbis } from "./useAbis.ts"
import * as ValueTree from "./ValueTree.ts"

const addressPattern = /^0x[0-9a-fA-F]{40}$/

/** An amount of the token at an address, in its units if the contract reports its decimals. */
const OwnAmount = ({ amount, token }: { readonly amount: bigint; readonly token: string }) =>
  useToken(token)?.decimals === undefined ? null : (
    <span className="muted">
      {" "}
      = <TokenAmount asset={token} amount={amount} />
    </span>
  )

/** The name and number of an enum value. */
const EnumValue = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <>
    <ForeignText className="value" text={label} /> <span className="muted">({text})</span>
  </>
)

interface LeafProps {
  readonly tree: ValueTree.ValueTree
  /** The token of which the value is an amount; undefined for other values. */
  readonly token?: string | undefined
}

const Leaf = ({ token, tree }: LeafProps) => {
  const { text = "", type } = tree
  if (type === "address" && addressPattern.test(text)) {
    return <AddressLink address={text.toLowerCase()} isFull withCopy />
  }
  if (tree.label !== undefined) return <EnumValue label={tree.label} text={text} />
  if (!/^u?int\d*$/.test(type) || !/^-?\d+$/.test(text)) return <ForeignText className="value" text={text} />
  const seconds = ValueTree.secondsOf(tree)
  return (
    <>
      <span className="value">
        <Count value={BigInt(text)} />
      </span>
      {token === undefined ? null : <OwnAmount amount={BigInt(text)} token={token} />}
      {seconds === undefined ? null : (
        <span className="muted">
          {" "}
          = <Time time={fromSeconds(seconds)} form="full" />
        </span>
      )}
    </>
  )
}

const Tree = ({ token, tree }: LeafProps) =>
  tree.text === undefined ? (
    <ul className="fields">
      {tree.members.map((member, at) => (
        <li key={at}>
          <ForeignText className="field-name" text={member.name} /> <Tree tree={member} />
        </li>
      ))}
      {tree.members.length + tree.hidden === 0 ? <li className="muted">none</li> : null}
      {tree.hidden === 0 ? null : <li className="muted">and {formatInteger(tree.hidden)} more</li>}
    </ul>
  ) : (
    <Leaf tree={tree} token={token} />
  )

/** A decoded call, event, or error. */
type Item = Pick<DecodedItem, "label" | "signature" | "params">

interface DecodedProps {
  readonly item: Item
  /** The contract that was called or that emitted the event. */
  readonly address: string | null | undefined
  /** Skips the contract's ABI: fields of structs are named by position, and indexed parameters are not marked. */
  readonly withoutAbi?: boolean
  /** Topics of the log of an event; undefined for a call. */
  readonly topics?: ReadonlyArray<string>
  /** The arguments are those of the contract's constructor. */
  readonly isCreation?: boolean
}

interface Shown {
  readonly param: ValueTree.Param
  readonly tree: ValueTree.ValueTree
  readonly token: string | undefined
  readonly isIndexed: boolean
  readonly isHash: boolean
}

const shownOf = ({ address, item, topics = [] }: DecodedProps, known: AbiItem | undefined): ReadonlyArray<Shown> =>
  item.params.map((given, at) => {
    const param = { name: given.name, type: given.type, value: String(given.value) }
    const input = known?.inputs[at]
    return {
      param,
      tree: ValueTree.make(param, input),
      token: ValueTree.amountIndex(item.signature) === at ? (address ?? undefined) : undefined,
      isIndexed: input?.indexed === true,
      isHash: ValueTree.isHash(param, topics),
    }
  })

const columns: ReadonlyArray<Column<Shown>> = [
  {
    name: "Name",
    cell: ({ isIndexed, param: { name } }, at) => (
      <>
        <ForeignText text={name === "" ? String(at) : name} />{" "}
        {isIndexed ? <Badge hint="A topic of the log: logs can be searched by its value">indexed</Badge> : null}
      </>
    ),
  },
  {
    name: "Type",
    cell: ({ param: { type } }) => (
      <code>
        <ForeignText text={type} />
      </code>
    ),
  },
  {
    name: "Value",
    isWide: true,
    cell: ({ isHash, param, token, tree }) =>
      isHash ? (
        <>
          <span className="muted">hash of the value</span> <ForeignText className="value" text={param.value} />
        </>
      ) : (
        <Tree tree={tree} token={token} />
      ),
  },
]

export const Decoded = (props: DecodedProps) => {
  const { address, isCreation = false, item, topics, withoutAbi = false } = props
  const abis = useAbis(withoutAbi || item.params.length === 0 ? null : address)
  const kind = isCreation ? "constructor" : topics === undefined ? "function" : "event"
  const rows = shownOf(props, ValueTree.itemOf(abis ?? [], kind, item.signature))
  return (
    <>
      <p>
        <code className="signature">
          <ForeignText text={item.signature} />
        </code>
      </p>
      {rows.length === 0 ? null : (
        <Table
          label={`Parameters of ${isolated(item.label)}`}
          columns={columns}
          rows={rows}
          keyOf={({ param: { name } }, at) => `${at} ${name}`}
        />
      )}
    </>
  )
}
