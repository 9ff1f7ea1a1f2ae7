/** The search box in the header. `/` focuses it, Enter searches, Escape closes the results. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react"
import * as Entry from "../navigation/Entry.ts"
import { Link, useNavigate } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { explain } from "../service/Errors.ts"
import { useService } from "../service/Service.tsx"
import { useWatchList } from "../watch/WatchList.ts"
import type { Hit, Resolution, Target } from "./Resolve.ts"
import { ForeignText } from "../text/ForeignText.tsx"

const paths = { address: Paths.address, tx: Paths.transaction, block: Paths.block }

/** The path of the page of a hit. */
const pathOf = ({ id, page }: Target): string => paths[page](id)

type State = { readonly _tag: "Idle" } | { readonly _tag: "Searching" } | Resolution

const idle: State = { _tag: "Idle" }

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Code that is loaded once a person turns to the box. */
const loadResolver = () => import("./Resolve.ts")

/** Focuses the box when a person presses `/` outside of a field. */
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
    <ul className="search-results" aria-label="Results">
      {state.hits.map((hit: Hit) => (
        <li key={`${hit.kind} ${hit.chain} ${hit.target.id}`}>
          <Link
            to={pathOf(hit.target)}
            {...(hit.chain === chain.name ? {} : { search: { chain: hit.chain } })}
            onClick={onClose}
          >
            <ForeignText className="hit-kind" text={hit.kind} /> <ForeignText className="hit-name" text={hit.name} />
            <code className="hit-detail">{hit.detail}</code>
          </Link>
        </li>
      ))}
    </ul>
  )
}

export const SearchBox = () => {
  const service = useService()
  const watched = useWatchList()
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const latest = useRef(0)
  const [text, setText] = useState("")
  const [state, setState] = useState<State>(idle)
  useSlash(() => input.current?.focus())

  const close = () => {
    latest.current++
    setState(idle)
  }
  const search = async () => {
    const turn = ++latest.current
    const entry = Entry.key()
    setState({ _tag: "Searching" })
    const find = async () => (await loadResolver()).resolve(text, service, watched)
    const found = await find().catch((error: unknown): Resolution => {
      const { detail, title } = explain(error)
      return { _tag: "Nothing", reason: `${title}. ${detail}` }
    })
    if (turn !== latest.current) return
    // Another page was opened meanwhile.
    if (entry !== Entry.key()) return close()
    setState(found)
    if (found._tag !== "Exact") return
    setText("")
    input.current?.blur()
    navigate({ to: pathOf(found.target) })
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void search()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return
    close()
    input.current?.focus()
  }
  return (
    <form className="search" role="search" onSubmit={onSubmit} onKeyDown={onKeyDown}>
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
        onChange={({ target }) => {
          close()
          setText(target.value)
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      <div aria-live="polite">
        <Results state={state} onClose={close} />
      </div>
    </form>
  )
}
