/** Pages whose code is a separate chunk. */
import { type ComponentType, createElement, type FunctionComponent, use } from "react"

/** Code that is loaded on demand. */
export interface Preloaded {
  /** Loads the code, retrying after an earlier failure; undefined if it is already loaded. */
  readonly preload: () => Promise<unknown> | undefined
  /** Whether the code is loaded, so that it can be drawn at once. */
  readonly isLoaded: () => boolean
}

/**
 * Makes a page from a function that imports it. A loaded page is drawn at once; otherwise the boundary above shows its fallback. (React's
 * `lazy` would show the fallback for a preloaded page, too.)
 */
export const lazyPage = <Props extends object>(
  read: () => Promise<ComponentType<Props>>,
): FunctionComponent<Props> & Preloaded => {
  let component: ComponentType<Props> | undefined
  let loading: Promise<ComponentType<Props>> | undefined
  let hasFailed = false
  const forget = () => {
    if (hasFailed) loading = undefined
  }
  const begin = async () => {
    hasFailed = false
    try {
      component = await read()
      return component
    } catch (error) {
      hasFailed = true
      // Navigating back or forward retries; a new attempt on each render would loop.
      addEventListener("popstate", forget, { once: true, capture: true })
      throw error
    }
  }
  const Page = (props: Props) => createElement(component ?? use((loading ??= begin())), props)
  const preload = () => {
    if (component !== undefined) return undefined
    if (loading === undefined || hasFailed) loading = begin()
    return loading
  }
  return Object.assign(Page, { preload, isLoaded: () => component !== undefined })
}
