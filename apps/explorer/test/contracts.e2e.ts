/** Tests of contracts in a browser, compared with the node: ABIs, read calls, errors, and the state before and after. */
import { encodeFunctionData } from "viem"
import type { Page } from "playwright-core"
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Site from "./Site.ts"
import * as SiteTest from "./SiteTest.ts"

const balanceOf = {
  type: "function",
  name: "balanceOf",
  inputs: [{ name: "owner", type: "address" }],
  outputs: [{ name: "", type: "uint256" }],
  stateMutability: "view",
} as const

const it = SiteTest.make({ blocks: 12, project: "hardhat" })

describe.skipIf(ChromiumBrowser.missing !== undefined)("contracts in the explorer", () => {
  /** Waits until each call of a trace shows the name of its function. */
  const untilNamed = (page: Page) =>
    page.waitForFunction(() => {
      const names = [...document.querySelectorAll(".frame .method")].map(({ textContent }) => textContent)
      return names.length > 0 && names.every((name) => !name.startsWith("0x"))
    })

  it("contract: lists the functions, events and errors of its ABI, and reads the node's values", async ({
    site,
    world,
  }) => {
    const { accounts, contracts } = world.scenario
    const data = encodeFunctionData({ abi: [balanceOf], args: [accounts.alice] })
    const held = BigInt(await world.call<string>("eth_call", [{ to: contracts.gold, data }, "latest"]))
    await site.open(`/address/${contracts.gold}`)
    const { page } = site
    await page.getByRole("heading", { name: "Gold (GOLD)", level: 1 }).waitFor()

    await page.getByRole("link", { name: "Contract", exact: true }).click()
    await page.getByRole("heading", { name: /^Write functions/ }).waitFor()
    await page.getByRole("heading", { name: /^Events/ }).waitFor()
    await page.getByText(/^balanceOf\(/).click()
    const form = page.locator("details[open] .read-form")
    await form.getByRole("textbox").fill(accounts.alice)
    await form.getByRole("button", { name: "Read" }).click()

    await form.getByText(String(held), { exact: true }).waitFor()
    await form.getByRole("textbox").fill("nobody")
    await form.getByRole("button", { name: "Read" }).click()
    await form.locator(".reason").waitFor()
    expect(await Site.violations(page)).toEqual([])
  })

  it("contract: a proxy shows the ABI of its implementation, and an unknown one how to add its ABI", async ({
    site,
    world,
  }) => {
    const { accounts, contracts } = world.scenario
    await site.open(`/address/${contracts.proxy}?tab=contract`)
    await site.page
      .getByText(/^increment\(/)
      .first()
      .waitFor()

    await site.open(`/address/${accounts.bob}?tab=contract`)

    await site.page.getByText(`daybook abi add ${accounts.bob} FILE`).waitFor()
  })

  it("transaction: shows a custom error by name, and the functions of the trace", async ({ site, world }) => {
    const { nestedTuple, revertCustomError, swap } = world.scenario.transactions
    await site.open(`/tx/${revertCustomError}`)
    await Site.fact(site.page, "Outcome")
      .locator(".reason")
      .filter({ hasText: /^[A-Z]\w*\(.*\)$/ })
      .waitFor()

    await site.open(`/tx/${swap}`)
    await site.page
      .locator(".frame .method")
      .filter({ hasText: /^swap$/ })
      .waitFor()
    await untilNamed(site.page)
    await site.open(`/tx/${nestedTuple}`)
    await untilNamed(site.page)
  })

  it("transaction: structs have the names of their fields, addresses in them are links, and an indexed text is a hash", async ({
    site,
    world,
  }) => {
    await site.open(`/tx/${world.scenario.transactions.nestedTuple}`)
    const { page } = site
    const call = page.getByRole("group", { name: /^Parameters of .place/ })
    await call.locator(".field-name", { hasText: /^maker$/ }).waitFor()
    await call
      .locator("li", { hasText: /^maker/ })
      .locator("[data-address]")
      .first()
      .waitFor()
    for (const name of ["urgent", "items", "asset", "token", "tags", "amount", "adjustment", "pairs", "note"]) {
      expect(await call.locator(".field-name", { hasText: new RegExp(`^${name}$`) }).count()).toBeGreaterThan(0)
    }

    const remark = page.getByRole("group", { name: /^Parameters of .Remark/ })
    await remark.getByText("hash of the value").waitFor()
    await remark.getByText("indexed").first().waitFor()
    expect(await Site.violations(page)).toEqual([])
  })

  it("transaction: enum values have their names in the input, and the trace names struct fields", async ({
    site,
    world,
  }) => {
    await site.open(`/tx/${world.scenario.transactions.nestedTuple}`)
    const { page } = site
    const call = page.getByRole("group", { name: /^Parameters of .place/ })
    await call.getByText("First", { exact: true }).waitFor()
    await call.getByText("(4)", { exact: true }).waitFor()

    const line = page.locator(".frame-call").first()
    await line.getByText("maker:").first().waitFor()
    await line.getByText("Fourth", { exact: true }).waitFor()
  })

  it("transaction: a creation shows the arguments of the constructor, in the input and in the trace", async ({
    site,
    world,
  }) => {
    const { page } = site
    await site.open(`/address/${world.scenario.contracts.gold}`)
    await Site.fact(page, "Created").getByRole("link").first().click()

    const input = page.getByRole("group", { name: /^Parameters of .constructor/ })
    await input.getByText("name_", { exact: true }).waitFor()
    await input.getByText("symbol_", { exact: true }).waitFor()
    await page.locator(".frame-call").getByText("constructor").waitFor()
    expect(await Site.violations(page)).toEqual([])
  })

  it("transaction: calls with arguments and the revert reason are shown even if the node does not trace calls", async ({
    site,
    world,
  }) => {
    const { page } = site
    // Responds as Hardhat and Ganache do.
    await page.route("**/rpc/**", async (route) => {
      const body: unknown = route.request().postDataJSON()
      if (!JSON.stringify(body).includes("callTracer")) return route.continue()
      const requests = [body].flat() as ReadonlyArray<{ readonly id: unknown; readonly method: string }>
      const isTrace = ({ method }: { readonly method: string }) => method === "debug_traceTransaction"
      if (!requests.every(isTrace)) return route.continue()
      const replies = requests.map(({ id }) => ({
        jsonrpc: "2.0",
        id,
        error: { code: -32601, message: "tracer not supported" },
      }))
      return route.fulfill({ json: Array.isArray(body) ? replies : replies[0] })
    })
    const { revertCustomError, revertReason, swap } = world.scenario.transactions
    await site.open(`/tx/${swap}`)
    const calls = page.getByRole("group", { name: "Calls of the transaction" })
    await page.getByText("The node has no call tracer").waitFor()
    for (const text of [/swapExactTokensForTokens\(amountIn: \d/, /transferFrom\(.*: \d.*\) → true/]) {
      await calls.locator(".frame-call", { hasText: text }).first().waitFor()
    }
    expect(await Site.violations(page)).toEqual([])
    await site.open(`/tx/${revertReason}`)
    await Site.fact(page, "Outcome").getByText("Reverter: this always fails").waitFor()
    await site.open(`/tx/${revertCustomError}`)

    await Site.fact(page, "Outcome")
      .getByText(/^Refused\(caller: .*, asked: \d+, available: 0\)$/)
      .waitFor()
  })

  it("transaction: the state before and after equals the node's", async ({ site, world }) => {
    const { swap } = world.scenario.transactions
    const params = [swap, { tracer: "prestateTracer", tracerConfig: { diffMode: true } }]
    const { post } = await world.call<{
      readonly post: Readonly<Record<string, { readonly storage?: Readonly<Record<string, string>> }>>
    }>("debug_traceTransaction", params)
    const words = Object.values(post).flatMap(({ storage = {} }) => Object.values(storage))
    expect(words.length).toBeGreaterThan(0)
    await site.open(`/tx/${swap}`)

    await site.page.getByRole("button", { name: "Show the state before and after" }).click()

    const table = site.page.getByRole("group", { name: "State changes" })
    await table.waitFor()
    const text = await table.innerText()
    expect(words.filter((word) => !text.includes(word))).toEqual([])
    expect(await Site.violations(site.page)).toEqual([])
  })

  it("transaction: states that a node lacks the tracer, and what is needed", async ({ site, world }) => {
    await site.page.route("**/rpc/**", async (route) => {
      const body: unknown = route.request().postDataJSON()
      if (!JSON.stringify(body).includes("prestateTracer")) return route.continue()
      const [{ id }] = [body].flat() as [{ readonly id: unknown }]
      const errorReply = { jsonrpc: "2.0", id, error: { code: -32601, message: "tracer not found" } }
      return route.fulfill({ json: Array.isArray(body) ? [errorReply] : errorReply })
    })
    await site.open(`/tx/${world.scenario.transactions.swap}`)

    await site.page.getByRole("button", { name: "Show the state before and after" }).click()

    await site.page.getByText("The node does not offer the state before and after").waitFor()
    await site.page.getByText("tracer not found").waitFor()
  })

  it("home and block: name functions and contracts that the node does not name", async ({ site, world }) => {
    const { swap } = world.scenario.transactions
    const { blockNumber } = await world.call<{ readonly blockNumber: string }>("eth_getTransactionByHash", [swap])
    await site.open(`/block/${Number(blockNumber)}`)
    const row = site.page.locator(`tr[data-hash="${swap}"]`)

    await row.getByText("swapExactTokensForTokens").waitFor()
    await row.getByText("Router").waitFor()
    expect(await Site.violations(site.page)).toEqual([])
  })
})
