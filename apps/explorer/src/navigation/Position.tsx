/** Moves a page to where it was left, and the focus to a page that is new. */
import { useLayoutEffect, useRef } from "react"
import { useLocationProperty, usePathname } from "wouter/use-browser-location"
import * as Entry from "./Entry.ts"

/** Comes after the page, so that its rows are there. */
export const Position = () => {
  const key = useLocationProperty(Entry.key)
  const path = usePathname()
  const shown = useRef(path)
  useLayoutEffect(() => {
    window.scrollTo(0, Entry.position())
  }, [key])
  useLayoutEffect(() => {
    // What a person activated is gone: a screen reader goes on with the new page, and states its heading.
    const isLost = document.activeElement === document.body
    if (path !== shown.current && isLost) document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true })
    shown.current = path
  }, [path])
  return null
}
