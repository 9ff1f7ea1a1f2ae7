/** Where the followed part of the history on screen begins: as it was when the page was opened. */
import { useRef } from "react"
import { boundaryOf } from "../../history/Boundary.ts"
import { useService, useStatus } from "../../service/Service.tsx"

/** The boundary. */
export interface Start {
  /** Last block of the past; `null` where all blocks are followed. */
  readonly boundary: number | null
}

/** The boundary; undefined until the status is known. */
export const useStart = (): Start | undefined => {
  const { chain } = useService()
  const status = useStatus()
  const start = useRef<{ readonly chain: string; readonly start: Start } | undefined>(undefined)
  if (status !== undefined && status.indexed !== null && start.current?.chain !== chain.name) {
    start.current = { chain: chain.name, start: { boundary: boundaryOf(status) } }
  }
  return start.current?.start
}
