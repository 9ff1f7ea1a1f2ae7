/** Moves a page to where it was left. */
import { useLayoutEffect } from "react"
import { useLocationProperty } from "wouter/use-browser-location"
import * as Entry from "./Entry.ts"

/** Stands behind the page, so that its rows are there. */
export const Position = () => {
  const key = useLocationProperty(Entry.key)
  useLayoutEffect(() => {
    // An entry without a key leads to a part of the page, to which the browser moves.
    if (key !== undefined) window.scrollTo(0, Entry.position())
  }, [key])
  return null
}
