/**
 * Tests of 200 hostile texts in every place that a contract, a sender or an operator controls, with a real chain and service. They are
 * names and symbols of tokens, labels, ABIs, revert reasons, call data and parameters. Pages must render them as text only.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import { hostile } from "./hostile.ts"
import * as HostileChain from "./HostileChain.ts"
import * as Inert from "./Inert.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

/** Number of tabs that open pages concurrently. */
const tabs = 4

describe.skipIf(ChromiumBrowser.missing !== undefined)("hostile texts", () => {
  const project = mkdtempSync(join(tmpdir(), "daybook-hostile-"))
  let world: World.World
  let browser: Browser
  let site: Site.Site
  let failed: ReadonlyArray<string> = []

  beforeAll(async () => {
    await Build.make()
    HostileChain.writeProject(project, hostile)
    const chain = { artifacts: [project] }
    ;[world, browser] = await Promise.all([
      World.start({ blocks: 2, labels: HostileChain.labelsOf(hostile), chain }),
      ChromiumBrowser.launch(),
    ])
    failed = await HostileChain.send(world, hostile)
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
    rmSync(project, { recursive: true, force: true })
  })
  beforeEach(async () => {
    site = await Inert.watch(await Site.make(browser, world.url))
  })
  afterEach(async () => {
    expect(site.issues).toEqual([])
    await site.close()
  })

  const inspect = async (path: string): Promise<ReadonlyArray<string>> => {
    await site.open(path)
    const more = site.page.getByRole("button", { name: /^Show \d+ of \d+ more$/ })
    while ((await more.count()) > 0) await more.first().click()
    return (await Inert.issuesOf(site.page, world.url)).map((issue) => `${path}: ${issue}`)
  }

  /** Opens a page for each item with limited concurrency; returns the issues. */
  const inspectEach = async <A>(
    items: ReadonlyArray<A>,
    pathOf: (item: A) => string,
    then: (tab: Site.Site) => Promise<void> = async () => {},
  ): Promise<ReadonlyArray<string>> => {
    const issues: Array<string> = []
    const left = items.values()
    const inspectNext = async () => {
      const tab = await Inert.watch(await Site.make(browser, world.url))
      await tab.open("/")
      for (const item of left) {
        const path = pathOf(item)
        await tab.navigate(path)
        issues.push(...(await Inert.issuesOf(tab.page, world.url)).map((issue) => `${path}: ${issue}`))
        await then(tab)
      }
      issues.push(...tab.issues)
      await tab.close()
    }
    await Promise.all(Array.from({ length: tabs }, inspectNext))
    return issues
  }

  it("there are 200 texts, and the page of a token shows one of them as its name", async () => {
    expect(new Set(hostile).size).toBe(200)

    await site.open(`/address/${HostileChain.addressAt(1)}`)

    await Site.fact(site.page, "Token").getByText(hostile[1]!).first().waitFor()
  })

  it("lists: texts are shown as text in tokens, statement, transactions and movements", async () => {
    const { alice } = world.scenario.accounts
    const issues: Array<string> = []
    for (const path of ["/", `/address/${alice}?tab=tokens`, `/address/${alice}?tab=statement`]) {
      issues.push(...(await inspect(path)))
    }
    for (const path of [`/address/${alice}`, `/address/${alice}?tab=movements`]) {
      issues.push(...(await inspect(path)))
      for (let isAtEnd = false; !isAtEnd;) {
        isAtEnd = await Site.scroll(site.page)
        issues.push(...(await Inert.issuesOf(site.page, world.url)).map((issue) => `${path}: ${issue}`))
      }
    }

    expect(issues).toEqual([])
  })

  it("transactions: the reason of each revert and the text of each input are shown as text", async () => {
    const issues = await inspectEach(failed, (hash) => `/tx/${hash}`)

    expect(failed).toHaveLength(200)
    expect(issues).toEqual([])
  })

  it("addresses: the name of each token and label is shown as text, even as title of the page", async () => {
    const issues = await inspectEach([...hostile.keys()], (index) => `/address/${HostileChain.addressAt(index)}`)

    expect(issues).toEqual([])
  })

  it("contracts: names in each ABI are shown as text, and invalid Solidity names are omitted", async () => {
    let described = 0
    const pathOf = (index: number) => `/address/${HostileChain.addressAt(index)}?tab=contract`
    const issues = await inspectEach([...hostile.keys()], pathOf, async ({ page }) => {
      // A contract without a name has no description.
      const shown = page.getByText(/^claim\(|^The service has no ABI/).first()
      const text = await shown.innerText()
      described += Number(text.startsWith("claim"))
    })

    expect(described).toBeGreaterThanOrEqual(hostile.filter((_, index) => HostileChain.isNamed(index)).length)
    expect(issues).toEqual([])
  })

  it("search: a hostile name that is found is shown as text", async () => {
    await site.open("/")
    const { page } = site
    for (const part of ["script", "onerror", "evil.example", "عملة", "constructor"]) {
      await page.getByRole("searchbox").fill(part)
      await page.keyboard.press("Enter")
      await page.locator("ul.search-results a").first().waitFor()
      expect(await Inert.issuesOf(page, world.url)).toEqual([])
    }
  })

  it("a service that forwards every text: labels, signatures, names of ABIs and reasons are shown as text", async () => {
    const { alice } = world.scenario.accounts
    let next = 0
    const text = () => hostile[next++ % hostile.length]!
    const poisoned = new Set([
      "from_address_label",
      "to_address_label",
      "counterparty_label",
      "label",
      "signature",
      "name",
      "source",
      "symbol",
      "message",
      "type_name",
    ])
    await site.page.route("**/api/v2.2/**", async (route) => {
      // Sends a key instead of the headers with which a browser marks same-origin requests.
      const response = await route.fetch({ headers: { ...route.request().headers(), "x-api-key": world.apiKey } })
      const body: unknown = await response.json()
      const json: unknown = JSON.parse(JSON.stringify(body), (name, value: unknown) =>
        poisoned.has(name) && (typeof value === "string" || value === null) ? text() : value,
      )
      return route.fulfill({ response, json })
    })
    const issues: Array<string> = []
    for (const tab of ["internal", "tokens", "statement"]) {
      issues.push(...(await inspect(`/address/${alice}?tab=${tab}`)))
    }
    for (const tab of ["transactions", "movements"]) {
      await site.open(`/address/${alice}?tab=${tab}`)
      await Site.walk(site.page)
      issues.push(...(await Inert.issuesOf(site.page, world.url)))
    }
    issues.push(...(await inspect(`/tx/${world.scenario.transactions.swap}`)))
    issues.push(...(await inspect(`/address/${HostileChain.addressAt(3)}?tab=contract`)))

    expect(next).toBeGreaterThan(hostile.length)
    expect(issues).toEqual([])
  })
})
