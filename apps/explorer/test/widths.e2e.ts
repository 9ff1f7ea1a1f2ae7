/** Tests every page at several window widths: nothing is wider than the window, even after resizing. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import * as Receivers from "./Receivers.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

const widths = [320, 360, 390, 768, 1280, 2560]

describe.skipIf(ChromiumBrowser.missing !== undefined)("widths of the explorer", () => {
  let world: World.World
  let browser: Browser
  let receivers: Receivers.Receivers

  beforeAll(async () => {
    await Build.make()
    ;[world, browser] = await Promise.all([
      World.start({ blocks: 40, project: "hardhat", sendsWebhooks: true }),
      ChromiumBrowser.launch(),
    ])
    receivers = await Receivers.start(world)
    const { id } = await receivers.add("Books of the treasury", "failing")
    await receivers.until(id, ({ failures }) => failures > 0)
  })
  afterAll(async () => {
    await browser?.close()
    await receivers?.stop()
    await world?.close()
  })

  const paths = (): ReadonlyArray<string> => {
    const { accounts, contracts, transactions } = world.scenario
    const tabs = ["movements", "internal", "tokens", "statement", "charts", "operations"]
    return [
      "/",
      "/block/20",
      ...Object.values(transactions).map((hash) => `/tx/${hash}`),
      `/address/${accounts.alice}`,
      ...tabs.map((tab) => `/address/${accounts.alice}?tab=${tab}`),
      `/address/${contracts.gold}`,
      `/address/${contracts.gold}?tab=transfers`,
      `/address/${contracts.proxy}?tab=contract`,
      "/webhooks",
    ]
  }

  /** Innermost elements that extend beyond the window, and the overflow of the document. */
  const beyond = (page: Site.Site["page"]) =>
    page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      const width = document.documentElement.clientWidth
      const excess = document.documentElement.scrollWidth - width
      if (excess <= 0) return null
      const isBeyond = (element: Element) => element.getBoundingClientRect().right > width + 0.5
      const overflowing = [...document.querySelectorAll("body *")].filter(isBeyond)
      const inner = overflowing.filter((element) => ![...element.children].some(isBeyond))
      return `${excess} px: ${inner
        .slice(0, 3)
        .map((element) => `${element.tagName} ${element.className}`)
        .join(", ")}`
    })

  it("no page is wider than its window", async () => {
    const { close, open, page } = await Site.make(browser, world.url, {})
    const issues: Array<string> = []
    for (const path of paths()) {
      await page.setViewportSize({ width: widths[0]!, height: 900 })
      await open(path)
      for (const width of [...widths, ...widths.toReversed()]) {
        await page.setViewportSize({ width, height: 900 })
        const overflowing = await beyond(page)
        if (overflowing !== null) issues.push(`${path} at ${width}: ${overflowing}`)
      }
    }
    await close()

    expect(issues).toEqual([])
  })

  it("a phone: no page of a chain with many blocks is wider than the screen", async () => {
    const { close, open, page } = await Site.make(browser, world.url, { width: 360, height: 740 })
    const issues: Array<string> = []
    for (const path of paths()) {
      await open(path)
      await page.evaluate(() => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        // A separate number, or the number of a block.
        while (texts.nextNode()) {
          const text = texts.currentNode as Text
          text.data = text.data.replace(/^\d{1,3}$|(?<=^proved at (?:block )?|[bB]locks? )\d{1,3}\b/, "250,123,456")
        }
      })
      for (const width of widths.slice(0, 3)) {
        await page.setViewportSize({ width, height: 740 })
        const overflowing = await beyond(page)
        if (overflowing !== null) issues.push(`${path} at ${width}: ${overflowing}`)
      }
    }
    await close()

    expect(issues).toEqual([])
  })

  it("1,024 pixels: no column of home or of a block is cut off", async () => {
    const { close, open, page } = await Site.make(browser, world.url, { width: 1024, height: 900 })
    const overflows: Array<string> = []
    for (const path of ["/", "/block/20"]) {
      await open(path)
      const tables = await page
        .locator(".table-box")
        .evaluateAll((boxes) =>
          boxes.map((box) => `${box.getAttribute("aria-label")}: ${box.scrollWidth - box.clientWidth}`),
        )
      overflows.push(...tables)
    }
    await close()

    expect(overflows.length).toBeGreaterThan(2)
    expect(overflows.filter((table) => !table.endsWith(": 0"))).toEqual([])
  })

  it("a phone: the first screen of an address has its first row, its rows have the same number of lines, and rows of home are aligned at the end", async () => {
    const { close, open, page } = await Site.make(browser, world.url, { width: 360, height: 740 })
    await open(`/address/${world.scenario.accounts.alice}`)
    await page.getByRole("button", { name: "Filters" }).waitFor()
    // Rows are replaced while they load.
    await page.waitForFunction(() => {
      const box = document.querySelector(".rows-body .row")?.getBoundingClientRect()
      return box !== undefined && box.height > 0 && box.top < window.innerHeight
    })
    await Site.settle(page)
    // Position of the recipient in a row, for rows with and without a fee.
    const places = await page.locator(".rows-body .row").evaluateAll((rows) =>
      rows.map((row) => {
        const recipient = row.querySelector("[data-name=To]")!.getBoundingClientRect()
        const hasFee = row.querySelector("[data-name=Fee]:not(:empty)") !== null
        return { hasFee, pixels: Math.round(recipient.top - row.getBoundingClientRect().top) }
      }),
    )
    await open("/")
    const ends = await page
      .locator("tr[data-hash] td:last-child")
      .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().right)))
    await close()

    expect(new Set(places.map(({ hasFee }) => hasFee)).size).toBe(2)
    expect(new Set(places.map(({ pixels }) => pixels)).size).toBe(1)
    expect(ends.length).toBeGreaterThan(5)
    expect(new Set(ends).size).toBe(1)
  })
})
