/** Reads again what is on screen once the chain has moved, and shows that the service does not respond. Once it is back, everything that failed is read again. */
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
    // It may have started again with other chains.
    if (isError) return void queries.refetchQueries({ queryKey: ["settings"] })
    void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" })
  }, [isError, queries])
  return isError ? (
    <Notice title="The service does not respond" tone="warning">
      What is on screen may be out of date. This page tries again by itself.
    </Notice>
  ) : null
}
