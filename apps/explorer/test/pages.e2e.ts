/**
 * Tests every page and state in light and dark mode and on a phone: no violations according to axe, nothing wider than the screen; takes
 * the screenshots for documents.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Head } from "@daybook/chain"
import type { Browser, Page, Route } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import * as Picture from "./Picture.ts"
import * as Receivers from "./Receivers.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

const folder = join(import.meta.dirname, "../../../docs/explorer")

const forms = [
  { name: "light", colorScheme: "light", width: 1280, height: 1000 },
  { name: "dark", colorScheme: "dark", width: 1280, height: 1000 },
  { name: "phone", colorScheme: "light", width: 360, height: 1200 },
] as const

type Form = (typeof forms)[number]

/** Maximum height of a screenshot, in pixels. */
const maxScreenshotHeight = 2_200

/** A recent time, so that the ages in screenshots are those of a live chain. */
const genesisTimestamp = Math.floor(Date.now() / 1000) - 700

const unused = `0x${"ab".repeat(20)}`

/** Contents of a page while the service does not respond, and when it fails. */
const hang = () => {}
const fail = (route: Route) =>
  route.fulfill({ status: 500, json: { code: "internal", message: "No.", requestId: "1" } })
const isData = /\/(?:api|rpc)\//

/** Waits until each token has its name and amounts, which are "…" until then. */
const untilNamed = (page: Page) =>
  page.waitForFunction(() =>
    [...document.querySelectorAll("main td, main .token-amount")].every((cell) => !cell.textContent.startsWith("…")),
  )

/** Labels of tables that are wider than their container. */
const cutTables = (page: Page) =>
  page
    .locator(".table-box")
    .evaluateAll((boxes) =>
      boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.getAttribute("aria-label")),
    )

