/** The explorer in a browser: opens pages, reads their contents, and checks them with axe. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, BrowserContext, Page } from "playwright-core"

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** A page of the explorer, and its issues. */
export interface Site {
  readonly context: BrowserContext
  readonly page: Page
  /** Script errors, violations of the content security policy, and requests to other hosts. */
  readonly issues: Array<string>
  readonly open: (path: string) => Promise<void>
  /** Navigates to a page as a link does, without reloading the site. */
  readonly navigate: (path: string) => Promise<void>
  /** Closes the tab, even while requests that a test intercepts are pending. */
  readonly close: () => Promise<void>
}

/** Console messages about failed responses of the service are not errors of the page. */
const isOfNetwork = (text: string): boolean => text.startsWith("Failed to load resource")

/** Opens a separate tab. */
export const make = async (
  browser: Browser,
  url: string,
  options: { readonly colorScheme?: "dark" | "light"; readonly width?: number; readonly height?: number } = {},
): Promise<Site> => {
  const { colorScheme = "light", width = 1280, height = width < 500 ? 740 : 900 } = options
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    acceptDownloads: true,
    timezoneId: "Pacific/Chatham",
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const issues: Array<string> = []
  page.on("pageerror", (error) => issues.push(`error: ${error.message}`))
  page.on("console", (message) => {
    if (message.type() === "error" && !isOfNetwork(message.text())) issues.push(`console: ${message.text()}`)
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("blob:")) issues.push(`request: ${request.url()}`)
  })
  page.on("dialog", (dialog) => {
    issues.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  const open = async (path: string) => {
    await page.goto(`${url}${path}`)
    // The site shows another heading until the page is loaded.
    await page.locator("main .page-head h1").first().waitFor()
    await settle(page)
  }
  const navigate = async (path: string) => {
    await page.evaluate((to) => history.pushState(null, "", to), path)
    // The previous page remains visible for a moment.
    const id = path.slice(path.lastIndexOf("/") + 1).split("?")[0]!
    await page.locator("main .hash", { hasText: id }).first().waitFor()
    await settle(page)
  }
  const close = async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await context.close()
  }
  return { context, page, issues, open, navigate, close }
}

/** Waits until nothing on the page is loading. */
export const settle = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => document.querySelector(".skeleton") === null)
}

/** Violations that axe reports, each with its first element. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axeSource)
  const reported = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        readonly run: () => Promise<{
          readonly violations: ReadonlyArray<{
            readonly id: string
            readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
          }>
        }>
      }
    }
    const result = await axe.run()
    return result.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
    )
  })
  return reported
}

/** Scrolls a history by some rows and waits until they are drawn; returns true if it was already at the end. */
export const scroll = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const atBottom = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2
    window.scrollBy(0, 500)
    const isAtEnd = atBottom && document.querySelector(".end") !== null
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return isAtEnd
  })

/** Waits until the visible rows are the first of these keys: after a change of the filter the previous rows remain for a moment. */
export const untilRows = async (page: Page, keys: ReadonlyArray<string>): Promise<void> => {
  await page.waitForFunction((expected) => {
    const rows = [...document.querySelectorAll<HTMLElement>(".rows-body .row")]
    return rows.length > 0 && rows.every((row, at) => row.dataset["key"] === expected[at])
  }, keys)
}

/** Enters a text into the search box, which it opens with its keyboard shortcut. */
export const search = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press("/")
  await page.getByRole("searchbox").fill(text)
  await page.keyboard.press("Enter")
}

/** Keys of all rows of a history, from top to bottom, read by scrolling to the end. */
export const walk = async (page: Page): Promise<ReadonlyArray<string>> => {
  const keys = new Set<string>()
  for (let turn = 0; turn < 400; turn++) {
    const shown = await page
      .locator(".rows-body .row")
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["key"] ?? ""))
    for (const key of shown) keys.add(key)
    if (await scroll(page)) return [...keys]
  }
  const notices = await page.locator(".notice").allInnerTexts()
  throw new Error(`walk: the history has no end after ${keys.size} rows. ${notices.join(" ")}`)
}

/** Value of a named fact in the overview of a page. */
export const fact = (page: Page, name: string) =>
  page
    .locator(".fact")
    .filter({ has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
    .locator("dd")
    .first()

/** Downloads a file with a button of the page; returns its contents. */
export const download = async (page: Page, name: "CSV" | "NDJSON"): Promise<string> => {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name, exact: true }).click(),
  ])
  return readFileSync(await file.path(), "utf8")
}

/** Rows of a CSV file as cells. */
export const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\r\n")
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"(?<quoted>(?:[^"]|"")*)"|(?<plain>[^,]*))/g)].map(
        ({ groups }) => groups?.["quoted"]?.replaceAll('""', '"') ?? groups?.["plain"] ?? "",
      ),
    )

/** Exact ether amount of wei, implemented independently of the page. */
export const ether = (wei: bigint): string => {
  const digits = wei.toString().padStart(19, "0")
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, "")
}
