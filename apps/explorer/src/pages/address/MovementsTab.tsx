/** Movements of an address: each change of its holdings, with filters and the balance after it. */
import type { Balance, Movement } from "@daybook/rest/promise"
import { useCallback, useMemo } from "react"
import { FlagMarks } from "../../display/FlagMarks.tsx"
import { formatKind } from "../../display/Kinds.ts"
import { AddressLink, BlockLink, TransactionLink } from "../../display/Links.tsx"
import { Badge, Notice } from "../../display/Page.tsx"
import { Time } from "../../display/Values.tsx"
import { DownloadMenu } from "../../download/DownloadMenu.tsx"
import { useHistory } from "../../history/useHistory.ts"
import { VirtualRows } from "../../history/VirtualRows.tsx"
import * as Clients from "../../service/Clients.ts"
import { useRest, useService } from "../../service/Service.tsx"
import { TokenAmount } from "../../tokens/TokenAmount.tsx"
import type { AddressSearch } from "./AddressSearch.ts"
import { openingsOf } from "./Compared.ts"
import { Choice, DayRange, datesOf, Toolbar, useAddressSearch } from "./Filters.tsx"
import { NotIndexed } from "./NotIndexed.tsx"
import * as RunningBalance from "./RunningBalance.ts"
import { useComparison } from "./useCompared.ts"
import { useStart } from "./useStart.ts"
import { isolated } from "../../text/VisibleText.ts"

const columns = [
  { name: "Transaction" },
  { name: "Kind" },
  { name: "Block" },
  { name: "Age" },
  { name: "Counterparty" },
  { name: "Amount", isNumeric: true },
  { name: "Balance after", isNumeric: true },
]

/** Columns without the balance after a movement, which depends on all movements before it. */
const columnsOfPart = columns.slice(0, -1)

const follow = "1 second"

const kinds = [
  ["", "all kinds"],
  ["erc20,erc721,erc1155", "token transfers"],
  ["fee", "fees"],
  ["value", "ether"],
  ["internal", "internal"],
  ["withdrawal", "withdrawals"],
  ["reward", "rewards"],
  ["mint", "mints from L1"],
  ["irregular", "imports and exports"],
  ["ether_log", "ether from logs"],
  ["genesis", "before the index"],
] as const

type Kinds = NonNullable<Parameters<Awaited<ReturnType<typeof Clients.rest>>["movements"]>[0]["kind"]>

/** The filters of a query. Sound: the service rejects unknown kinds. */
const filtersOf = ({ asset, direction, kind }: AddressSearch) => ({
  asset,
  kind: kind === undefined ? undefined : (kind.split(",") as unknown as Kinds),
  direction,
})

const cellsOf = (row: Movement, isReverted: boolean, after: bigint | undefined) => [
  <>
    {row.transaction_hash === null ? (
      <span className="muted">block</span>
    ) : isReverted ? (
      <code className="hash" title={row.transaction_hash}>{`${row.transaction_hash.slice(0, 8)}…`}</code>
    ) : (
      <TransactionLink hash={row.transaction_hash} />
    )}{" "}
    {isReverted ? (
      <Badge tone="bad" hint="A reorg replaced the block of this movement.">
        reverted
      </Badge>
    ) : null}
  </>,
  <>
    <Badge>{formatKind(row.kind)}</Badge> {row.failed ? <Badge tone="bad">failed</Badge> : null}{" "}
    <FlagMarks flags={row.flags} />
  </>,
  <BlockLink number={row.block_number} />,
  <Time time={row.block_timestamp} />,
  row.counterparty === null ? null : <AddressLink address={row.counterparty} label={row.counterparty_label} />,
  <TokenAmount asset={row.asset} amount={row.amount} token={row.token} tokenId={row.token_id} signed />,
  after === undefined || isReverted ? null : (
    <TokenAmount asset={row.asset} amount={after} token={row.token} tokenId={row.token_id} />
  ),
]

/** Balances at the boundary of the history; none if it starts at the first indexed block. */
const useHeld = (address: string, boundary: number | null, enabled: boolean) =>
  useRest(
    ["held", address, boundary],
    async (client, chain, signal): Promise<ReadonlyArray<Balance>> =>
      boundary === null ? [] : (await client.balances({ address, chain, to_block: boundary }, { signal })).result,
    { enabled },
  ).data

const useBalances = (address: string) =>
  useRest(["balances", address, "all"], (client, name, signal) => client.balances({ address, chain: name }, { signal }))
    .data

/**
 * Holdings from before the first indexed block, read from the node; `null` if unknown, undefined until read. The result keeps its identity
 * while its values are equal.
 */