describe.skipIf(ChromiumBrowser.missing !== undefined)("pages of the explorer", () => {
  let world: World.World
  let browser: Browser
  let camera: Picture.Camera
  let receivers: Receivers.Receivers
  let alerts: string

  beforeAll(async () => {
    await Build.make()
    mkdirSync(folder, { recursive: true })
    for (const name of readdirSync(folder)) if (/\.(?:jpg|webp)$/.test(name)) rmSync(join(folder, name))
    ;[world, browser] = await Promise.all([
      World.start({ blocks: 40, project: "hardhat", genesisTimestamp, sendsWebhooks: true }),
      ChromiumBrowser.launch(),
    ])
    camera = await Picture.open(browser)
    receivers = await Receivers.start(world)
    const [books, failing, archive] = await Promise.all([
      receivers.add("Books", "working"),
      receivers.add("Alerts", "failing"),
      receivers.add("Archive", "working"),
    ])
    alerts = failing.id
    await receivers.webhooks.pause({ webhook: archive.id })
    await receivers.until(books.id, ({ delivered }) => delivered > 0)
    await receivers.until(alerts, ({ failures }) => failures > 0)
  })
  afterAll(async () => {
    await camera?.close()
    await browser?.close()
    await receivers?.stop()
    await world?.close()
  })

  const paths = (): Readonly<Record<string, string>> => {
    const { accounts, contracts, transactions } = world.scenario
    return {
      home: "/",
      block: "/block/20",
      transaction: `/tx/${transactions.swap}`,
      failed: `/tx/${transactions.revertCustomError}`,
      transactions: `/address/${accounts.alice}`,
      movements: `/address/${accounts.alice}?tab=movements`,
      internal: `/address/${accounts.alice}?tab=internal`,
      tokens: `/address/${accounts.alice}?tab=tokens`,
      statement: `/address/${accounts.alice}?tab=statement`,
      charts: `/address/${accounts.alice}?tab=charts`,
      token: `/address/${contracts.gold}`,
      transfers: `/address/${contracts.gold}?tab=transfers`,
      contract: `/address/${contracts.proxy}?tab=contract`,
      empty: `/address/${unused}`,
      webhooks: `/webhooks?webhook=${alerts}`,
    }
  }

  /** Pages without a screenshot. */
  const others = (): Readonly<Record<string, string>> => ({
    "missing block": "/block/99999",
    "missing transaction": `/tx/0x${"12".repeat(32)}`,
    "no address": "/address/nothing",
    "no hash": "/tx/nothing",
    "no block": "/block/nothing",
    "no chain": "/?chain=nothing",
    ...Object.fromEntries(
      ["movements", "internal", "tokens", "statement", "charts", "contract"].map((tab) => [
        `empty ${tab}`,
        `/address/${unused}?tab=${tab}`,
      ]),
    ),
  })

  const start = async ({ colorScheme, height, width }: Form) => {
    const site = await Site.make(browser, world.url, { colorScheme, width, height })
    const issues: Array<string> = []
    const check = async (what: string) => {
      issues.push(...(await Site.violations(site.page)).map((text) => `${what}: ${text}`))
      const excess = await site.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (excess > 0) issues.push(`${what}: ${excess} px wider than the screen`)
    }
    return { ...site, found: issues, check }
  }

  it.each(forms)("$name: every page is accessible and fits the screen", async (form) => {
    const { check, close, found, issues, open, page } = await start(form)
    for (const [name, path] of Object.entries(paths())) {
      await open(path)
      await untilNamed(page)
      await check(name)
      await camera.take(
        page,
        join(folder, `${name}-${form.name}.webp`),
        name === "transaction" ? maxScreenshotHeight : form.height,
      )
    }
    for (const [name, path] of Object.entries(others())) {
      await page.goto(`${world.url}${path}`)
      await page.locator("main .page-head h1").waitFor()
      await Site.settle(page)
      await check(name)
    }

    expect(found).toEqual([])
    expect(issues).toEqual([])
    await close()
  })

  it.each(forms)("$name: search, watched addresses and the form of the key are accessible", async (form) => {
    const { check, close, found, issues, open, page } = await start(form)
    const { alice, bob } = world.scenario.accounts
    for (const [address, label] of [
      [alice, "Treasury"],
      [bob, "Payroll عملة"],
    ] as const) {
      await open(`/address/${address}`)
      await page.getByRole("button", { name: "Watch" }).click()
      await page.getByLabel("Your label").fill(label)
      await check("watching an address")
      await page.getByRole("button", { name: "Save" }).click()
    }
    await open("/")
    const watched = page.getByRole("region", { name: "Your addresses" })
    await watched.getByRole("row", { name: /Treasury.*ETH/ }).waitFor()
    await watched.getByRole("row", { name: /Payroll.*ETH/ }).waitFor()
    await check("watched addresses")
    expect(await cutTables(page)).toEqual([])
    await camera.take(page, join(folder, `watched-${form.name}.webp`), form.height)
    await page.getByRole("searchbox").fill("o")
    await page.keyboard.press("Enter")
    await page.locator("ul.search-results a").first().waitFor()
    await check("results of the search")
    await camera.take(page, join(folder, `search-${form.name}.webp`), 700)
    await page.getByRole("searchbox").fill("no such name")
    await page.keyboard.press("Enter")
    await page.getByText("Nothing found").waitFor()
    await check("a search without results")
    await page.route("**/explorer.json", async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...(await response.json()), access: "keyed" } })
    })
    await page.goto(world.url)
    await page.getByLabel("Key").waitFor()
    await check("the form of the key")

    expect(found).toEqual([])
    expect(issues).toEqual([])
    await close()
  })

  it.each(forms)("$name: pages that load, fail, are reverted or were read again are accessible", async (form) => {
    const { check, close, context, found, issues, open, page } = await start(form)
    const { accounts } = world.scenario
    const all = Object.entries(paths())
    const isCode = /\/assets\/HomePage-/
    await page.route(isCode, hang)
    await page.goto(world.url)
    await page.getByRole("status", { name: "Loading the page" }).waitFor()
    await check("loading the code of a page")
    await page.unroute(isCode)
    await page.route(isData, hang)
    for (const [name, path] of all) {
      await page.goto(`${world.url}${path}`)
      await page.locator("main .page-head h1").waitFor()
      await page.locator(".skeleton").first().waitFor()
      await check(`loading ${name}`)
    }
    await page.unroute(isData)
    await page.route(isData, fail)
    for (const [name, path] of all) {
      await page.goto(`${world.url}${path}`)
      await page.locator('.notice[role="alert"], .empty, .end').first().waitFor()
      await check(`failed ${name}`)
      if (name === "home") await camera.take(page, join(folder, `error-${form.name}.webp`), 700)
    }
    await page.unroute(isData)

    await open(`/address/${accounts.erin}`)
    const snapshot = await world.call("evm_snapshot")
    const transfer = { from: accounts.carol, to: accounts.erin, valueWei: 4_321n }
    const hash = await world.run(Head.transfer(world.node, transfer))
    const mined = await world.run(Head.mine(world.node))
    const row = page.locator(`.row[data-key="${hash}"]`)
    await row.and(page.locator('[data-reverted="false"]')).waitFor()
    const tabs = await Promise.all(["/", `/tx/${hash}`, `/block/${mined.hash}`].map(() => context.newPage()))
    await Promise.all([
      tabs[0]!.goto(`${world.url}/`),
      tabs[1]!.goto(`${world.url}/tx/${hash}`),
      tabs[2]!.goto(`${world.url}/block/${mined.hash}`),
    ])
    await tabs[0]!.locator(`tr[data-hash="${mined.hash}"]`).waitFor()
    await Promise.all(tabs.slice(1).map((tab) => tab.locator(".fact").first().waitFor()))
    await world.call("evm_revert", [snapshot])
    await world.run(Head.mine(world.node, 2))
    await row.and(page.locator('[data-reverted="true"]')).waitFor()
    await check("reverted rows")
    await camera.take(page, join(folder, `reverted-${form.name}.webp`), form.height)
    await tabs[0]!.locator(`tr[data-hash="${mined.hash}"][data-reverted="true"]`).waitFor()
    for (const tab of tabs.slice(1)) await tab.getByText(/^Reverted: /).waitFor()
    for (const tab of tabs) {
      found.push(...(await Site.violations(tab)).map((text) => `reverted ${tab.url()}: ${text}`))
      await tab.close()
    }
    await world.indexed()

    let isStale = false
    await page.route("**/verbose?*cursor=*", async (route) => {
      if (isStale) return route.continue()
      isStale = true
      const body = { code: "stale_cursor", message: "A reorg reverted rows.", requestId: "1", resumeFromBlock: 3 }
      return route.fulfill({ status: 409, contentType: "application/json", body: JSON.stringify(body) })
    })
    await open(`/address/${accounts.alice}?order=ASC`)
    await Site.walk(page)
    await page.getByText("It was read again").waitFor()
    await check("a list that was read again")

    expect(found).toEqual([])
    expect(issues).toEqual([])
    await close()
  })
})
