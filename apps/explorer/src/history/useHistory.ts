/** The history of a wallet in a component. */
import type { RestPromiseClient } from "@daybook/rest/promise"
import { useEffect, useState, useSyncExternalStore } from "react"
import * as Clients from "../service/Clients.ts"
import { useService, useStatus } from "../service/Service.tsx"
import { isBelow } from "./Boundary.ts"
import * as History from "./History.ts"
import { histories } from "./OpenHistories.ts"
import { useEntry } from "./useEntry.ts"

/** The snapshot before the client is loaded. */
const none = { count: 0, isComplete: false, isReloaded: false, boundary: undefined } as const

const never = () => () => undefined

/** A snapshot with the functions that continue it. */
export interface Shown<Row> extends History.Snapshot<Row> {
  /** Last block of the part that is read in pages, `null` for none; undefined before the history is open. */
  readonly boundary: number | null | undefined
  /** Number of rows added on top between the user leaving this history and returning to it. */
  readonly added: number
  readonly loadMore: () => void
  readonly retry: () => void
}

type Make<Row> = (client: RestPromiseClient, chain: string) => History.Source<Row>

/** Opens the history with an id, or reuses the open one. Reopens it once the chain ends below its boundary. `null` waits. */
const useOpen = <Row>(id: string | null, make: Make<Row>) => {
  const { apiKey, chain } = useService()
  const status = useStatus()
  const [opened, setOpened] = useState({ id: "", isAgain: false })
  const [turn, setTurn] = useState(0)
  const [error, setError] = useState<unknown>(null)
  // Sound: the id includes the kind of the rows.
  const history = id === null ? undefined : (histories.find(id) as History.History<Row> | undefined)
  const isGone = history !== undefined && status !== undefined && isBelow(status, history.boundary)
  useEffect(() => {
    if (id === null) return
    let isLeft = false
    const open = async () => {
      const client = await Clients.rest(apiKey)
      if (isLeft) return
      histories.open(id, (signal) => History.open(make(client, chain.name), signal))
      setOpened({ id, isAgain: isGone })
    }
    if (isGone || !histories.hold(id)) open().catch(setError)
    return () => {
      isLeft = true
      histories.leave(id)
    }
    // `make` is determined by the id.
  }, [id, turn, isGone])
  const retry = () => {
    setError(null)
    setTurn(turn + 1)
  }
  return { history, error, retry, isAgain: opened.isAgain && opened.id === id }
}

/**
 * Opens a history with `make`, and another one whenever `key` changes. A user who navigates back finds the one they left. A `key` of
 * `null` waits.
 */
export const useHistory = <Row>(key: string | null, make: Make<Row>): Shown<Row> => {
  const { apiKey, chain } = useService()
  const entry = useEntry(key ?? "")
  const id = key === null ? null : [entry, chain.name, apiKey, key].join("\n")
  const [added] = useState(() => (id === null ? 0 : histories.added(id)))
  const { error, history, isAgain, retry } = useOpen(id, make)
  const snapshot = useSyncExternalStore<History.Snapshot<Row> | null>(
    history?.subscribe ?? never,
    () => history?.snapshot() ?? null,
  )
  if (history === undefined || snapshot === null) {
    const waiting = { rows: { past: [], live: [] }, isLoading: error === null, error, added: 0 }
    return { ...none, ...waiting, loadMore: () => undefined, retry }
  }
  const isReloaded = isAgain || snapshot.isReloaded
  return {
    ...snapshot,
    isReloaded,
    added,
    boundary: history.boundary,
    loadMore: history.loadMore,
    retry: history.retry,
  }
}
