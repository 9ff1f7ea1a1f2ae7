/** The pages by path. Each page is a chunk of its own. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router"
import { Layout } from "./layout/Layout.tsx"
import { NotFound, PageError } from "./layout/Fallback.tsx"
import * as AddressSearch from "./pages/AddressSearch.ts"

/** Parameters that every page has. */
interface PageSearch {
  /** Chain by name; the first one of the service when absent. */
  readonly chain?: string | undefined
}

type Parameters = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const root = createRootRoute({
  component: Layout,
  notFoundComponent: NotFound,
  errorComponent: PageError,
  validateSearch: (search: Parameters): PageSearch => ({ chain: textOf(search["chain"]) }),
  search: { middlewares: [retainSearchParams(["chain"])] },
})

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/HomePage.tsx"), "HomePage"),
})

const block = createRoute({
  getParentRoute: () => root,
  path: "/block/$block",
  component: lazyRouteComponent(() => import("./pages/BlockPage.tsx"), "BlockPage"),
})

const transaction = createRoute({
  getParentRoute: () => root,
  path: "/tx/$hash",
  component: lazyRouteComponent(() => import("./pages/TransactionPage.tsx"), "TransactionPage"),
})

const address = createRoute({
  getParentRoute: () => root,
  path: "/address/$address",
  validateSearch: AddressSearch.parse,
  component: lazyRouteComponent(() => import("./pages/AddressPage.tsx"), "AddressPage"),
})

const tree = root.addChildren([home, block, transaction, address])

/** Plain parameters, so that URLs are short and can be written by hand. */
const parseSearch = (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text))

const stringifySearch = (search: Record<string, unknown>): string => {
  const set = Object.entries(search).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  return set.length === 0 ? "" : `?${new URLSearchParams(set)}`
}

/** Makes the router. */
export const makeRouter = () =>
  createRouter({ routeTree: tree, defaultPreload: "intent", scrollRestoration: true, parseSearch, stringifySearch })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
