/** Tests of transactions in a browser, compared with the node and the API. */
import { Head } from "@daybook/chain"
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Site from "./Site.ts"
import * as SiteTest from "./SiteTest.ts"

const it = SiteTest.make()

/** Code that logs a transfer of 1 from its caller and calls an account, repeated as often as the first word of the call data. */
const manyTransfers =
  "0x5f355b801560455760015f5280337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa35f5f5f5f5f61beef5af150600190036002565b00"

describe.skipIf(ChromiumBrowser.missing !== undefined)("transactions in the explorer", () => {
  it("transaction: shows fee, revert reason, decoded parameters, transfers and trace as the node reports them", async ({
    site,
    world,
  }) => {
    const { revertReason, tokenTransfer } = world.scenario.transactions
    await site.open(`/tx/${revertReason}`)
    await Site.fact(site.page, "Outcome").getByText("Reverter: this always fails").waitFor()

    const receipt = await world.call<{
      readonly logs: ReadonlyArray<{ readonly data: string; readonly address: string }>
    }>("eth_getTransactionReceipt", [tokenTransfer])
    await site.open(`/tx/${tokenTransfer}`)
    const { page } = site
    const amount = BigInt(receipt.logs[0]?.data ?? "0x0")
    const transfers = page.getByRole("group", { name: "Token transfers" })
    await transfers.getByText("GOLD").waitFor()
    expect(await transfers.locator("data").getAttribute("value")).toBe(Site.ether(amount))
    await page.locator(`.log .value data[value="${amount}"]`).waitFor()
    // The same amount in units of the token.
    await page.locator(`.log .token-amount data[value="${Site.ether(amount)}"]`).waitFor()
    const moved = page.getByRole("group", { name: "Changes by address" })
    await moved.locator(`data[value="-${Site.ether(amount)}"]`).waitFor()
    expect(await moved.locator("li", { hasText: "GOLD" }).count()).toBe(1)
    await page.getByText("Receipt as JSON").click()
    expect(await page.getByRole("region", { name: "Receipt as JSON" }).innerText()).toContain(receipt.logs[0]?.address)
  })

  it("transaction: begins with what it did, its outcome and age, then parts with their counts, none of them empty", async ({
    site,
    world,
  }) => {
    const { page } = site
    const links = page.getByRole("navigation", { name: "Parts of the transaction" }).getByRole("link")
    const headings = page.locator("section h2")
    await site.open(`/tx/${world.scenario.transactions.type2}`)
    await page.locator(".headline", { hasText: /^transfer Sent .* to .* ago$/ }).waitFor()
    await headings.getByText("Raw").waitFor()
    expect(await headings.allInnerTexts()).toEqual(["Overview", "What moved", "Trace", "State", "Raw"])
    await links.getByText("1", { exact: true }).waitFor()

    const { swap } = world.scenario.transactions
    const { logs } = await world.call<{ readonly logs: ReadonlyArray<unknown> }>("eth_getTransactionReceipt", [swap])
    await site.open(`/tx/${swap}`)
    await page.locator(".headline", { hasText: /^swap Swapped .* ago$/ }).waitFor()
    await headings.getByText("Raw").waitFor()
    const parts = ["What moved", "Token transfers (2)", "Input", `Logs (${logs.length})`, "Trace", "State", "Raw"]
    expect(await headings.allInnerTexts()).toEqual(["Overview", ...parts])
    expect(await links.locator("span").allInnerTexts()).toEqual([
      "2",
      String(logs.length),
      expect.stringMatching(/^\d+$/),
    ])
    expect(await links.count()).toBe(parts.length)
    await links.getByText("Logs").click()
    expect(await page.evaluate(() => document.activeElement?.querySelector("h2")?.textContent)).toBe(parts[3])
    expect(page.url()).toBe(`${world.url}/tx/${swap}`)
  })

  it("transaction: a name in the sentence of a failed transaction is on the line of its words", async ({
    site,
    world,
  }) => {
    await site.open(`/tx/${world.scenario.transactions.revertReason}`)
    const name = site.page.locator(".headline .method").first()
    await name.waitFor()

    const baselines = await name.evaluate((element) => {
      const baselineIn = (parent: Element): number => {
        const mark = parent.appendChild(document.createElement("span"))
        mark.style.display = "inline-block"
        return mark.getBoundingClientRect().bottom
      }
      return [baselineIn(element), baselineIn(element.parentElement ?? element)]
    })

    expect(Math.abs((baselines[0] ?? 0) - (baselines[1] ?? 99))).toBeLessThan(1)
  })

  it("transaction: states that the service has not indexed it, and shows its movements and events once it has", async ({
    site,
    world,
  }) => {
    const { page } = site
    let isIndexed = false
    await page.route("**/verbose?*", async (route) => {
      // Sends a key instead of the headers with which a browser marks same-origin requests.
      const response = await route.fetch({ headers: { ...route.request().headers(), "x-api-key": world.apiKey } })
      const json = await response.json()
      return route.fulfill({ response, json: isIndexed ? json : { ...json, result: [] } })
    })
    await site.open(`/tx/${world.scenario.transactions.tokenTransfer}`)
    await page.getByText("The service has not indexed this transaction. What it moved appears").waitFor()
    await page.locator(".log").getByText("Not decoded: the service has not indexed").waitFor()

    isIndexed = true
    // The contents of the page are reloaded after the chain has advanced.
    await world.run(Head.mine(world.node))

    await page.locator(".log").getByText("Transfer(address,address,uint256)").waitFor()
    await page.getByRole("group", { name: "Changes by address" }).locator("li", { hasText: "GOLD" }).waitFor()
  })

  it("transaction: shows the first of many logs, transfers and calls, and more by a button", async ({
    site,
    world,
  }) => {
    const { alice, erin } = world.scenario.accounts
    const word = (220).toString(16).padStart(64, "0")
    await world.call("anvil_setCode", [erin, manyTransfers])
    const call = { from: alice, to: erin, data: `0x${word}`, gas: "0x1e8480" }
    const hash = await world.call<string>("eth_sendTransaction", [call])
    await world.run(Head.mine(world.node))
    await world.indexed()
    const { page } = site
    const transfers = page.locator("#transfers tbody tr")
    const logs = page.locator("#logs .logs > li")
    const calls = page.locator("#trace .frame")

    await site.open(`/tx/${hash}`)
    await page.locator("#logs h2", { hasText: "Logs (220)" }).waitFor()
    expect([await transfers.count(), await logs.count(), await calls.count()]).toEqual([100, 50, 51])

    for (const [part, text] of [
      ["transfers", "Show 20 of 20 more"],
      ["logs", "Show 50 of 120 more"],
      ["trace", "Show 50 of 120 more"],
    ] as const) {
      await page
        .locator(`#${part}`)
        .getByRole("button", { name: /^Show \d+ of \d+ more$/ })
        .click()
      await page.locator(`#${part}`).getByRole("button", { name: text }).waitFor()
    }
    expect([await transfers.count(), await logs.count(), await calls.count()]).toEqual([200, 100, 101])
  })

  it("transaction: links to the sender's previous and next transactions", async ({ site, world }) => {
    const { alice } = world.scenario.accounts
    const sent: Array<string> = []
    for await (const { from_address: from, hash } of world.rest.walletTransactionsStream({
      address: alice,
      order: "ASC",
    }))
      if (from === alice) sent.push(hash)
    const { page } = site
    await site.open(`/tx/${sent[0]}`)
    await page.getByRole("link", { name: "next by nonce" }).waitFor()
    expect(await page.getByRole("link", { name: "previous by nonce" }).count()).toBe(0)

    // The URL changes to that of the next page before its links do.
    for (const [name, at] of [
      ["next by nonce", 1],
      ["next by nonce", 2],
      ["previous by nonce", 1],
    ] as const) {
      await page
        .getByRole("link", { name })
        .and(page.locator(`[title="${sent[at]}"]`))
        .click()
      await page.waitForURL(`${world.url}/tx/${sent[at]}`)
    }
  })

  it("transaction: is marked as reverted while it is on screen", async ({ site, world }) => {
    const { alice, bob } = world.scenario.accounts
    const hash = await world.run(Head.transfer(world.node, { from: alice, to: bob, valueWei: 77n }))
    await world.run(Head.mine(world.node))
    await site.open(`/tx/${hash}`)

    await world.run(Head.reorganise(world.node, { depth: 1, moreBlocks: 1 }))

    await site.page.getByText("Reverted: a reorg replaced the block of this transaction").waitFor()
    await world.indexed()
  })
})
