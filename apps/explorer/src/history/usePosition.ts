/** Keeps the rows that a person reads in their place, while rows are added above them and once the person goes back to them. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react"

interface Position {
  /** Rows above those of the past. */
  readonly live: number
  /** Rows that were added since the history was left. */
  readonly added: number
  /** Height of a row in pixels. */
  readonly height: number
}

export const usePosition = (box: RefObject<HTMLElement | null>, { added, height, live }: Position): void => {
  const before = useRef(live)
  const shift = (rows: number) => {
    // A person at the top of the list sees what is new there.
    const isInside = box.current !== null && box.current.getBoundingClientRect().top < 0
    if (rows !== 0 && isInside) window.scrollBy(0, rows * height)
  }
  useLayoutEffect(() => {
    shift(live - before.current)
    before.current = live
  }, [live])
  // The page is where it was left by then.
  const isMoved = useRef(false)
  useEffect(() => {
    if (!isMoved.current) shift(added)
    isMoved.current = true
  }, [])
  const drawnHeight = useRef(height)
  useLayoutEffect(() => {
    const ratio = height / drawnHeight.current - 1
    drawnHeight.current = height
    // A phone was turned: the row on top stays there.
    const above = -(box.current?.getBoundingClientRect().top ?? 0)
    if (ratio !== 0 && above > 0) window.scrollBy(0, above * ratio)
  }, [height])
}
