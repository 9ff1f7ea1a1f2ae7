/** Which rows of a list are on screen. All rows have one height, so that none is measured, whatever their number. */
import { type RefObject, useLayoutEffect, useState } from "react"
import { flushSync } from "react-dom"

/** Places of rows from the top, of which some may be before the first row or behind the last one. */
interface RowWindow {
  readonly first: number
  /** The place after the last one. */
  readonly end: number
}

const none: RowWindow = { first: 0, end: 0 }

/** The rows of `box` on screen, as the page is scrolled. `height` is that of a row, in pixels. */
export const useRowWindow = (box: RefObject<HTMLElement | null>, height: number): RowWindow => {
  const [rows, setRows] = useState(none)
  useLayoutEffect(() => {
    const update = () => {
      if (box.current === null) return
      const top = -box.current.getBoundingClientRect().top
      const first = Math.floor(top / height)
      const end = Math.ceil((top + window.innerHeight) / height)
      setRows((before) => (before.first === first && before.end === end ? before : { first, end }))
    }
    // Before the next frame, in which the rows would be missing.
    const draw = () => flushSync(update)
    // Also when the page was moved to where it was left, and when what is above the list grows.
    const observer = new ResizeObserver(draw)
    addEventListener("scroll", draw, { passive: true })
    addEventListener("resize", draw)
    observer.observe(document.body)
    return () => {
      removeEventListener("scroll", draw)
      removeEventListener("resize", draw)
      observer.disconnect()
    }
  }, [height])
  return rows
}
