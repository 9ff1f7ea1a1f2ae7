/**
 * Twelve common tasks in an explorer, each from the home page with a hash or an address. The steps and clicks are counted and must equal
 * those in the explorer's documentation.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Site from "./Site.ts"
import * as SiteTest from "./SiteTest.ts"

const guide = readFileSync(join(import.meta.dirname, "../../../docs/explorer/README.md"), "utf8")

/** Documented counts of a task: steps, and the clicks among them. */
const stated = (task: string): string | undefined =>
  guide
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find(([, first]) => first === task)?.[2]

/** Actions of a user on the site, with counts. */
const personOn = (page: Page) => {
  let [steps, clicks] = [0, 0]
  const click = async (target: Locator) => {
    steps++
    clicks++
    await target.first().click()
  }
  return {
    click,
    /** Pastes a hash or an address into the search box. */
    paste: async (text: string) => {
      steps++
      await page.getByRole("searchbox").fill(text)
      await page.keyboard.press("Enter")
      await page.waitForURL(new RegExp(text, "i"))
    },
    choose: async (label: string, value: string) => {
      steps++
      clicks++
      await page.getByRole("combobox", { name: new RegExp(`^${label}`) }).selectOption(value)
    },
    enter: async (target: Locator, text: string) => {
      steps++
      await target.fill(text)
    },
    tab: (name: string) => page.locator(".tabs").getByRole("link", { name, exact: true }),
    /** Steps, and the clicks among them. */
    counts: () => `${steps} (${clicks})`,
  }
}

const it = SiteTest.make({ blocks: 12, project: "hardhat" }).extend("person", async ({ site }) => {
  await site.open("/")
  return personOn(site.page)
})

describe.skipIf(ChromiumBrowser.missing !== undefined)("tasks in the explorer", () => {
  it("why did my transaction fail: the custom error with its arguments", async ({ person, site, world }) => {
    await person.paste(world.scenario.transactions.revertCustomError)

    await Site.fact(site.page, "Outcome")
      .getByText(/^Refused\(caller: .*, asked: \d+, available: 0\)$/)
      .waitFor()
    expect(person.counts()).toBe(stated("Why did my transaction fail?"))
  })

  it("what did this swap give me: a sentence with both amounts", async ({ person, site, world }) => {
    await person.paste(world.scenario.transactions.swap)

    await site.page.locator(".headline", { hasText: /Swapped .* for / }).waitFor()
    expect(person.counts()).toBe(stated("What did this swap give me?"))
  })

  it("which function was called with what: the input with the names of fields", async ({ person, site, world }) => {
    await person.paste(world.scenario.transactions.nestedTuple)

    await site.page
      .getByRole("group", { name: /^Parameters of .place/ })
      .getByText("maker", { exact: true })
      .waitFor()
    expect(person.counts()).toBe(stated("Which function of my contract was called with what?"))
  })

  it("which internal call failed, and why: the trace is expanded along the failure", async ({
    person,
    site,
    world,
  }) => {
    await person.paste(world.scenario.transactions.revertCustomError)

    await site.page.locator(".frame .reason", { hasText: "Refused(" }).first().waitFor()
    expect(person.counts()).toBe(stated("Which call inside failed, and why?"))
  })

  it("what was an internal call given and what did it return: each line of the trace", async ({
    person,
    site,
    world,
  }) => {
    await person.paste(world.scenario.transactions.swap)

    await site.page
      .locator(".frame-call", { hasText: /transferFrom\(.*:.*\) → true/ })
      .first()
      .waitFor()
    expect(person.counts()).toBe(stated("What was a call inside given, and what did it return?"))
  })

  it("what was this contract created with: the arguments of its constructor", async ({ person, site, world }) => {
    await person.paste(world.scenario.contracts.gold)
    await person.click(Site.fact(site.page, "Created").getByRole("link"))

    await site.page
      .getByRole("group", { name: /^Parameters of .constructor/ })
      .getByText("symbol_")
      .waitFor()
    expect(person.counts()).toBe(stated("What was this contract created with?"))
  })

  it("did this wallet ever receive that token: its movements by asset and direction", async ({
    person,
    site,
    world,
  }) => {
    const { accounts, contracts } = world.scenario
    const received = await world.rest.movements({ address: accounts.alice, asset: contracts.gold, direction: "in" })
    await person.paste(accounts.alice)
    await person.click(person.tab("Movements"))
    await person.choose("Asset", contracts.gold)
    await person.choose("Direction", "in")

    const keys = received.result.map(({ block_number: block, movement_index: index }) => `${block} ${index}`)
    expect(keys.length).toBeGreaterThan(0)
    await site.page.locator(".rows-body .row").first().waitFor()
    expect(await site.page.locator(".rows-body").innerText()).not.toContain("−")
    expect(person.counts()).toBe(stated("Did this wallet ever receive that token?"))
  })

  it("is this balance right: proved against the chain", async ({ person, site, world }) => {
    await person.paste(world.scenario.accounts.alice)

    await Site.fact(site.page, "Balance")
      .getByText(/^proved at block/)
      .waitFor()
    expect(person.counts()).toBe(stated("Is this balance right?"))
  })

  it("who moved this token: its transfers", async ({ person, site, world }) => {
    await person.paste(world.scenario.contracts.gold)
    await person.click(person.tab("Transfers"))

    await site.page.getByRole("group", { name: "Transfers", exact: true }).locator("tbody tr").first().waitFor()
    expect(person.counts()).toBe(stated("Who moved this token?"))
  })

  it("what does this contract return: a view function", async ({ person, site, world }) => {
    const { accounts, contracts } = world.scenario
    await person.paste(contracts.gold)
    await person.click(person.tab("Contract"))
    await person.click(site.page.getByText(/^balanceOf\(/))
    const form = site.page.locator("details[open] .read-form")
    await person.enter(form.getByRole("textbox"), accounts.alice)
    await person.click(form.getByRole("button", { name: "Read" }))

    await form.locator(".value").first().waitFor()
    expect(person.counts()).toBe(stated("What does this contract answer?"))
  })

  it("what did this transaction change in storage: the state before and after", async ({ person, site, world }) => {
    await person.paste(world.scenario.transactions.swap)
    await person.click(site.page.getByRole("button", { name: "Show the state before and after" }))

    await site.page.getByRole("group", { name: "State changes" }).waitFor()
    expect(person.counts()).toBe(stated("What did this transaction change in storage?"))
  })

  it("what did the sender do before: the transaction with the previous nonce", async ({ person, site, world }) => {
    await person.paste(world.scenario.transactions.swap)
    const before = site.page.getByRole("link", { name: /previous by nonce/ })
    const hash = await before.getAttribute("title")
    await person.click(before)

    await site.page.waitForURL(`${world.url}/tx/${hash}`)
    expect(person.counts()).toBe(stated("What did the sender do before?"))
  })
})
