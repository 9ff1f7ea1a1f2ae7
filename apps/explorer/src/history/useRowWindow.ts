/** Which rows of a list are on screen. All rows have one height, so that none is measured, whatever their number. */
import { type RefObject, useLayoutEffect, useState } from "react"
import { flushSync } from "react-dom"
import * as Entry from "../navigation/Entry.ts"

/** Places of rows from the top, of which some may be before the first row or behind the last one. */
export interface RowWindow {
  readonly first: number
  /** The place behind the last one. */
  readonly end: number
}

const none: RowWindow = { first: 0, end: 0 }

/** The rows of `box` on screen, as the page is scrolled. `height` is that of a row, in pixels. */
export const useRowWindow = (box: RefObject<HTMLElement | null>, height: number): RowWindow => {
  const [rows, setRows] = useState(none)
  useLayoutEffect(() => {
    const update = (scrolled: number) => {
      if (box.current === null) return
      const top = scrolled - (box.current.getBoundingClientRect().top + window.scrollY)
      const first = Math.floor(top / height)
      const end = Math.ceil((top + window.innerHeight) / height)
      setRows((before) => (before.first === first && before.end === end ? before : { first, end }))
    }
    // Before the next frame, in which the rows would be missing.
    const onScroll = () => flushSync(() => update(window.scrollY))
    // What is above the list may grow.
    const observer = new ResizeObserver(() => update(window.scrollY))
    // The page is about to be moved there.
    update(Entry.position())
    addEventListener("scroll", onScroll, { passive: true })
    addEventListener("resize", onScroll)
    observer.observe(document.body)
    return () => {
      removeEventListener("scroll", onScroll)
      removeEventListener("resize", onScroll)
      observer.disconnect()
    }
  }, [height])
  return rows
}
