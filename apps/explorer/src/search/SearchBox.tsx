/** The search box in the header. `/` focuses it, names appear while typing, Enter searches, and Escape closes the results. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react"
import { checksummed } from "../display/AddressText.ts"
import { Link } from "../navigation/Navigation.tsx"
import { useService } from "../service/Service.tsx"
import { ForeignText } from "../text/ForeignText.tsx"
import type { Hit } from "./Resolve.ts"
import { loadResolver, pathOf, type State, useSearch } from "./useSearch.ts"

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Focuses the box when `/` is pressed outside a field. */
const useSlash = (focus: () => void) => {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      focus()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [focus])
}

const Results = ({ onClose, state }: { readonly state: State; readonly onClose: () => void }) => {
  const { chain } = useService()
  if (state._tag === "Idle" || state._tag === "Exact") return null
  if (state._tag === "Searching") return <p className="search-results">Searching</p>
  if (state._tag === "Nothing") {
    return (
      <div className="search-results">
        <p className="notice-title">Nothing found</p>
        <p>
          <ForeignText text={state.reason} />
        </p>
      </div>
    )
  }
  return (
    <ul
      className="search-results"
      aria-label="Results"
      // The box keeps the focus: losing it would close the list before the click.
      onMouseDown={(event) => event.preventDefault()}
    >
      {state.hits.map((hit: Hit) => (
        <li key={`${hit.kind} ${hit.chain} ${hit.target.id}`}>
          <Link
            to={pathOf(hit.target)}
            {...(hit.chain === chain.name ? {} : { search: { chain: hit.chain } })}
            onClick={onClose}
          >
            <ForeignText className="hit-kind" text={hit.kind} /> <ForeignText className="hit-name" text={hit.name} />
            <code className="hit-detail">{checksummed(hit.detail)}</code>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Moves the focus through the box and its results. */
const moveFocus = (form: HTMLFormElement, step: -1 | 1): void => {
  const stops = [...form.querySelectorAll<HTMLElement>("input, .search-results a")]
  const at = stops.findIndex((stop) => stop === document.activeElement)
  stops.at((at + step) % stops.length)?.focus()
}

export const SearchBox = () => {
  const input = useRef<HTMLInputElement>(null)
  const { change, close, search, state, text } = useSearch(() => input.current?.blur())
  useSlash(() => input.current?.focus())

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void search()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    const { currentTarget, key } = event
    if (key === "Escape") {
      close()
      input.current?.focus()
    } else if (state._tag === "Hits" && (key === "ArrowDown" || key === "ArrowUp")) {
      event.preventDefault()
      moveFocus(currentTarget, key === "ArrowDown" ? 1 : -1)
    }
  }
  return (
    <form
      className="search"
      role="search"
      onSubmit={onSubmit}
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (state._tag !== "Searching" && state._tag !== "Nothing" && !currentTarget.contains(relatedTarget)) close()
      }}
    >
      <input
        ref={input}
        type="search"
        role="searchbox"
        aria-label="Search"
        aria-keyshortcuts="/"
        placeholder="Address, hash, block or name"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        onFocus={() => void loadResolver().catch(() => undefined)}
        onChange={({ target }) => change(target.value)}
      />
      <kbd aria-hidden="true">/</kbd>
      <div aria-live="polite">
        <Results state={state} onClose={close} />
      </div>
    </form>
  )
}
