/** Holdings of an address: the currency of the chain and tokens, with their proofs. */
import type { Balance, Incomplete } from "@daybook/rest/promise"
import { Fragment } from "react"
import { formatInteger } from "../../display/Numbers.ts"
import { Badge, ErrorNotice, Notice, Panel, Skeleton } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count } from "../../display/Values.tsx"
import { DownloadMenu } from "../../download/DownloadMenu.tsx"
import * as Clients from "../../service/Clients.ts"
import { Link } from "../../navigation/Navigation.tsx"
import * as Paths from "../../navigation/Paths.ts"
import { useRest, useService } from "../../service/Service.tsx"
import { TokenAmount, TokenLink } from "../../tokens/TokenAmount.tsx"
import { useToken } from "../../tokens/useToken.ts"
import { Toolbar } from "./Filters.tsx"
import { type Collection, holdingsOf } from "./Collections.ts"
import { type ByAsset, isProved, keyOf } from "./Compared.ts"
import { useComparison } from "./useCompared.ts"
import { ProofBadge } from "./ProofBadge.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"

const nativeAsset = "native"

const Name = ({ asset, token }: Balance) => {
  const { currency } = useService().chain
  const isRead = asset !== nativeAsset && token === null
  const read = useToken(asset, isRead)
  if (isRead && read === undefined) return "…"
  return <ForeignText text={asset === nativeAsset ? currency.symbol : (token?.name ?? read?.name ?? "unnamed token")} />
}

const HistoryLink = ({ address, asset }: { readonly address: string; readonly asset: string }) => {
  const { currency } = useService().chain
  return (
    <Link to={Paths.address(address)} search={{ tab: "movements", asset }} keepsPosition>
      Movements<span className="visually-hidden"> of {asset === nativeAsset ? currency.symbol : asset}</span>
    </Link>
  )
}

const comparedOf = (compared: ByAsset | undefined, { asset, token_id: id }: Balance) =>
  compared?.get(keyOf({ asset, id }))

const columnsOf = (
  address: string,
  incomplete: Incomplete,
  compared: ByAsset | undefined,
): ReadonlyArray<Column<Balance>> => [
  { name: "Asset", cell: (balance) => <Name {...balance} /> },
  {
    name: "Contract",
    cell: ({ asset }) =>
      asset === nativeAsset ? <span className="muted">native</span> : <TokenLink address={asset} symbol={undefined} />,
  },
  {
    name: "Balance",
    isNumeric: true,
    cell: (row) => (
      <TokenAmount
        asset={row.asset}
        amount={comparedOf(compared, row)?.sum ?? row.balance}
        token={row.token}
        tokenId={row.token_id}
      />
    ),
  },
  {
    name: "Proof",
    cell: (balance) => (
      <ProofBadge balance={balance} incomplete={incomplete} compared={comparedOf(compared, balance)} />
    ),
  },
  { name: "History", cell: ({ asset }) => <HistoryLink address={address} asset={asset} /> },
]

/** Maximum number of items listed per collection; the download has all. */
const maxItems = 50

const Item = ({ balance, token_id: id }: Balance) => (
  <>
    {balance === 1n ? null : (
      <>
        <Count value={balance} /> of{" "}
      </>
    )}
    <span className="token-id">
      #<Count value={id ?? 0n} />
    </span>
  </>
)

const Items = ({ items }: Collection) => (
  <>
    {items.slice(0, maxItems).map((item, at) => (
      <Fragment key={String(item.token_id)}>
        {at === 0 ? null : ", "}
        <Item {...item} />
      </Fragment>
    ))}
    {items.length <= maxItems ? null : (
      <span className="muted"> and {formatInteger(items.length - maxItems)} more, included in the downloads</span>
    )}
  </>
)

