/** The state of the search box: suggestions while typing, and the result of Enter. */
import { useRef, useState } from "react"
import * as Entry from "../navigation/Entry.ts"
import { useNavigate } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { explain } from "../service/Errors.ts"
import { useService } from "../service/Service.tsx"
import { useWatchList } from "../watch/WatchList.ts"
import type { Resolution, Target } from "./Resolve.ts"

const paths = { address: Paths.address, tx: Paths.transaction, block: Paths.block }

/** The path of a hit's page. */
export const pathOf = ({ id, page }: Target): string => paths[page](id)

/** What the box shows. */
export type State = { readonly _tag: "Idle" } | { readonly _tag: "Searching" } | Resolution

const idle: State = { _tag: "Idle" }

/** Time without a keystroke after which suggestions are requested, in milliseconds. */
const suggestionMillis = 200

/** Loads the code of the search. Called when the box gets the focus. */
export const loadResolver = () => import("./Resolve.ts")

/** The text and state of the box, and the functions that change them. `onFound` is called before the page of an exact hit opens. */
export const useSearch = (onFound: () => void) => {
  const service = useService()
  const watched = useWatchList()
  const navigate = useNavigate()
  const latest = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [text, setText] = useState("")
  const [state, setState] = useState<State>(idle)

  /** Cancels the search in progress. */
  const begin = (): number => {
    clearTimeout(timer.current)
    return ++latest.current
  }
  const close = () => {
    begin()
    setState(idle)
  }
  const suggest = async (part: string, turn: number, entry: string) => {
    const find = async () => (await loadResolver()).suggest(part, service, watched)
    const hits = await find().catch(() => [])
    if (turn === latest.current) setState(hits.length === 0 || entry !== Entry.key() ? idle : { _tag: "Hits", hits })
  }
  const change = (value: string) => {
    const turn = begin()
    const entry = Entry.key()
    setText(value)
    // Hits stay until new ones replace them, so that the list does not flicker.
    if (state._tag !== "Hits" || value === "") setState(idle)
    timer.current = setTimeout(() => void suggest(value, turn, entry), suggestionMillis)
  }
  const search = async () => {
    const turn = begin()
    const entry = Entry.key()
    setState({ _tag: "Searching" })
    const find = async () => (await loadResolver()).resolve(text, service, watched)
    const found = await find().catch((error: unknown): Resolution => {
      const { detail, title } = explain(error)
      return { _tag: "Nothing", reason: `${title}. ${detail}` }
    })
    if (turn !== latest.current) return
    // Another page was opened in the meantime.
    if (entry !== Entry.key()) return close()
    setState(found)
    if (found._tag !== "Exact") return
    setText("")
    onFound()
    navigate({ to: pathOf(found.target) })
  }
  return { text, state, change, search, close }
}
