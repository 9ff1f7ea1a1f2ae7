/** Tests of the search in a browser: its results, and the messages if there are none. */
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Site from "./Site.ts"
import * as SiteTest from "./SiteTest.ts"

const it = SiteTest.make({ chain: { rewinds: true, pollMillis: 50 } })

describe.skipIf(ChromiumBrowser.missing !== undefined)("search in the explorer", () => {
  it("search: finds an address, a transaction, a block by number and hash, and the user's own label", async ({
    site,
    world,
  }) => {
    await site.open("/")
    const { accounts, transactions } = world.scenario
    const block = await world.call<{ readonly hash: string }>("eth_getBlockByNumber", ["0x5", false])
    for (const [text, path] of [
      [accounts.bob.toUpperCase().replace("0X", "0x"), `/address/${accounts.bob}`],
      [transactions.create2, `/tx/${transactions.create2}`],
      ["#5", "/block/5"],
      [block.hash, `/block/${block.hash}`],
    ] as const) {
      await Site.search(site.page, text)
      await site.page.waitForURL(`${world.url}${path}`)
    }

    await site.open(`/address/${accounts.dave}`)
    await site.page.getByRole("button", { name: "Watch" }).click()
    await site.page.getByLabel("Your label").fill("Savings عملة")
    await site.page.getByRole("button", { name: "Save" }).click()
    await Site.search(site.page, "savings")
    await site.page.getByRole("link", { name: /your label/ }).click()

    await site.page.getByRole("heading", { name: "Savings عملة" }).waitFor()
    expect(site.page.url()).toBe(`${world.url}/address/${accounts.dave}`)
    await site.open("/")
    await site.page
      .getByRole("region", { name: "Your addresses" })
      .getByRole("row", { name: /Savings/ })
      .getByRole("link")
      .waitFor()
  })

  it("search: names appear while the user types, and arrow keys select them; on a development chain this includes tokens in blocks that are not final", async ({
    site,
    world,
  }) => {
    await site.open("/")
    const { page } = site
    const results = page.getByRole("list", { name: "Results" })
    await page.keyboard.press("/")
    await page.keyboard.type("gol")
    await results.getByText("(GOLD)").waitFor()
    expect(await Site.violations(page)).toEqual([])

    await page.keyboard.press("Escape")
    await results.waitFor({ state: "hidden" })
    await page.keyboard.type("gold")
    await results.getByText("(GOLD)").waitFor()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")

    await page.waitForURL(`${world.url}/address/${world.scenario.contracts.gold}`)
    await results.waitFor({ state: "hidden" })
  })

  it("search: pending names do not appear once the user has left the box or the page", async ({ site }) => {
    await site.open("/")
    const { page } = site
    await page.locator('a[href^="/block/"]').first().click()
    await page.getByRole("heading", { name: /^Block/ }).waitFor()
    const leave = {
      box: () => page.getByRole("searchbox").blur(),
      page: () => page.goBack(),
    }
    for (const [left, by] of Object.entries(leave)) {
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      await page.route("**/search?*", async (route) => {
        await released
        await route.continue().catch(() => undefined)
      })
      const searchRequest = page.waitForRequest("**/search?*")
      await page.getByRole("searchbox").fill("")
      await page.getByRole("searchbox").pressSequentially("gol")
      await searchRequest
      await by()
      const answered = page.waitForResponse("**/search?*")
      release()
      await (await answered).finished()
      for (let frames = 0; frames < 2; frames++) await page.evaluate(async () => new Promise(requestAnimationFrame))

      expect([left, await page.getByRole("list", { name: "Results" }).count()]).toEqual([left, 0])
      await page.unrouteAll()
    }
  })

  it("search: states why nothing was found", async ({ site }) => {
    await site.open("/")
    for (const [text, reason] of [
      [`0x${"12".repeat(32)}`, "has this hash"],
      ["123456789", "has no block 123456789 yet"],
      ["0x1234567890123456789012", "An address has 40 digits"],
      ["no such name", 'has "no such name" in its name'],
    ] as const) {
      await Site.search(site.page, text)
      await site.page.getByText(reason).waitFor()
    }
  })
})
