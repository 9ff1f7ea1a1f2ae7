/** Tests of navigation between pages: first visits, scripts that do not load, and scroll positions after going back. */
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import * as FirstVisit from "./FirstVisit.ts"
import * as Site from "./Site.ts"
import * as SiteTest from "./SiteTest.ts"

const it = SiteTest.make({ blocks: 20 })

describe.skipIf(ChromiumBrowser.missing !== undefined)("navigation in the explorer", () => {
  it("first visits: the scripts that a page needs are below 180 KiB as sent", async ({ browser, world }) => {
    const { accounts, transactions } = world.scenario
    const sizes: Array<number> = []
    for (const target of FirstVisit.targets(transactions.swap, accounts.alice)) {
      sizes.push(FirstVisit.scriptBytes(await FirstVisit.make(browser, world.url, target)))
    }

    expect(Math.min(...sizes)).toBeGreaterThan(100 * 1024)
    expect(Math.max(...sizes)).toBeLessThan(FirstVisit.maxScriptBytes)
  })

  it("navigation: a page or tab whose code does not load reports it, and is shown once it does", async ({
    site,
    world,
  }) => {
    const { alice } = world.scenario.accounts
    const { page } = site
    await site.open("/")
    await page.route(/AddressPage-/, (route) => route.abort())
    await Site.search(site.page, alice)
    await page.getByRole("heading", { name: "This page failed", level: 1 }).waitFor()
    expect(await page.getByRole("searchbox").count()).toBe(1)
    expect(site.issues.splice(0)).toEqual([expect.stringContaining("dynamically imported module")])

    await page.goBack()
    await page.locator(".card").first().waitFor()
    await page.unroute(/AddressPage-/)
    await page.goForward()
    await page.locator(".rows-body .row").first().waitFor()

    await page.route(/StatementTab-/, (route) => route.abort())
    await page.getByRole("link", { name: "Statement" }).click()
    await page.getByText("A part of the explorer could not be loaded").waitFor()
    expect(site.issues.splice(0)).toEqual([expect.stringContaining("dynamically imported module")])
    await page.getByRole("link", { name: "Transactions", exact: true }).click()
    await page.locator(".rows-body .row").first().waitFor()
  })

  it("navigation: a link on a page that is older than the service opens the page of the new build", async ({
    site,
    world,
  }) => {
    const { alice } = world.scenario.accounts
    const { page } = site
    const old = "/assets/index-old.js"
    // The cached page refers to a script of an earlier build, whose chunks no longer exist.
    await page.route(world.url + "/", async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(/\/assets\/index-[^"]+\.js/, old)
      return route.fulfill({ response, body })
    })
    await page.route(world.url + old, (route) => {
      const [script] = Build.firstScripts()
      return route.fulfill({ contentType: "text/javascript", body: `import "${script}"` })
    })
    await page.route(/AddressPage-/, (route) => route.fulfill({ status: 404 }))
    await site.open("/")
    await page.unroute(world.url + "/")
    const isGone = page.waitForResponse((response) => response.url().includes("AddressPage-"))
    await Site.search(page, alice)
    await isGone
    await page.unroute(/AddressPage-/)

    await page.locator(".rows-body .row").first().waitFor()
    expect(site.issues.splice(0)).toEqual([expect.stringContaining("dynamically imported module")])
  })

  it("navigation: a new page begins at its top, and going back restores the scroll position", async ({
    site,
    world,
  }) => {
    const { alice } = world.scenario.accounts
    const { page } = site
    await site.open(`/address/${alice}`)
    /** Scrolls and returns the position: the browser keeps rows in place while the facts above them load. */
    const scrollTo = async (pixels: number) => {
      await page.evaluate((to) => window.scrollTo(0, to), pixels)
      await Site.settle(page)
      return page.evaluate(() => window.scrollY)
    }
    const isAt = (pixels: number) => page.waitForFunction((wanted) => window.scrollY === wanted, pixels)
    const first = await scrollTo(200)
    const entries = await page.evaluate(() => history.length)
    await page.getByRole("link", { name: "Movements" }).click()
    await page.getByRole("link", { name: "Movements" }).click()
    expect(await page.evaluate(() => history.length)).toBe(entries + 1)
    await page.getByRole("table", { name: "Movements" }).locator(".rows-body .row").nth(10).waitFor()
    const second = await scrollTo(300)
    await page.locator(".rows-body .row a[href^='/tx/']").nth(7).click()
    await page.getByRole("heading", { name: "Transaction", level: 1 }).waitFor()
    await isAt(0)
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1")

    await page.goBack()
    await page.getByRole("table", { name: "Movements" }).waitFor()
    await isAt(second)
    await page.goBack()
    await page.getByRole("table", { name: "Transactions" }).waitFor()
    await isAt(first)
    expect(first).toBeLessThan(second)
  })
})
