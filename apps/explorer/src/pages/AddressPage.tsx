/** The page of an address: what it is, what it holds, and its history in tabs. */
import { Suspense, useEffect, useRef } from "react"
import { Notice, Page, Panel, Skeleton } from "../display/Page.tsx"
import { checksummed } from "../display/AddressText.ts"
import { CopyButton } from "../display/Values.tsx"
import { Failure } from "../layout/Fallback.tsx"
import { useLabel } from "../names/useNames.ts"
import { Link, useSearch } from "../navigation/Navigation.tsx"
import { lazyPage } from "../navigation/lazyPage.tsx"
import { PageBoundary } from "../navigation/PageBoundary.tsx"
import * as Paths from "../navigation/Paths.ts"
import { useWatchLabel } from "../watch/WatchList.ts"
import { nameOf } from "./address/AddressName.ts"
import { parse, type Tab, tabs } from "./address/AddressSearch.ts"
import { LackNotices } from "./address/LackNotices.tsx"
import { OtherChains } from "./address/OtherChains.tsx"
import { AddressFacts, useKind } from "./address/AddressFacts.tsx"
import { type AddressKind, tokenIn } from "./address/AddressKind.ts"
import { TransactionsTab } from "./address/TransactionsTab.tsx"
import { useContract } from "./address/useContract.ts"
import { WatchButton } from "./address/WatchButton.tsx"
import { ForeignText } from "../text/ForeignText.tsx"
import { isolated } from "../text/VisibleText.ts"

/** Contents of the tabs. The first one is part of the page, the others are loaded when the user is about to open them. */
const contents = {
  transfers: lazyPage(async () => (await import("./address/TransfersTab.tsx")).TransfersTab),
  transactions: TransactionsTab,
  movements: lazyPage(async () => (await import("./address/MovementsTab.tsx")).MovementsTab),
  internal: lazyPage(async () => (await import("./address/InternalTab.tsx")).InternalTab),
  tokens: lazyPage(async () => (await import("./address/TokensTab.tsx")).TokensTab),
  statement: lazyPage(async () => (await import("./address/StatementTab.tsx")).StatementTab),
  charts: lazyPage(async () => (await import("./address/ChartsTab.tsx")).ChartsTab),
  contract: lazyPage(async () => (await import("./address/ContractTab.tsx")).ContractTab),
} satisfies Record<Tab, unknown>

const preload = (tab: Tab): void => {
  if (tab !== "transactions") void contents[tab].preload()?.catch(() => undefined)
}

const names: Readonly<Record<Tab, string>> = {
  transfers: "Transfers",
  transactions: "Transactions",
  movements: "Movements",
  internal: "Internal",
  tokens: "Tokens",
  statement: "Statement",
  charts: "Charts",
  contract: "Contract",
}

/** Whether a tab is shown: some are for contracts only, some for tokens only. */
const isShown = (tab: Tab, kind: AddressKind | undefined): boolean => {
  if (tab === "contract") return kind?._tag === "Contract"
  return tab !== "transfers" || tokenIn(kind) !== null
}

const Tabs = ({ address, selected }: { readonly address: string; readonly selected: Tab }) => {
  const kind = useKind(address).data
  const box = useRef<HTMLElement>(null)
  // On a phone, the selected tab may be off screen.
  useEffect(() => {
    const [nav, link] = [box.current, box.current?.querySelector<HTMLElement>("[aria-current]")]
    if (nav === null || link === null || link === undefined) return
    nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2
  }, [selected, kind])
  return (
    <nav className="tabs" aria-label="Parts of the history" ref={box}>
      {tabs
        .filter((tab) => selected === tab || isShown(tab, kind))
        .map((tab) => (
          <Link
            key={tab}
            to={Paths.address(address)}
            search={{ tab: tab === "transactions" ? undefined : tab }}
            aria-current={tab === selected ? "page" : undefined}
            keepsPosition
            onPointerEnter={() => preload(tab)}
            onFocus={() => preload(tab)}
          >
            {names[tab]}
          </Link>
        ))}
    </nav>
  )
}

export const AddressPage = ({ address: given }: { readonly address: string }) => {
  const { tab = "transactions" } = parse(useSearch())
  const address = given.toLowerCase()
  const own = useWatchLabel(address)
  const isAddress = /^0x[0-9a-f]{40}$/.test(address)
  const served = useLabel(own === undefined && isAddress ? address : null)
  const token = tokenIn(useKind(address, isAddress).data)
  const described = useContract(address, token !== null && served !== undefined).data?.result?.contract
  const name = nameOf({ own, served, token, contract: described })
  const Content = contents[tab]
  if (!isAddress) {
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
      title={name === undefined ? `Address ${checksummed(address).slice(0, 10)}` : isolated(name)}
      heading={name === undefined ? "Address" : <ForeignText text={name} />}
      actions={<WatchButton key={address} address={address} />}
    >
      <p className="subject copyable">
        <code className="hash">{checksummed(address)}</code>
        <CopyButton text={checksummed(address)} what="address" />
      </p>
      <Panel title="Overview">
        <AddressFacts key={address} address={address} heading={name} />
      </Panel>
      <LackNotices key={`lack ${address}`} address={address} />
      <OtherChains key={`chains ${address}`} address={address} />
      <Tabs address={address} selected={tab} />
      <div key={`${address} ${tab}`} className="stack">
        <PageBoundary show={(error) => <Failure error={error} />}>
          <Suspense fallback={<Skeleton label={names[tab]} />}>
            <Content address={address} />
          </Suspense>
        </PageBoundary>
      </div>
    </Page>
  )
}
