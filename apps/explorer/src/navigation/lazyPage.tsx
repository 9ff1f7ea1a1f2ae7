/** Pages whose code is a file of its own. */
import { type ComponentType, createElement, type FunctionComponent, use } from "react"

/** What is loaded when it is needed. */
export interface Preloaded {
  /** Loads the code, again if that failed before; undefined where it is there. */
  readonly preload: () => Promise<unknown> | undefined
  /** The code is there, so that it is drawn at once. */
  readonly isLoaded: () => boolean
}

/**
 * Makes a page of a function that imports it. Once it is loaded it is drawn at once; before, the boundary above waits. (`lazy` of React would
 * show the fallback of the boundary for a page that was loaded ahead, too.)
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
      // Going back or forward tries again; a new attempt with each drawing would have no end.
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