/** The proof of a single item, or how many items have been compared. */
const ItemsProof = ({ compared, incomplete, items }: Collection & Pick<ProofsOf, "compared" | "incomplete">) => {
  const [first] = items
  if (first === undefined) return null
  if (items.length === 1) {
    return <ProofBadge balance={first} incomplete={incomplete} compared={comparedOf(compared, first)} />
  }
  const states = items.map((item) => comparedOf(compared, item))
  const differing = states.filter((state) => state !== undefined && !isProved(state)).length
  const proved = items.filter((item, at) => {
    const state = states[at]
    return state === undefined ? item.proved_at_block !== null : isProved(state)
  }).length
  if (differing > 0) return <Badge tone="bad">{`${formatInteger(differing)} differ`}</Badge>
  return (
    <Badge tone={proved === items.length ? "good" : "neutral"} hint="Items whose balance was compared with the chain">
      {`proved ${formatInteger(proved)} of ${formatInteger(items.length)}`}
    </Badge>
  )
}

interface ProofsOf {
  readonly address: string
  readonly incomplete: Incomplete
  readonly compared: ByAsset | undefined
}

const collectionColumns = ({ address, compared, incomplete }: ProofsOf): ReadonlyArray<Column<Collection>> => [
  { name: "Collection", cell: ({ items: [first] }) => (first === undefined ? null : <Name {...first} />) },
  { name: "Contract", cell: ({ asset }) => <TokenLink address={asset} symbol={undefined} /> },
  { name: "Number", isNumeric: true, cell: ({ items }) => <Count value={BigInt(items.length)} /> },
  { name: "Items", isWide: true, cell: (collection) => <Items {...collection} /> },
  { name: "Proof", cell: (collection) => <ItemsProof {...collection} compared={compared} incomplete={incomplete} /> },
  { name: "History", cell: ({ asset }) => <HistoryLink address={address} asset={asset} /> },
]

export const TokensTab = ({ address }: { readonly address: string }) => {
  const { apiKey, chain } = useService()
  const { data, error, refetch } = useRest(
    ["balances", address, "all"],
    (client, name, signal) => client.balances({ address, chain: name }, { signal }),
    { isLive: true },
  )
  const { data: compared, isPending: isComparing } = useComparison(address)
  if (data === undefined && error !== null) return <ErrorNotice error={error} onRetry={refetch} />
  // Without the comparison, bare sums would be mistaken for balances.
  if (data === undefined || (data.incomplete.opening && isComparing)) return <Skeleton label="balances" rows={8} />
  const { collections, fungible } = holdingsOf(data.result)
  // Balances read from the chain include it.
  const lacksOpening = data.incomplete.opening && !data.result.every((row) => comparedOf(compared, row) !== undefined)
  return (
    <>
      <Toolbar
        downloads={
          <DownloadMenu
            name={`${chain.name}-${address}-balances`}
            table="balances"
            rows={async (signal) =>
              (await (await Clients.rest(apiKey)).balances({ address, chain: chain.name }, { signal })).result
            }
          />
        }
      />
      {lacksOpening || data.incomplete.places > 0 ? (
        <Notice title="These balances may be incomplete">
          {lacksOpening ? <p>Holdings from before the first indexed block are not known. </p> : null}
          {data.incomplete.places > 0 ? (
            <p>
              Movements may be missing in <Count value={data.incomplete.places} /> transactions or blocks.
            </p>
          ) : null}
        </Notice>
      ) : null}
      <Panel title={`Held at block ${data.block_number}`}>
        {fungible.length === 0 ? (
          <p className="empty">
            As of the last indexed block, this address holds no native currency and no fungible token.
          </p>
        ) : (
          <Table
            label="Balances"
            columns={columnsOf(address, data.incomplete, compared)}
            rows={fungible}
            keyOf={({ asset }) => asset}
            marksOf={({ asset }) => ({ "data-asset": asset })}
          />
        )}
      </Panel>
      {collections.length === 0 ? null : (
        <Panel title={`Collections (${formatInteger(collections.length)})`}>
          <Table
            label="Collections"
            columns={collectionColumns({ address, compared, incomplete: data.incomplete })}
            rows={collections}
            keyOf={({ asset }) => asset}
            marksOf={({ asset }) => ({ "data-asset": asset })}
          />
        </Panel>
      )}
    </>
  )
}