const useOpenings = (address: string) => {
  const [balances, { data: compared, isPending }] = [useBalances(address), useComparison(address)]
  const openings =
    balances === undefined || isPending ? undefined : (openingsOf(balances, compared ?? new Map()) ?? null)
  const text = openings?.map(({ asset, balance, token_id: id }) => `${asset} ${id} ${balance}`).join()
  return useMemo(() => openings, [text])
}

/** Notice of what the balances after movements lack. */
const Incomplete = () => (
  <Notice title="Balances are sums of movements only">
    <p>Holdings of this address from before the first indexed block are not known, and not included.</p>
  </Notice>
)

/** The assets that an address holds, as options of the filter. */
const useAssets = (address: string): ReadonlyArray<readonly [string, string]> => {
  const { chain } = useService()
  const data = useBalances(address)
  return useMemo(() => {
    const named = new Map<string, string>([["native", chain.currency.symbol]])
    for (const { asset, token } of data?.result ?? []) {
      if (asset !== "native") named.set(asset, `${isolated(token?.symbol ?? "token")} ${asset.slice(0, 8)}`)
    }
    return [...named]
  }, [chain.currency.symbol, data])
}

const MovementFilters = ({ address }: { readonly address: string }) => {
  const [{ asset, direction, kind }, change] = useAddressSearch()
  const held = useAssets(address)
  const isListed = asset === undefined || held.some(([one]) => one === asset)
  const assets = [["", "all assets"] as const, ...held, ...(isListed ? [] : [[asset, asset.slice(0, 10)] as const])]
  const isKnown = kind === undefined || kinds.some(([one]) => one === kind)
  return (
    <>
      <Choice label="Asset" value={asset ?? ""} options={assets} onChange={(value) => change({ asset: value })} />
      <Choice
        label="Kind"
        value={kind ?? ""}
        options={isKnown ? kinds : [...kinds, [kind, kind] as const]}
        onChange={(value) => change({ kind: value })}
      />
      <Choice
        label="Direction"
        value={direction ?? ""}
        options={[
          ["", "in and out"],
          ["in", "in"],
          ["out", "out"],
        ]}
        onChange={(value) => change({ direction: value === "in" || value === "out" ? value : undefined })}
      />
      <DayRange />
    </>
  )
}

export const MovementsTab = ({ address }: { readonly address: string }) => {
  const { apiKey, chain } = useService()
  const [search] = useAddressSearch()
  const start = useStart()
  const { asset, direction, from, kind, to } = search
  const isDated = from !== undefined || to !== undefined
  const isWhole = !isDated && kind === undefined && direction === undefined
  const base = { address, ...filtersOf(search), ...datesOf(search) }
  const key = start === undefined ? null : ["movements", address, asset, kind, direction, from, to].join(" ")
  const history = useHistory<Movement>(key, (client, name) => {
    const boundary = start?.boundary ?? null
    const query = { ...base, chain: name }
    const past = isDated || boundary === null ? query : { ...query, to_block: boundary }
    return {
      boundary,
      keyOf: RunningBalance.keyOf,
      blockOf: (row) => row.block_number,
      first: !isDated && boundary === null ? null : (signal) => client.movements(past, { signal }),
      follow: isDated
        ? null
        : (signal) =>
            client.movementsStream(
              { ...query, from_block: boundary === null ? undefined : boundary + 1 },
              { follow, onStaleCursor: "restart", signal },
            ),
    }
  })
  const held = useHeld(address, history.boundary ?? null, history.boundary !== undefined && isWhole)
  const openings = useOpenings(address)
  // Another history has other rows.
  const balances = useMemo(
    () =>
      held === undefined || openings === undefined
        ? null
        : RunningBalance.make(RunningBalance.withOpenings(held, openings ?? [])),
    [held, openings, history.rows.past],
  )
  if (isWhole) balances?.update(history.rows)
  const cells = useCallback(
    (row: Movement, isReverted: boolean) =>
      cellsOf(row, isReverted, balances?.after(row)).slice(0, isWhole ? undefined : -1),
    [balances, isWhole],
  )
  return (
    <>
      <Toolbar
        downloads={
          <DownloadMenu
            name={`${chain.name}-${address}-movements`}
            table="movements"
            rows={async (signal) =>
              (await Clients.rest(apiKey)).movementsStream({ ...base, chain: chain.name }, { signal })
            }
          />
        }
      >
        <MovementFilters address={address} />
      </Toolbar>
      {isWhole && openings === null ? <Incomplete /> : null}
      <VirtualRows
        label="Movements"
        layout="movements"
        columns={isWhole ? columns : columnsOfPart}
        history={history}
        keyOf={RunningBalance.keyOf}
        cells={cells}
        empty={<NotIndexed what="movements" isFiltered={!isWhole || asset !== undefined} />}
      />
    </>
  )
}
