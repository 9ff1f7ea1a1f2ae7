/** A notice while the service does not respond. Once it is back, everything that failed is read again. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { Notice } from "../display/Page.tsx"
import { useStatuses } from "../service/Service.tsx"

export const Connection = () => {
  const queries = useQueryClient()
  const { isError } = useStatuses()
  useEffect(() => {
    if (isError) return
    void queries.refetchQueries({ predicate: ({ state }) => state.status === "error" })
  }, [isError, queries])
  return isError ? (
    <Notice title="The service does not respond" tone="warning">
      What is on screen may be out of date. This page tries again by itself.
    </Notice>
  ) : null
}
