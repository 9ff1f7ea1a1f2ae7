/** Tests of a service that stops, of one that requires an API key, and of the page about the API. */
import { Head } from "@daybook/chain"
import type { Page } from "playwright-core"
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as SiteTest from "./SiteTest.ts"

const it = SiteTest.make()

/** Requests of pages to the service. */
const isOfService = /\/(?:api|rpc|ready)\b/

describe.skipIf(ChromiumBrowser.missing !== undefined)("access to the service in the explorer", () => {
  it("a service that stops is reported, and the page continues by itself once it is back", async ({ site, world }) => {
    await site.open("/")

    await world.stop()
    await site.page.getByText("The service does not respond").first().waitFor()
    await world.start()

    await site.page.getByText("The service does not respond").first().waitFor({ state: "hidden" })
    const { hash } = await world.run(Head.mine(world.node))
    await site.page.locator(`tr[data-hash="${hash}"]`).waitFor()
    await world.indexed()
  })

  it("a service that hangs is reported, and the page continues by itself once it responds", async ({ site }) => {
    const { page } = site
    await site.open("/")
    await page.route(isOfService, () => {})

    await page.getByText("The service does not respond").first().waitFor()
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await page.getByText("The service does not respond").first().waitFor({ state: "hidden" })
  })

  it("after a restart with other chains, the page states that its chain is not among them", async ({ site, world }) => {
    const { page } = site
    await site.open("/?chain=eth")
    await page.route("**/explorer.json", async (route) => {
      const response = await route.fetch()
      const { chains, ...rest } = await response.json()
      return route.fulfill({ response, json: { ...rest, chains: [{ ...chains[0], name: "another" }] } })
    })
    await page.route(isOfService, (route) =>
      route.request().url().includes("chain=eth")
        ? route.fulfill({ status: 400, json: { message: "Invalid query parameter.", code: "chain_not_served" } })
        : route.fallback(),
    )

    await page.getByText("This service has no such chain").waitFor()
    await page.getByText("It serves another.").waitFor()
    expect(page.url()).toBe(`${world.url}/?chain=eth`)
  })

  it("a browser without storage: the pages work, with a theme and watched addresses until they are reloaded", async ({
    site,
    world,
  }) => {
    const { page } = site
    await page.addInitScript(() => {
      const get = () => {
        throw new DOMException("Access is denied for this document.", "SecurityError")
      }
      for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get })
    })
    await site.open(`/address/${world.scenario.accounts.alice}`)

    await page.getByRole("button", { name: "Use the dark theme" }).click()
    await page.getByRole("button", { name: "Watch" }).click()
    await page.getByRole("button", { name: "Save" }).click()

    await page.getByRole("button", { name: "Watched" }).waitFor()
    await page.getByRole("button", { name: "Use the light theme" }).waitFor()
  })

  /** Makes the service require a key. */
  const requireKey = (page: Page) =>
    page.route("**/explorer.json", async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...(await response.json()), access: "keyed" } })
    })

  it("keys: an accepted key opens the page after a rejected one", async ({ site, world }) => {
    const { page } = site
    const enter = async (key: string) => {
      await page.getByLabel("Key").fill(key)
      await page.getByRole("button", { name: "Continue" }).click()
    }
    await requireKey(page)
    await page.route(isOfService, (route) =>
      route.request().headers()["x-api-key"] === "mistyped"
        ? route.fulfill({ status: 401, json: { message: "Unknown API key.", code: "unauthorized" } })
        : route.fallback(),
    )
    await page.goto(`${world.url}/address/${world.scenario.accounts.alice}`)

    await enter("mistyped")
    await page.getByRole("alert").getByText("The service does not accept this key").waitFor()
    await enter("accepted")

    await page.locator(".rows-body .row").first().waitFor()
    // Requests that failed before the key was entered have been repeated by then.
    await page.getByText("proved at block").waitFor()
    expect(await page.getByLabel("Key").count()).toBe(0)
  })

  it("keys: a page without a key asks for one, keeps it in the tab, and never puts it in a URL", async ({
    site,
    world,
  }) => {
    await requireKey(site.page)
    const urls: Array<string> = []
    site.page.on("request", (request) => urls.push(request.url()))
    await site.page.goto(world.url)
    await site.page.getByLabel("Key").fill("a-key-of-the-test")
    await site.page.getByRole("button", { name: "Continue" }).click()
    await site.page.getByRole("heading", { name: "Latest blocks" }).waitFor()

    await site.page.reload()

    await site.page.getByRole("heading", { name: "Latest blocks" }).waitFor()
    expect(urls.filter((url) => url.includes("a-key-of-the-test"))).toEqual([])
  })

  it("the page of the API: calls an operation under the policy of the page, with a key that is in no URL", async ({
    site,
    world,
  }) => {
    const { context } = site
    const page = await context.newPage()
    const [urls, issues]: [Array<string>, Array<string>] = [[], []]
    page.on("request", (request) => urls.push(request.url()))
    page.on("console", (message) => message.type() === "error" && issues.push(message.text()))
    page.on("pageerror", (error) => issues.push(error.message))
    await page.goto(`${world.url}/docs`)
    await page.locator("button.authorize").first().click()
    await page.locator(".auth-container input").fill("dbk_entered")
    await page.locator(".auth-btn-wrapper button.authorize").click()
    await page.locator(".btn-done").click()
    await page.locator(".opblock-summary-control").first().click()
    await page.locator("[data-param-name=address] input").fill(world.scenario.accounts.alice)
    const sent = page.waitForRequest(/verbose/)

    await page.locator("button.execute").click()

    expect((await sent).headers()["x-api-key"]).toBe("dbk_entered")
    await page.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor()
    expect(urls.filter((url) => !url.startsWith(world.url) && !url.startsWith("data:"))).toEqual([])
    expect([...urls, page.url()].filter((url) => url.includes("dbk_"))).toEqual([])
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0)
    expect(issues).toEqual([])
    await page.close()
  })
})
