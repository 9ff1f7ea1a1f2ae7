/** The same address on the other chains of the service, read on request. */
import type { ServedChain } from "@daybook/rest/ExplorerClient"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Panel } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Amount, Count } from "../../display/Values.tsx"
import { Link } from "../../navigation/Navigation.tsx"
import * as Paths from "../../navigation/Paths.ts"
import * as Clients from "../../service/Clients.ts"
import { useService } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"

/** State of an address on a chain; `null` where unknown. */
interface OnChain {
  readonly chain: ServedChain
  readonly balance: bigint | null
  readonly nonce: number | null
  /** Number of tokens and items held, according to the index. */
  readonly holdings: number | null
}

/** Reads one chain. A failure does not hide the results of the others. */
const readChain = async (
  chain: ServedChain,
  { address, apiKey, signal }: { readonly address: string; readonly apiKey: string; readonly signal: AbortSignal },
): Promise<OnChain> => {
  const [rpc, rest] = await Promise.all([Clients.rpc(chain.name, apiKey), Clients.rest(apiKey)])
  const [balance, nonce, holdings] = await Promise.all([
    rpc.eth_getBalance(address, "latest").catch(() => null),
    rpc.eth_getTransactionCount(address, "latest").catch(() => null),
    rest
      .balances({ address, chain: chain.name }, { signal })
      .then(({ result }) => result.filter(({ asset }) => asset !== "native").length)
      .catch(() => null),
  ])
  return { chain, balance, nonce, holdings }
}

const unknown = <span className="muted">not known</span>

const columnsOf = (address: string): ReadonlyArray<Column<OnChain>> => [
  {
    name: "Chain",
    cell: ({ chain: { name } }) => (
      <Link to={Paths.address(address)} search={{ chain: name }}>
        <ForeignText text={name} />
      </Link>
    ),
  },
  {
    name: "Balance",
    isNumeric: true,
    cell: ({ balance, chain: { currency } }) =>
      balance === null ? unknown : <Amount amount={balance} decimals={currency.decimals} symbol={currency.symbol} />,
  },
  {
    name: "Transactions sent",
    isNumeric: true,
    cell: ({ nonce }) => (nonce === null ? unknown : <Count value={BigInt(nonce)} />),
  },
  {
    name: "Tokens and items",
    isNumeric: true,
    cell: ({ holdings }) => (holdings === null ? unknown : <Count value={BigInt(holdings)} />),
  },
]

export const OtherChains = ({ address }: { readonly address: string }) => {
  const { apiKey, chain, chains } = useService()
  const [isShown, setShown] = useState(false)
  const others = chains.filter(({ name }) => name !== chain.name)
  const { data } = useQuery({
    queryKey: ["other chains", chain.name, apiKey, address],
    queryFn: ({ signal }) => Promise.all(others.map((other) => readChain(other, { address, apiKey, signal }))),
    enabled: isShown && others.length > 0,
    structuralSharing: false,
  })
  if (others.length === 0) return null
  return (
    <Panel title="Other chains">
      {!isShown ? (
        <button type="button" className="button" onClick={() => setShown(true)}>
          Show this address on {others.length === 1 ? others[0]?.name : `${others.length} other chains`}
        </button>
      ) : data === undefined ? (
        <p className="muted">Reading…</p>
      ) : (
        <Table label="Other chains" columns={columnsOf(address)} rows={data} keyOf={({ chain: { name } }) => name} />
      )}
    </Panel>
  )
}
