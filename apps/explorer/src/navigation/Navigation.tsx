/** The parameters of the URL on screen, links and navigation. The selected chain is kept in each URL. */
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo } from "react"
import { type AroundNavHandler, Router, Link as RouterLink, useLocation } from "wouter"
import { useLocationProperty } from "wouter/use-browser-location"
import * as Entry from "./Entry.ts"
import * as Paths from "./Paths.ts"

const SearchContext = createContext<Paths.Search>({})

/** The parameters of the URL on screen. */
export const useSearch = (): Paths.Search => useContext(SearchContext)

/** Loads the code of the page of a path; undefined where it is there. */
export type Load = (path: string) => Promise<unknown> | undefined

const LoadContext = createContext<Load>(() => undefined)

const currentSearch = (): string => location.search

interface NavigationProps {
  readonly load: Load
  readonly children: ReactNode
}

/** Opens pages once their code is there: until then the one on screen stays. */
const openWith = (load: Load): AroundNavHandler => {
  let latest = 0
  return (navigate, to, options) => {
    const turn = ++latest
    const from = Entry.key()
    const open = () => {
      // Another link was followed meanwhile.
      if (turn !== latest || from !== Entry.key()) return
      // As in the browser, a link to the page on screen adds no entry.
      const replace = options?.replace === true || to === `${location.pathname}${location.search}`
      navigate(to, { ...options, replace, state: Entry.next({ ...options?.state, replace }) })
    }
    const loading = load(to)
    if (loading === undefined) open()
    // The page itself shows why it could not be loaded.
    else loading.then(open, open)
  }
}

/** What links and pages need around them. `load` is the same function for as long as the page is open. */
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

/** A page with parameters of its URL; `chain` is the selected one when absent. */
interface Target {
  /** As `Paths` makes it. */
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

/** A link to a page, whose code is loaded as soon as a person points at it. */
export const Link = ({ keepsPosition, search, to, ...rest }: LinkProps) => {
  const { chain } = useSearch()
  const load = useContext(LoadContext)
  const href = hrefOf({ to, search }, chain)
  const preload = () => void load(href)?.catch(() => undefined)
  return <RouterLink href={href} state={{ keepsPosition }} onPointerEnter={preload} onFocus={preload} {...rest} />
}
