/** The boundary at which the followed part of a history starts, as of when the page was opened. */
import { useRef } from "react"
import { boundaryOf, isBelow } from "../../history/Boundary.ts"
import { useService, useStatus } from "../../service/Service.tsx"

/** The boundary. */
export interface Start {
  /** Last block of the past; `null` if all blocks are followed. */
  readonly boundary: number | null
}

/** The boundary; undefined until the status is known. It changes if the chain becomes shorter, as when a development node restarts. */
export const useStart = (): Start | undefined => {
  const { chain } = useService()
  const status = useStatus()
  const start = useRef<{ readonly chain: string; readonly start: Start } | undefined>(undefined)
  const known = start.current?.chain === chain.name ? start.current.start : undefined
  if (status !== undefined && status.indexed !== null && (known === undefined || isBelow(status, known.boundary))) {
    start.current = { chain: chain.name, start: { boundary: boundaryOf(status) } }
  }
  return start.current?.start
}
