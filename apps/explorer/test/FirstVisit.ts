/** First visits to a page in a new profile: the time until an element is drawn, and the scripts that were loaded by then. */
import type { Browser } from "playwright-core"
import * as Build from "./Build.ts"

/** Upper limit of the transferred bytes of scripts in a first visit. */
export const maxScriptBytes = 180 * 1024

/** A page, and the element to wait for. */
export interface Target {
  readonly name: string
  readonly path: string
  readonly selector: string
}

/** Typical first pages: latest blocks, the overview of a transaction, the history of an address. */
export const targets = (transaction: string, address: string): ReadonlyArray<Target> => [
  { name: "home", path: "/", selector: "tr[data-hash]" },
  { name: "transaction", path: `/tx/${transaction}`, selector: ".fact" },
  { name: "address", path: `/address/${address}`, selector: ".rows-body .row" },
]

/** A first visit. */
export interface FirstVisit {
  /** Milliseconds from the start of the navigation until the element was drawn. */
  readonly millis: number
  /** Paths of the scripts that were loaded when the element was inserted. */
  readonly scripts: ReadonlyArray<string>
}

/** Runs in the page. */
const readMarks = (): FirstVisit => {
  const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN
  const resources = performance.getEntriesByType("resource") as unknown as ReadonlyArray<PerformanceResourceTiming>
  const scripts = resources.filter(({ name, responseEnd }) => name.endsWith(".js") && responseEnd <= at("found"))
  return { millis: at("drawn"), scripts: scripts.map(({ name }) => new URL(name).pathname) }
}

/** Visits a page with an empty cache. */
export const make = async (browser: Browser, url: string, { path, selector }: Target): Promise<FirstVisit> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript((wanted) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(wanted) === null) return
      observer.disconnect()
      performance.mark("found")
      requestAnimationFrame(() => setTimeout(() => performance.mark("drawn")))
    })
    observer.observe(document, { childList: true, subtree: true })
  }, selector)
  await page.goto(`${url}${path}`)
  await page.waitForFunction(() => performance.getEntriesByName("drawn").length > 0)
  const visit = await page.evaluate(readMarks)
  await context.close()
  return visit
}

/** Transferred bytes of the scripts of a visit. */
export const scriptBytes = ({ scripts }: FirstVisit): number =>
  scripts.reduce((sum, path) => sum + Build.sentSizeOf(path), 0)
