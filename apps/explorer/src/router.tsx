/** The pages by path. Each page is a chunk of its own. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router"
import { Layout } from "./layout/Layout.tsx"

/** Parameters that every page has. */
export interface PageSearch {
  /** Chain by name; the first one of the service when absent. */
  readonly chain?: string
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined

const readPageSearch = (search: Readonly<Record<string, unknown>>): PageSearch => {
  const chain = text(search["chain"])
  return chain === undefined ? {} : { chain }
}

const root = createRootRoute({ component: Layout, validateSearch: readPageSearch })

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/HomePage.tsx"), "HomePage"),
})

const tree = root.addChildren([home])

/** Makes the router. */
export const makeRouter = () => createRouter({ routeTree: tree, defaultPreload: "intent", scrollRestoration: true })

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
