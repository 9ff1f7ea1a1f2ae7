/**
 * Twelve things that people ask an explorer, each done from its first page with a hash or an address at hand. What is entered and clicked is
 * counted, and is what the page about the explorer states.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Locator } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

const guide = readFileSync(join(import.meta.dirname, "../../../docs/explorer/README.md"), "utf8")

/** Counts of a task as the page has them: steps, and the clicks among them. */
const stated = (task: string): string | undefined =>
  guide
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find(([, first]) => first === task)?.[2]

describe.skipIf(ChromiumBrowser.missing !== undefined)("tasks in the explorer", () => {
  let world: World.World
  let browser: Browser
  let site: Site.Site
  let steps = 0
  let clicks = 0

  beforeAll(async () => {
    await Build.make()
    ;[world, browser] = await Promise.all([World.start({ blocks: 12, project: "hardhat" }), ChromiumBrowser.launch()])
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })
  beforeEach(async () => {
    ;[steps, clicks] = [0, 0]
    site = await Site.make(browser, world.url)
    await site.open("/")
  })
  afterEach(async () => {
    expect(site.issues).toEqual([])
    await site.close()
  })

  /** Pastes a hash or an address into the search box. */
  const paste = async (text: string) => {
    steps++
    await site.page.getByRole("searchbox").fill(text)
    await site.page.keyboard.press("Enter")
    await site.page.waitForURL(new RegExp(text, "i"))
  }

  const click = async (target: Locator) => {
    steps++
    clicks++
    await target.first().click()
  }

  const choose = async (label: string, value: string | { readonly label: string }) => {
    steps++
    clicks++
    await site.page.getByRole("combobox", { name: new RegExp(`^${label}`) }).selectOption(value)
  }

  const enter = async (target: Locator, text: string) => {
    steps++
    await target.fill(text)
  }

  const tab = (name: string) => site.page.locator(".tabs").getByRole("link", { name, exact: true })

  const countsFor = (task: string) => expect(`${steps} (${clicks})`).toBe(stated(task))

  it("why did my transaction fail: the custom error with its arguments", async () => {
    await paste(world.scenario.transactions.revertCustomError)

    await Site.fact(site.page, "Outcome")
      .getByText(/^Refused\(caller: .*, asked: \d+, available: 0\)$/)
      .waitFor()
    countsFor("Why did my transaction fail?")
  })

  it("what did this swap give me: a sentence with both amounts", async () => {
    await paste(world.scenario.transactions.swap)

    await site.page.locator(".headline", { hasText: /Swapped .* for / }).waitFor()
    countsFor("What did this swap give me?")
  })

  it("which function was called with what: the input with the names of fields", async () => {
    await paste(world.scenario.transactions.nestedTuple)

    await site.page
      .getByRole("group", { name: /^Parameters of .place/ })
      .getByText("maker", { exact: true })
      .waitFor()
    countsFor("Which function of my contract was called with what?")
  })

  it("which call inside failed, and why: the trace is open along the failure", async () => {
    await paste(world.scenario.transactions.revertCustomError)

    await site.page.locator(".frame .reason", { hasText: "Refused(" }).first().waitFor()
    countsFor("Which call inside failed, and why?")
  })

  it("what was a call inside given and what did it return: each line of the trace", async () => {
    await paste(world.scenario.transactions.swap)

    await site.page
      .locator(".frame-call", { hasText: /transferFrom\(.*:.*\) → true/ })
      .first()
      .waitFor()
    countsFor("What was a call inside given, and what did it return?")
  })

  it("what was this contract created with: the arguments of its constructor", async () => {
    await paste(world.scenario.contracts.gold)
    await click(Site.fact(site.page, "Created").getByRole("link"))

    await site.page
      .getByRole("group", { name: /^Parameters of .constructor/ })
      .getByText("symbol_")
      .waitFor()
    countsFor("What was this contract created with?")
  })

  it("did this wallet ever receive that token: its movements by asset and direction", async () => {
    const { accounts, contracts } = world.scenario
    const received = await world.rest.movements({ address: accounts.alice, asset: contracts.gold, direction: "in" })
    await paste(accounts.alice)
    await click(tab("Movements"))
    await choose("Asset", contracts.gold)
    await choose("Direction", "in")

    const keys = received.result.map(({ block_number: block, movement_index: index }) => `${block} ${index}`)
    expect(keys.length).toBeGreaterThan(0)
    await site.page.locator(".rows-body .row").first().waitFor()
    expect(await site.page.locator(".rows-body").innerText()).not.toContain("−")
    countsFor("Did this wallet ever receive that token?")
  })

  it("is this balance right: proved against the chain", async () => {
    await paste(world.scenario.accounts.alice)

    await Site.fact(site.page, "Balance")
      .getByText(/^proved at block/)
      .waitFor()
    countsFor("Is this balance right?")
  })

  it("who moved this token: its transfers", async () => {
    await paste(world.scenario.contracts.gold)
    await click(tab("Transfers"))

    await site.page.getByRole("group", { name: "Transfers", exact: true }).locator("tbody tr").first().waitFor()
    countsFor("Who moved this token?")
  })

  it("what does this contract answer: a function that reads", async () => {
    const { accounts, contracts } = world.scenario
    await paste(contracts.gold)
    await click(tab("Contract"))
    await click(site.page.getByText(/^balanceOf\(/))
    const form = site.page.locator("details[open] .read-form")
    await enter(form.getByRole("textbox"), accounts.alice)
    await click(form.getByRole("button", { name: "Read" }))

    await form.locator(".value").first().waitFor()
    countsFor("What does this contract answer?")
  })

  it("what did this transaction change in storage: the state before and after", async () => {
    await paste(world.scenario.transactions.swap)
    await click(site.page.getByRole("button", { name: "Show the state before and after" }))

    await site.page.getByRole("group", { name: "Changes of state" }).waitFor()
    countsFor("What did this transaction change in storage?")
  })

  it("what did the sender do before: its transaction with the nonce below", async () => {
    await paste(world.scenario.transactions.swap)
    const before = site.page.getByRole("link", { name: /previous by nonce/ })
    const hash = await before.getAttribute("title")
    await click(before)

    await site.page.waitForURL(`${world.url}/tx/${hash}`)
    countsFor("What did the sender do before?")
  })
})
