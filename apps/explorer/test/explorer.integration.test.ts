/** The pages in a real browser, on a real chain and service: the short form. `pnpm e2e` runs the long one. */
import { Head } from "@daybook/chain"
import { createWebhookClient } from "@daybook/rest/WebhookClient"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

if (ChromiumBrowser.missing !== undefined) console.warn(`explorer: not tested. ${ChromiumBrowser.missing}`)

interface Frame {
  readonly calls?: ReadonlyArray<Frame>
}

const framesOf = ({ calls = [] }: Frame): number => calls.reduce((sum, call) => sum + framesOf(call), 1)

describe.skipIf(ChromiumBrowser.missing !== undefined)("explorer", () => {
  let world: World.World
  let browser: Browser
  let site: Site.Site

  beforeAll(async () => {
    await Build.make()
    ;[world, browser] = await Promise.all([World.start({ blocks: 5, sendsWebhooks: true }), ChromiumBrowser.launch()])
    site = await Site.make(browser, world.url)
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  it("first load: the scripts of the page are smaller than 180 KiB after gzip, and none is inline", () => {
    const html = Build.page()
    const scripts = Build.firstScripts()

    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.reduce((sum, path) => sum + Build.sizeOf(path), 0)).toBeLessThan(180 * 1024)
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/)
  })

  it("home: shows a block that was mined while the page was open, without an issue of axe", async () => {
    await site.open("/")
    await site.page.getByRole("link", { name: "Webhooks", exact: true }).waitFor()

    const { number } = await world.run(Head.mine(world.node))

    await site.page
      .getByRole("link", { name: String(number), exact: true })
      .first()
      .waitFor()
    expect(await Site.violations(site.page)).toEqual([])
    expect(site.issues).toEqual([])
  })

  it("search: leads to the page of an address, a transaction and a block, and states why nothing was found", async () => {
    const { accounts, transactions } = world.scenario
    const { page } = site
    for (const [text, path] of [
      [accounts.alice, `/address/${accounts.alice}`],
      [transactions.swap, `/tx/${transactions.swap}`],
      ["3", "/block/3"],
    ] as const) {
      await page.keyboard.press("/")
      await page.getByRole("searchbox").fill(text)
      await page.keyboard.press("Enter")
      await page.waitForURL(`${world.url}${path}`)
    }

    await page.getByRole("searchbox").fill("999999999")
    await page.keyboard.press("Enter")

    await page.getByText("eth has no block 999999999 yet").waitFor()
    expect(site.issues).toEqual([])
  })

  it("transaction: shows the node's data, with its decoded call, logs and trace", async () => {
    const hash = world.scenario.transactions.swap
    const sent = await world.call<{ readonly nonce: string; readonly from: string }>("eth_getTransactionByHash", [hash])
    const receipt = await world.call<{
      readonly gasUsed: string
      readonly effectiveGasPrice: string
      readonly logs: ReadonlyArray<unknown>
    }>("eth_getTransactionReceipt", [hash])

    const root = await world.call<Frame>("debug_traceTransaction", [hash, { tracer: "callTracer" }])
    const frames = framesOf(root)

    await site.open(`/tx/${hash}`)
    const { page } = site
    await page.getByText("swapExactTokensForTokens(uint256,uint256,address[],address,uint256)").waitFor()

    const paid = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    expect(await Site.fact(page, "Fee").locator("data").first().getAttribute("value")).toBe(Site.ether(paid))
    expect(await Site.fact(page, "Nonce").locator("data").getAttribute("value")).toBe(String(BigInt(sent.nonce)))
    expect(await Site.fact(page, "From").locator("[data-address]").getAttribute("data-address")).toBe(sent.from)
    expect(await Site.fact(page, "Outcome").innerText()).toBe("success")
    await page.locator(".headline").waitFor()
    expect(await page.locator(".headline").innerText()).toMatch(
      /^swap Swapped [\d,.]+…? \S+ for [\d,.]+…? \S+ through\s+0x/,
    )
    expect(await page.locator(".log").count()).toBe(receipt.logs.length)
    expect(await page.locator(".frame").count()).toBe(frames)
    // Its own arguments and those of an internal call.
    await page.locator(".frame-call", { hasText: /^swapExactTokensForTokens\(/ }).waitFor()
    await page
      .locator(".frame-call", { hasText: /^transferFrom\(.*\d+\)/ })
      .first()
      .waitFor()
    const used = page.locator(".frame-head").first().locator(".frame-gas data")
    expect(await used.getAttribute("value")).toBe(String(BigInt(receipt.gasUsed)))
    expect(await Site.violations(page)).toEqual([])
    expect(site.issues).toEqual([])
  })

  it("address: lists every transaction of the API, and marks those that a reorg reverted", async () => {
    const { alice, erin } = world.scenario.accounts
    const rows: Array<string> = []
    for await (const row of world.rest.walletTransactionsStream({ address: alice, scope: "all" })) rows.push(row.hash)
    await site.open(`/address/${alice}`)
    const { page } = site
    expect(await Site.walk(page)).toEqual(rows)

    await page.evaluate(() => window.scrollTo(0, 0))
    const hash = await world.run(Head.transfer(world.node, { from: alice, to: erin, valueWei: 123_456_789n }))
    await world.run(Head.mine(world.node))
    const row = page.locator(`.row[data-key="${hash}"]`)
    await row.and(page.locator('[data-reverted="false"]')).waitFor()
    expect(await row.locator("data").first().getAttribute("value")).toBe("0.000000000123456789")

    await world.run(Head.reorganise(world.node, { depth: 1, moreBlocks: 1 }))

    await row.and(page.locator('[data-reverted="true"]')).waitFor()
    expect(await row.innerText()).toContain("reverted")
    expect(await Site.violations(page)).toEqual([])
    expect(site.issues).toEqual([])
  })

  it("address: restores the rows and the scroll position when the user goes back", async () => {
    const { alice } = world.scenario.accounts
    const { page } = site
    // The page of the transaction also reads rows, but of one sender and block.
    const requests: Array<string> = []
    page.on("request", (request) => /\/verbose\?.*scope=/.test(request.url()) && requests.push(request.url()))
    await site.open(`/address/${alice}?order=ASC`)
    await Site.walk(page)
    expect(requests.length).toBeGreaterThan(0)
    await page.evaluate(() => window.scrollTo(0, 700))
    // The rows there are drawn with the next frame.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const link = page.locator(".rows-body .row a[href^='/tx/']").nth(20)
    const place = await link.boundingBox()
    const hash = await link.getAttribute("title")
    await link.click()
    await page.getByRole("heading", { name: "Transaction", level: 1 }).waitFor()
    requests.length = 0

    await page.goBack()

    const same = page.locator(`.rows-body .row[data-key="${hash}"] a[href^='/tx/']`)
    await same.waitFor()
    await page.waitForFunction(() => window.scrollY === 700)
    expect(await same.boundingBox()).toEqual(place)
    expect(requests).toEqual([])
    expect(site.issues).toEqual([])
  })

  it("webhooks: the page shows the state of a webhook, and its button pauses it", async () => {
    const { page } = site
    const webhooks = createWebhookClient({ baseUrl: world.url, apiKey: world.apiKey })
    const addresses = [world.scenario.accounts.alice]
    const { id } = await webhooks.create({ name: "Books", url: "http://127.0.0.1:9/hook", addresses, from: "now" })
    await site.open("/webhooks")
    await page.getByRole("row", { name: /Books (?:active|failing)/ }).waitFor()

    await page.getByRole("button", { name: "Pause", exact: true }).click()

    await page.getByRole("row", { name: /Books paused/ }).waitFor()
    expect((await webhooks.get({ webhook: id })).state).toBe("paused")
    expect(await Site.violations(page)).toEqual([])
    expect(site.issues).toEqual([])
  })
})
