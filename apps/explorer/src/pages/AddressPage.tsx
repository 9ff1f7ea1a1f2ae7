/** One address: what it is, what it holds, and its history by tabs. */
import { Link, useParams, useSearch } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { Notice, Page, Panel, Skeleton } from "../display/Page.tsx"
import { CopyButton } from "../display/Values.tsx"
import { useWatchLabel } from "../watch/WatchList.ts"
import { type Tab, tabs } from "./AddressSearch.ts"
import { AddressFacts } from "./address/AddressFacts.tsx"
import { InternalTab } from "./address/InternalTab.tsx"
import { MovementsTab } from "./address/MovementsTab.tsx"
import { StatementTab } from "./address/StatementTab.tsx"
import { TokensTab } from "./address/TokensTab.tsx"
import { TransactionsTab } from "./address/TransactionsTab.tsx"
import { WatchButton } from "./address/WatchButton.tsx"

const ChartsTab = lazy(async () => ({ default: (await import("./address/ChartsTab.tsx")).ChartsTab }))

const names: Readonly<Record<Tab, string>> = {
  transactions: "Transactions",
  movements: "Movements",
  internal: "Internal",
  tokens: "Tokens",
  statement: "Statement",
  charts: "Charts",
}

const Tabs = ({ address, selected }: { readonly address: string; readonly selected: Tab }) => (
  <nav className="tabs" aria-label="Parts of the history">
    {tabs.map((tab) => (
      <Link
        key={tab}
        to="/address/$address"
        params={{ address }}
        search={{ tab: tab === "transactions" ? undefined : tab }}
        // The router marks the link of the page on screen: that of a tab by its parameter.
        activeOptions={{ includeSearch: true, explicitUndefined: true }}
        data-selected={tab === selected}
        resetScroll={false}
      >
        {names[tab]}
      </Link>
    ))}
  </nav>
)

const Content = ({ address, tab }: { readonly address: string; readonly tab: Tab }) => {
  switch (tab) {
    case "transactions":
      return <TransactionsTab address={address} />
    case "movements":
      return <MovementsTab address={address} />
    case "internal":
      return <InternalTab address={address} />
    case "tokens":
      return <TokensTab address={address} />
    case "statement":
      return <StatementTab address={address} />
    case "charts":
      return (
        <Suspense fallback={<Skeleton label="charts" />}>
          <ChartsTab address={address} />
        </Suspense>
      )
  }
}

export const AddressPage = () => {
  const given = useParams({ from: "/address/$address" }).address
  const { tab = "transactions" } = useSearch({ from: "/address/$address" })
  const address = given.toLowerCase()
  const own = useWatchLabel(address)
  if (!/^0x[0-9a-f]{40}$/.test(address)) {
    return (
      <Page title="Address" heading="Address">
        <Notice title="This is not an address" tone="bad">
          <p>An address has 40 digits after 0x.</p>
        </Notice>
      </Page>
    )
  }
  return (
    <Page
      title={own ?? `Address ${address.slice(0, 10)}`}
      heading={own === undefined ? "Address" : <bdi>{own}</bdi>}
      actions={<WatchButton key={address} address={address} />}
    >
      <p className="subject copyable">
        <code className="hash">{address}</code>
        <CopyButton text={address} what="address" />
      </p>
      <Panel title="Overview">
        <AddressFacts key={address} address={address} />
      </Panel>
      <Tabs address={address} selected={tab} />
      <div key={`${address} ${tab}`} className="stack">
        <Content address={address} tab={tab} />
      </div>
    </Page>
  )
}
