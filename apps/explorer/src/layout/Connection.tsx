/**
 * Reads the data on screen again once the chain has moved, and shows a notice while the service does not respond. Once it responds again,
 * everything that failed is read again.
 */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { Notice } from "../display/Page.tsx"
import { refetchLive, useChainStatus } from "../service/Service.tsx"
import * as Tip from "../service/Tip.ts"

export const Connection = () => {
  const queries = useQueryClient()
  const { data, isError } = useChainStatus()
  const tip = isError ? undefined : Tip.tipOf(data?.[0])
  useEffect(() => {
    Tip.set(tip)
    if (tip !== undefined) void refetchLive(queries)
  }, [queries, tip])
  useEffect(() => {
    // It may have restarted with other chains.
    if (isError) return void queries.refetchQueries({ queryKey: ["settings"] })
    void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" })
  }, [isError, queries])
  return isError ? (
    <Notice title="The service does not respond" tone="warning">
      This page may be out of date. It retries automatically.
    </Notice>
  ) : null
}
