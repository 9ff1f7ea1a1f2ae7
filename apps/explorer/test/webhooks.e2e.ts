/** Tests of the page of webhooks: it shows the state that the service reports, and each button has its effect. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import { hostile } from "./hostile.ts"
import * as Inert from "./Inert.ts"
import * as Receivers from "./Receivers.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

const isOfWebhooks = /\/api\/v2\.2\/webhooks/

describe.skipIf(ChromiumBrowser.missing !== undefined)("webhooks in the explorer", () => {
  let world: World.World
  let browser: Browser
  let receivers: Receivers.Receivers
  let site: Site.Site

  beforeAll(async () => {
    await Build.make()
    ;[world, browser] = await Promise.all([World.start({ blocks: 4, sendsWebhooks: true }), ChromiumBrowser.launch()])
    receivers = await Receivers.start(world)
    site = await Inert.watch(await Site.make(browser, world.url))
  })
  afterAll(async () => {
    await site?.close()
    await browser?.close()
    await receivers?.stop()
    await world?.close()
  })

  it("without a webhook, the page states how to create one", async () => {
    await site.open("/")
    await site.page.getByRole("link", { name: "Webhooks" }).click()
    await site.page.getByText("No webhooks.").waitFor()

    expect(await Site.violations(site.page)).toEqual([])
    expect(site.issues).toEqual([])
  })

  it("the list states what is active, failing and paused, and a webhook its attempts with status and reason", async () => {
    const { page } = site
    const [good, bad, held] = await Promise.all([
      receivers.add("Books", "working"),
      receivers.add("Alerts عملة", "failing"),
      receivers.add("Archive", "working"),
    ])
    await receivers.webhooks.pause({ webhook: held.id })
    await receivers.until(good.id, ({ delivered }) => delivered > 0)
    await receivers.until(bad.id, ({ failures }) => failures > 0)
    await site.open("/webhooks")
    const row = (name: string) => page.getByRole("row").filter({ hasText: name })
    await row("Books").getByText("active").waitFor()
    await row("Books").getByText("delivered 204").waitFor()
    await row("Alerts").getByText("failed 503").waitFor()
    await row("Archive").getByText("paused", { exact: true }).waitFor()
    expect(await Site.violations(page)).toEqual([])

    await page.getByRole("link", { name: "Alerts" }).click()
    const deliveries = page.getByRole("region", { name: "Last deliveries" })
    await deliveries.getByText("failed 503").first().waitFor()
    const { result } = await receivers.webhooks.deliveries({ webhook: bad.id })
    const messages = await deliveries.locator("tbody .hash").allInnerTexts()
    expect(result.map(({ message }) => message)).toEqual(expect.arrayContaining(messages))
    await page.getByLabel("Attempts").selectOption("failed")
    await deliveries.getByText("failed 503").first().waitFor()
    expect(await Site.fact(page, "Receiver").innerText()).toBe(bad.url)
    expect(await Site.violations(page)).toEqual([])
    expect(site.issues).toEqual([])
  })

  it("buttons pause, resume, test and replay the open webhook, and a rejected replay states why", async () => {
    const { page } = site
    const { id } = await receivers.add("Ledger", "working")
    await receivers.until(id, ({ delivered }) => delivered > 0)
    await site.open(`/webhooks?webhook=${id}`)
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    await button("Pause").click()
    await page.getByText("Paused.", { exact: true }).waitFor()
    expect((await receivers.webhooks.get({ webhook: id })).state).toBe("paused")
    await Site.fact(page, "State").getByText("Its owner paused it.").waitFor()
    expect(await button("Send a test").isDisabled()).toBe(true)

    await button("Resume").click()
    await page.getByText("Resumed.", { exact: true }).waitFor()
    await button("Send a test").click()
    const deliveries = page.getByRole("region", { name: "Last deliveries" })
    await deliveries.getByRole("cell", { name: "test", exact: true }).waitFor()

    const { delivered } = await receivers.webhooks.get({ webhook: id })
    await page.getByText("Replay", { exact: true }).click()
    await page.getByRole("textbox", { name: /^From/ }).fill("0")
    await button("Send again from there").click()
    await page.getByText("Rows are sent again from there.").waitFor()
    await receivers.until(id, (webhook) => webhook.delivered > delivered)

    await page.getByRole("textbox", { name: /^From/ }).fill("never")
    await button("Send again from there").click()
    await page.getByText("The service rejected the request").waitFor()
    expect(await Site.violations(page)).toEqual([])
    expect(site.issues).toEqual([])
  })

  it("a key that may not use webhooks and a service without webhooks are reported, not shown as empty", async () => {
    const { page } = site
    const respondWith = async (status: number, code: string, message: string) => {
      await page.unroute(isOfWebhooks)
      await page.route(isOfWebhooks, (route) => route.fulfill({ status, json: { code, message, requestId: "1" } }))
      await site.open("/webhooks")
    }
    await respondWith(403, "forbidden", "This key may not use webhooks.")
    await page.getByText("The API key may not read this").waitFor()
    await respondWith(404, "not_found", "Webhooks are not configured on this server.")
    await page.getByText("This service sends no webhooks").waitFor()
    await page.unroute(isOfWebhooks)

    expect(await page.getByText("No webhooks.").count()).toBe(0)
    expect(site.issues).toEqual([])
  })

  it("200 hostile texts in each text of a webhook and of its attempts are shown as text", async () => {
    const { page } = site
    const { id } = await receivers.add("Hostile", "failing")
    await receivers.until(id, ({ failures }) => failures > 0)
    const poisoned = new Set(["name", "url", "pause_reason", "reason", "message", "public_key", "chain"])
    let at = 0
    await page.route(isOfWebhooks, async (route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), "x-api-key": world.apiKey } })
      const body: unknown = await response.json()
      const json: unknown = JSON.parse(JSON.stringify(body), (name, value: unknown) =>
        poisoned.has(name) && (typeof value === "string" || value === null) ? hostile[at++ % hostile.length] : value,
      )
      return route.fulfill({ response, json })
    })
    const issues: Array<string> = []
    while (at < 3 * hostile.length) {
      await site.open(`/webhooks?webhook=${id}`)
      await page.getByRole("region", { name: "Last deliveries" }).getByRole("row").nth(1).waitFor()
      issues.push(...(await Inert.issuesOf(page, world.url)))
    }
    await page.unroute(isOfWebhooks)

    expect(issues).toEqual([])
    expect(site.issues).toEqual([])
  })
})
