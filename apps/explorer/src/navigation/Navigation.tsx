/** Parameters of the current URL, links and navigation. Every URL keeps the selected chain. */
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo } from "react"
import { type AroundNavHandler, Router, Link as RouterLink, useLocation } from "wouter"
import { useLocationProperty } from "wouter/use-browser-location"
import * as Entry from "./Entry.ts"
import * as Paths from "./Paths.ts"

const SearchContext = createContext<Paths.Search>({})

/** The parameters of the current URL. */
export const useSearch = (): Paths.Search => useContext(SearchContext)

/** Loads the code of the page at a path; undefined if it is already loaded. */
export type Load = (path: string) => Promise<unknown> | undefined

const LoadContext = createContext<Load>(() => undefined)

const currentSearch = (): string => location.search

interface NavigationProps {
  readonly load: Load
  readonly children: ReactNode
}

/** Opens a page once its code is loaded; until then the current page stays. */
const openWith = (load: Load): AroundNavHandler => {
  let latest = 0
  return (navigate, to, options) => {
    const turn = ++latest
    const from = Entry.key()
    const open = () => {
      // Another link was followed in the meantime.
      if (turn !== latest || from !== Entry.key()) return
      // As in browsers, a link to the current page adds no entry.
      const replace = options?.replace === true || to === `${location.pathname}${location.search}`
      navigate(to, { ...options, replace, state: Entry.next({ ...options?.state, replace }) })
    }
    const loading = load(to)
    if (loading === undefined) open()
    // Opened even on failure: the page itself shows why it could not be loaded.
    else loading.then(open, open)
  }
}

/** Provides navigation to links and pages. `load` must keep its identity while the page is open. */
export const Navigation = ({ children, load }: NavigationProps) => {
  const text = useLocationProperty(currentSearch)
  const search = useMemo(() => Paths.parseSearch(text), [text])
  const aroundNav = useMemo(() => openWith(load), [load])
  return (
    <LoadContext value={load}>
      <SearchContext value={search}>
        <Router aroundNav={aroundNav}>{children}</Router>
      </SearchContext>
    </LoadContext>
  )
}

/** A page with the parameters of its URL; `chain` defaults to the selected one. */
interface Target {
  /** A path made by `Paths`. */
  readonly to: string
  readonly search?: Paths.Search | undefined
}

const hrefOf = ({ search, to }: Target, chain: string | undefined): string => Paths.withSearch(to, { chain, ...search })

/** Opens a page. */
export const useNavigate = (): ((target: Target, change?: Entry.Change) => void) => {
  const { chain } = useSearch()
  const [, navigate] = useLocation()
  return (target, { keepsPosition, replace = false } = {}) =>
    navigate(hrefOf(target, chain), { replace, state: { keepsPosition } })
}

interface LinkProps extends Target, Pick<Entry.Change, "keepsPosition">, Omit<ComponentProps<"a">, "href"> {}

/** A link to a page. Preloads the page's code when the pointer is over it. */
export const Link = ({ keepsPosition, search, to, ...rest }: LinkProps) => {
  const { chain } = useSearch()
  const load = useContext(LoadContext)
  const href = hrefOf({ to, search }, chain)
  const preload = () => void load(href)?.catch(() => undefined)
  return <RouterLink href={href} state={{ keepsPosition }} onPointerEnter={preload} onFocus={preload} {...rest} />
}
