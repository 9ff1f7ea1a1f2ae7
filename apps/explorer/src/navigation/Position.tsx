/** Restores the scroll position of a page, and moves the focus to a new page. */
import { useLayoutEffect, useRef } from "react"
import { useLocationProperty, usePathname } from "wouter/use-browser-location"
import * as Entry from "./Entry.ts"

/** Rendered after the page, so that its rows exist. */
export const Position = () => {
  const key = useLocationProperty(Entry.key)
  const path = usePathname()
  const shown = useRef(path)
  useLayoutEffect(() => {
    window.scrollTo(0, Entry.position())
  }, [key])
  useLayoutEffect(() => {
    // The focused element is gone: focus the new page, so that a screen reader continues there and reads its heading.
    const isLost = document.activeElement === document.body
    if (path !== shown.current && isLost) document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true })
    shown.current = path
  }, [path])
  return null
}
