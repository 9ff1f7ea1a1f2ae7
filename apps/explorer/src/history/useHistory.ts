/** The history of a wallet in a component. */
import type { RestPromiseClient } from "@daybook/rest/promise"
import { useEffect, useState, useSyncExternalStore } from "react"
import * as Clients from "../service/Clients.ts"
import { useService } from "../service/Service.tsx"
import * as History from "./History.ts"

/** Nothing is on screen before the client is loaded. */
const none = { rows: { past: [], live: [] }, count: 0, isComplete: false, isReloaded: false, error: null } as const

const never = () => () => undefined

/** A snapshot with what continues it. */
export interface Shown<Row> extends History.Snapshot<Row> {
  readonly loadMore: () => void
  readonly retry: () => void
}

/**
 * Opens the history of `make`, and again whenever `key` changes. `null` as `key` waits.
 */
export const useHistory = <Row>(
  key: string | null,
  make: (client: RestPromiseClient, chain: string) => History.Source<Row>,
): Shown<Row> => {
  const { apiKey, chain } = useService()
  const [history, setHistory] = useState<History.History<Row> | null>(null)
  const [loadError, setLoadError] = useState<unknown>(null)
  useEffect(() => {
    setHistory(null)
    if (key === null) return
    const controller = new AbortController()
    Clients.rest(apiKey).then(
      (client) => {
        if (!controller.signal.aborted) setHistory(History.open(make(client, chain.name), controller.signal))
      },
      (error: unknown) => setLoadError(error),
    )
    return () => controller.abort()
    // `make` follows from the key.
  }, [apiKey, chain.name, key])
  const snapshot = useSyncExternalStore<History.Snapshot<Row> | null>(
    history?.subscribe ?? never,
    () => history?.snapshot() ?? null,
  )
  const actions = { loadMore: () => history?.loadMore(), retry: () => history?.retry() }
  if (snapshot === null) {
    return { ...none, rows: { past: [], live: [] }, isLoading: loadError === null, error: loadError, ...actions }
  }
  return { ...snapshot, ...actions }
}
