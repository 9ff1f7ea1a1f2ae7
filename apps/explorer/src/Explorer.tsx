/** The explorer: its pages by path. */
import { Suspense } from "react"
import { Route, Switch } from "wouter"
import { Skeleton } from "./display/Page.tsx"
import { NotFound, PageError } from "./layout/Fallback.tsx"
import { Layout } from "./layout/Layout.tsx"
import { lazyPage, type Preloaded } from "./navigation/lazyPage.tsx"
import { type Load, Navigation } from "./navigation/Navigation.tsx"
import { PageBoundary } from "./navigation/PageBoundary.tsx"
import { Position } from "./navigation/Position.tsx"

const HomePage = lazyPage(async () => (await import("./pages/HomePage.tsx")).HomePage)
const BlockPage = lazyPage(async () => (await import("./pages/BlockPage.tsx")).BlockPage)
const TransactionPage = lazyPage(async () => (await import("./pages/TransactionPage.tsx")).TransactionPage)
const AddressPage = lazyPage(async () => (await import("./pages/AddressPage.tsx")).AddressPage)
const WebhooksPage = lazyPage(async () => (await import("./pages/WebhooksPage.tsx")).WebhooksPage)

/** Pages by the first segment of their path. */
const pages = new Map<string, Preloaded>([
  ["", HomePage],
  ["block", BlockPage],
  ["tx", TransactionPage],
  ["address", AddressPage],
  ["webhooks", WebhooksPage],
])

/** Loads the code of the page at a path; undefined if it is already loaded, or if the path has no page. */
export const load: Load = (path) => pages.get(path.split(/[/?]/)[1] ?? "")?.preload()

const fallback = (
  <div className="page">
    <h1 className="visually-hidden">Daybook</h1>
    <Skeleton label="the page" />
  </div>
)

const showError = (error: unknown) => <PageError error={error} />

const Pages = () => (
  <PageBoundary show={showError}>
    <Suspense fallback={fallback}>
      <Switch>
        <Route path="/">
          <HomePage />
        </Route>
        <Route path="/block/:block">{({ block }) => <BlockPage block={block} />}</Route>
        <Route path="/tx/:hash">{({ hash }) => <TransactionPage hash={hash} />}</Route>
        <Route path="/address/:address">{({ address }) => <AddressPage address={address} />}</Route>
        <Route path="/webhooks">
          <WebhooksPage />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
      <Position />
    </Suspense>
  </PageBoundary>
)

/** The explorer, showing the page for the current URL. */
export const Explorer = () => (
  <PageBoundary show={showError}>
    <Navigation load={load}>
      <Layout>
        <Pages />
      </Layout>
    </Navigation>
  </PageBoundary>
)
