/** The frame of every page: a header with search, chain and theme, then the page. */
import type { ExplorerSettings } from "@daybook/rest/ExplorerClient"
import { useQuery } from "@tanstack/react-query"
import { type MouseEvent, type ReactNode, useMemo } from "react"
import { ErrorNotice, Notice, Page, Skeleton } from "../display/Page.tsx"
import { Link, useNavigate, useSearch } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { SearchBox } from "../search/SearchBox.tsx"
import * as ApiKey from "../service/ApiKey.ts"
import { ServiceProvider, useService } from "../service/Service.tsx"
import { load } from "../service/Settings.ts"
import { Connection } from "./Connection.tsx"
import { KeyForm } from "./KeyForm.tsx"
import { ThemeButton } from "./Theme.tsx"
import { useHighlight } from "./useHighlight.ts"

const ChainSelect = () => {
  const { chain, chains } = useService()
  const navigate = useNavigate()
  if (chains.length === 1) return <span className="chain-name">{chain.name}</span>
  return (
    <select
      aria-label="Chain"
      value={chain.name}
      onChange={({ target }) => navigate({ to: Paths.home, search: { chain: target.value } })}
    >
      {chains.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}

const Header = () => (
  <header className="site-header">
    <Link to={Paths.home} className="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M9 7h9a7 7 0 0 1 7 7v4a7 7 0 0 1-7 7H9zM14 12v8" />
      </svg>
      Daybook
    </Link>
    <SearchBox />
    <ChainSelect />
    <ThemeButton />
  </header>
)

/** The chain of the URL, by name or chain id; undefined if the service has no such chain. */
const selectChain = ({ chains }: ExplorerSettings, selected: string | undefined) =>
  selected === undefined
    ? chains[0]
    : chains.find(({ chainId, name }) => name === selected || selected === String(chainId))

const NoSuchChain = ({ chains }: Pick<ExplorerSettings, "chains">) => (
  <Page title="No such chain" heading="Chains">
    <Notice title="This service has no such chain" tone="bad">
      <p>
        It serves {chains.map(({ name }) => name).join(", ")}.{" "}
        <Link to={Paths.home} search={{ chain: undefined }}>
          Show the first one.
        </Link>
      </p>
    </Notice>
  </Page>
)

const Content = ({ children, settings }: { readonly settings: ExplorerSettings; readonly children: ReactNode }) => {
  const entered = ApiKey.useApiKey()
  const { chain: selected } = useSearch()
  const chain = selectChain(settings, selected)
  // The header needs a chain even if the selected one does not exist.
  const shown = chain ?? settings.chains[0]
  const apiKey = settings.access === "open" ? ApiKey.openKey : entered
  const service = useMemo(
    () =>
      shown === undefined || apiKey === null
        ? null
        : { chain: shown, chains: settings.chains, apiKey, sendsWebhooks: settings.webhooks },
    [apiKey, shown, settings],
  )
  if (service === null) {
    return (
      <main className="page">
        <KeyForm />
      </main>
    )
  }
  return (
    <ServiceProvider value={service}>
      <a className="skip-link" href="#content" onClick={skip}>
        Skip to content
      </a>
      <Header />
      <main id="content" tabIndex={-1}>
        <Connection />
        {chain === undefined ? <NoSuchChain chains={settings.chains} /> : children}
      </main>
    </ServiceProvider>
  )
}

/** Only moves the focus: following the link would add an entry to the browser's history. */
const skip = (event: MouseEvent): void => {
  event.preventDefault()
  document.getElementById("content")?.focus()
}

const retryMillis = 3_000

export const Layout = ({ children }: { readonly children: ReactNode }) => {
  useHighlight()
  const { data, error, refetch } = useQuery({
    queryKey: ["settings"],
    queryFn: load,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.status === "error" ? retryMillis : false),
  })
  if (data !== undefined) return <Content settings={data}>{children}</Content>
  return (
    <main className="page">
      <h1 className="visually-hidden">Daybook</h1>
      {error === null ? <Skeleton label="the explorer" /> : <ErrorNotice error={error} onRetry={refetch} />}
    </main>
  )
}
