/** Keeps the scroll position of the rows being read while rows are added above them, and restores it when the user navigates back. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react"

interface Position {
  /** Number of rows above those of the past. */
  readonly live: number
  /** Number of rows added since the history was left. */
  readonly added: number
  /** Height of a row in pixels. */
  readonly height: number
}

export const usePosition = (box: RefObject<HTMLElement | null>, { added, height, live }: Position): void => {
  const before = useRef(live)
  const shift = (rows: number) => {
    // At the top of the list, new rows move into view.
    const isInside = box.current !== null && box.current.getBoundingClientRect().top < 0
    if (rows !== 0 && isInside) window.scrollBy(0, rows * height)
  }
  useLayoutEffect(() => {
    shift(live - before.current)
    before.current = live
  }, [live])
  // By then the page has been scrolled to where it was left.
  const isMoved = useRef(false)
  useEffect(() => {
    if (!isMoved.current) shift(added)
    isMoved.current = true
  }, [])
  const drawnHeight = useRef(height)
  useLayoutEffect(() => {
    const ratio = height / drawnHeight.current - 1
    drawnHeight.current = height
    // When a phone is rotated, the top row stays in place.
    const above = -(box.current?.getBoundingClientRect().top ?? 0)
    if (ratio !== 0 && above > 0) window.scrollBy(0, above * ratio)
  }, [height])
}
