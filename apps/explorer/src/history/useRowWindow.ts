/** Which rows of a list are on screen. All rows have the same height, so that none has to be measured. */
import { type RefObject, useLayoutEffect, useState } from "react"
import { flushSync } from "react-dom"

/** Range of row indexes from the top; may extend before the first row or beyond the last one. */
interface RowWindow {
  readonly first: number
  /** Index after the last row. */
  readonly end: number
}

const none: RowWindow = { first: 0, end: 0 }

/** The rows of `box` that are on screen, updated as the page scrolls. `height` is the row height in pixels. */
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
    // Draws before the next frame, in which the rows would otherwise be missing.
    const draw = () => flushSync(update)
    // Also updates when the page's scroll position is restored, and when the content above the list grows.
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
