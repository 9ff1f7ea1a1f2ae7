/** The watched addresses with their balances. */
import type { ReactNode } from "react"
import { checksummed, shortened } from "../../display/AddressText.ts"
import { AddressLink } from "../../display/Links.tsx"
import { Panel } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, Ether } from "../../display/Values.tsx"
import { useRpc } from "../../service/Service.tsx"
import { unwatch, useWatchList, type Watched } from "../../watch/WatchList.ts"
import { isolated } from "../../text/VisibleText.ts"

interface State {
  readonly balance: bigint
  readonly nonce: number
}

/** A cell that shows a part of an address's state; both cells of a row share one read. */
const OfState = ({ address, show }: { readonly address: string; readonly show: (state: State) => ReactNode }) => {
  const { data } = useRpc(
    ["balance", address],
    async (client): Promise<State> => {
      const [balance, nonce] = await Promise.all([
        client.eth_getBalance(address, "latest"),
        client.eth_getTransactionCount(address, "latest"),
      ])
      return { balance, nonce }
    },
    { isLive: true },
  )
  return data === undefined ? "…" : show(data)
}

const Balance = ({ address }: Watched) => (
  <OfState address={address} show={({ balance }) => <Ether amount={balance} />} />
)

const Remove = ({ address, label }: Watched) => (
  <button
    type="button"
    className="button"
    aria-label={`Remove ${label === "" ? address : isolated(label)}`}
    onClick={() => unwatch(address)}
  >
    Remove
  </button>
)

const columns: ReadonlyArray<Column<Watched>> = [
  { name: "Name", cell: ({ address }) => <AddressLink address={address} /> },
  {
    name: "Address",
    cell: ({ address }) => (
      <code className="hash" title={checksummed(address)}>
        {shortened(address)}
      </code>
    ),
  },
  { name: "Balance", isNumeric: true, cell: (row) => <Balance {...row} /> },
  {
    name: "Nonce",
    isNumeric: true,
    cell: ({ address }) => <OfState address={address} show={({ nonce }) => <Count value={nonce} />} />,
  },
  { name: "Actions", isNameHidden: true, isNumeric: true, cell: (row) => <Remove {...row} /> },
]

export const WatchPanel = () => {
  const watched = useWatchList()
  if (watched.length === 0) return null
  return (
    <Panel title="Your addresses">
      <Table label="Your addresses" columns={columns} rows={watched} keyOf={({ address }) => address} />
    </Panel>
  )
}
