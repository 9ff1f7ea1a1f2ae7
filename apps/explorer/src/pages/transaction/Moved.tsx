/** What a transaction moved: tokens according to its logs, and what each party gained and paid according to the service's ledger. */
import type { Movement } from "@daybook/rest/promise"
import { type Receipt, transfers } from "@daybook/rpc/promise"
import { FlagMarks } from "../../display/FlagMarks.tsx"
import { formatKind } from "../../display/Kinds.ts"
import { AddressLink } from "../../display/Links.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { Badge, Panel } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { useRest } from "../../service/Service.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"

/** Maximum number of ledger rows read for one block. */
const maxRows = 100

type Transfer = ReturnType<typeof transfers>[number]

const transferColumns: ReadonlyArray<Column<Transfer>> = [
  { name: "Standard", cell: ({ standard }) => <Badge>{formatKind(standard)}</Badge> },
  { name: "From", cell: ({ from }) => <AddressLink address={from} /> },
  { name: "To", cell: ({ to }) => <AddressLink address={to} /> },
  {
    name: "Amount",
    isNumeric: true,
    cell: ({ amount, token, tokenId }) => <TokenAmount asset={token} amount={amount} tokenId={tokenId} />,
  },
]

export const TokenTransfers = ({ receipt }: { readonly receipt: Receipt }) => {
  const rows = transfers(receipt)
  if (rows.length === 0) return null
  return (
    <Panel id="transfers" title={`Token transfers (${formatInteger(rows.length)})`}>
      <Table
        label="Token transfers"
        columns={transferColumns}
        rows={rows}
        keyOf={({ logIndex }, at) => `${logIndex} ${at}`}
      />
    </Panel>
  )
}

export interface Place {
  readonly block: bigint
  readonly blockHash: string
  readonly hash: string
  /** Whether the service has indexed the block. Before that it has no movements of it. */
  readonly isIndexed: boolean
}

interface ChangeProps extends Place {
  readonly address: string
}

/** The movements of an address in a transaction. */
export interface Moved {
  readonly rows: ReadonlyArray<Movement>
  /** False if the block has more movements of the address than are read. */
  readonly isWhole: boolean
}

/** Reads what a transaction moved for an address. */
export const useMovements = ({ address, block, blockHash, hash, isIndexed }: ChangeProps) =>
  useRest(
    ["moved", address, blockHash, hash],
    async (client, chain, signal): Promise<Moved> => {
      const query = { address, chain, from_block: block, to_block: block, order: "ASC", limit: maxRows } as const
      const page = await client.movements(query, { signal })
      const rows = page.result.filter((row) => row.transaction_hash === hash)
      return { rows, isWhole: page.cursor === null }
    },
    { enabled: isIndexed },
  )

const Change = (props: ChangeProps) => {
  const { data: moved } = useMovements(props)
  if (moved === undefined) return "…"
  const { isWhole, rows } = moved
  if (rows.length === 0 && isWhole) return <span className="muted">nothing</span>
  return (
    <ul className="moves">
      {rows.map(({ amount, asset, flags, kind, movement_index, token, token_id }) => (
        <li key={movement_index}>
          <Badge>{formatKind(kind)}</Badge>{" "}
          <TokenAmount asset={asset} amount={amount} token={token} tokenId={token_id} signed />{" "}
          <FlagMarks flags={flags} />
        </li>
      ))}
      {isWhole ? null : <li className="muted">This address has more movements in the block: see its page.</li>}
    </ul>
  )
}

interface MovedProps extends Place {
  readonly parties: ReadonlyArray<string>
  /** The service's labels by address. */
  readonly labels: ReadonlyMap<string, string | null | undefined>
}

/** Balance changes of each party, including fees. */
export const Changes = ({ labels, parties, ...place }: MovedProps) => (
  <Table
    label="Changes by address"
    columns={[
      { name: "Address", cell: (address: string) => <AddressLink address={address} label={labels.get(address)} /> },
      { name: "Change", isWide: true, cell: (address: string) => <Change address={address} {...place} /> },
    ]}
    rows={parties}
    keyOf={(address) => address}
  />
)
