/** Tests of addresses in a browser: histories, files and balances, compared with the node and the API. */
import { Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { toJson } from "@daybook/rest/promise"
import type { Page } from "playwright-core"
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Site from "./Site.ts"
import * as SiteTest from "./SiteTest.ts"
import type * as World from "./World.ts"

/** Makes a part of the history final, which is then read by pages. */
const finalise = async (world: World.World) => {
  await world.run(Head.mine(world.node, 100))
  await world.indexed()
}

const it = SiteTest.make({ blocks: 40, prepare: finalise })

const rowOf = (page: Page, key: string) => page.locator(`.row[data-key^="${key}"]`)

describe.skipIf(ChromiumBrowser.missing !== undefined)("addresses in the explorer", () => {
  it("address: a long history is read to its end, in both orders, including the final part", async ({
    site,
    world,
  }) => {
    const { alice } = world.scenario.accounts
    const rows: Array<string> = []
    for await (const { hash } of world.rest.walletTransactionsStream({ address: alice, scope: "all" })) rows.push(hash)
    expect(rows.length).toBeGreaterThan(100)

    await site.open(`/address/${alice}`)
    // Rows that are not final are polled, and new ones are inserted at the top.
    await rowOf(site.page, rows[0]!).waitFor()
    expect(await Site.walk(site.page)).toEqual(rows)
    await site.page.getByLabel("Order").selectOption("ASC")
    await site.page.waitForURL(/order=ASC/)
    await site.page.evaluate(() => window.scrollTo(0, 0))
    await Site.untilRows(site.page, rows.toReversed())
    expect(await Site.walk(site.page)).toEqual(rows.toReversed())
  })

  it("address: movements by asset, kind, direction and day equal the API's, with the node's balance after them", async ({
    site,
    world,
  }) => {
    const { alice, bob } = world.scenario.accounts
    const { gold } = world.scenario.contracts
    await site.open(`/address/${alice}?tab=movements&asset=${gold}`)
    const { page } = site
    const held = BigInt(
      await world.call<string>("eth_call", [
        { to: gold, data: `0x70a08231${alice.slice(2).padStart(64, "0")}` },
        "latest",
      ]),
    )
    const first = page.locator(".rows-body .row").first()
    await first.waitFor()
    await page.waitForFunction(() => document.querySelector('.row [data-name="Balance after"] data') !== null)
    expect(await first.locator('[data-name="Balance after"] data').getAttribute("value")).toBe(Site.ether(held))

    await site.open(`/address/${bob}?tab=movements`)
    await page.getByLabel("Kind").selectOption("erc20,erc721,erc1155")
    await page.getByLabel("Direction").selectOption("in")
    await page.waitForURL(/direction=in/)
    const rows: Array<string> = []
    const query = { address: bob, kind: ["erc20", "erc721", "erc1155"], direction: "in" } as const
    for await (const row of world.rest.movementsStream(query)) {
      rows.push(`${row.block_hash} ${row.transaction_hash} ${row.movement_index}`)
    }
    await Site.untilRows(page, rows)
    expect(await Site.walk(page)).toEqual(rows)

    await page.getByLabel("To (UTC)").fill("2020-01-01")
    await page.getByText("No movements match these filters").waitFor()
  })

  it("address: a statement begins with the node's state of block 0, and ends with proved balances", async ({
    site,
    world,
  }) => {
    const { alice } = world.scenario.accounts
    const heldAt = async (block: string) =>
      Site.ether(BigInt(await world.call<string>("eth_getBalance", [alice, block])))
    await site.open(`/address/${alice}?tab=statement`)
    const { page } = site
    const etherOf = (label: string) =>
      page.getByRole("group", { name: label }).locator("tbody tr").filter({ hasText: "ETH" }).first()
    await etherOf("Closing balances").getByText("proved at").waitFor()

    expect(await etherOf("Opening balances").locator("data").getAttribute("value")).toBe(await heldAt("0x0"))
    expect(await etherOf("Closing balances").locator("data").getAttribute("value")).toBe(await heldAt("latest"))
    expect(await page.getByText(/incomplete|not known|not compared/).count()).toBe(0)
    expect(await Site.violations(page)).toEqual([])

    // Once the service has read the opening balance, it is not shown as a movement of the first block.
    await Eventually.until(async () => !(await world.rest.statement({ address: alice })).incomplete.opening, {
      everyMillis: 100,
      withinMillis: 60_000,
      what: "the service has read what was held before the first block",
    })
    await site.open(`/address/${alice}?tab=statement`)
    await etherOf("Closing balances").getByText("proved at").waitFor()
    expect(await etherOf("Opening balances").locator("data").getAttribute("value")).toBe(await heldAt("0x0"))
    expect(await page.getByRole("group", { name: "Sums by asset and kind" }).getByText("genesis").count()).toBe(0)

    // The page then does not wait for the node.
    const failed: Array<string> = []
    page.on("requestfailed", (request) => failed.push(request.url()))
    await page.route("**/rpc/**", () => {})
    await page.goto(`${world.url}/address/${alice}?tab=statement`)
    await etherOf("Closing balances").waitFor()
    expect(failed.filter((url) => url.includes("/rpc/"))).toEqual([])
    await page.unrouteAll()

    await site.open(`/address/${alice}?tab=movements&asset=native`)
    const after = page.locator('.rows-body .row [data-name="Balance after"] data').first()
    await after.waitFor()
    expect(await after.getAttribute("value")).toBe(await heldAt("latest"))
    expect(await page.getByText("sums of movements only").count()).toBe(0)
  })

  it("address: downloaded files of each tab contain what the API returns", async ({ site, world }) => {
    const { alice } = world.scenario.accounts
    await site.open(`/address/${alice}`)
    const transactions: Array<string> = []
    for await (const row of world.rest.walletTransactionsStream({ address: alice, scope: "all" })) {
      transactions.push(`${JSON.stringify(toJson(row))}\n`)
    }
    expect(await Site.download(site.page, "NDJSON")).toBe(transactions.join(""))

    await site.open(`/address/${alice}?tab=movements`)
    const [header = [], ...lines] = Site.parseCsv(await Site.download(site.page, "CSV"))
    const amounts: Array<string> = []
    for await (const { amount } of world.rest.movementsStream({ address: alice })) amounts.push(String(amount))
    expect(lines.map((line) => line[header.indexOf("amount")])).toEqual(amounts)

    await site.open(`/address/${alice}?tab=tokens`)
    const [names = [], ...balances] = Site.parseCsv(await Site.download(site.page, "CSV"))
    const { result } = await world.rest.balances({ address: alice })
    expect(balances.map((line) => line[names.indexOf("balance")])).toEqual(result.map(({ balance }) => String(balance)))

    await site.open(`/address/${alice}?tab=statement`)
    const { sums } = await world.rest.statement({ address: alice })
    expect(await Site.download(site.page, "NDJSON")).toBe(
      sums.map((sum) => `${JSON.stringify(toJson(sum))}\n`).join(""),
    )
  })

  it("address: lists the holdings of a collection in one row, and links itself on the other chains of the service", async ({
    site,
    world,
  }) => {
    const { alice } = world.scenario.accounts
    const { page } = site
    const { result } = await world.rest.balances({ address: alice })
    const items = result.filter(({ token_id: id }) => id !== null)
    // A second chain, which is the same one with another name.
    await page.route("**/explorer.json", async (route) => {
      const settings = (await (await route.fetch()).json()) as { readonly chains: ReadonlyArray<object> }
      await route.fulfill({
        json: { ...settings, chains: [...settings.chains, { ...settings.chains[0], name: "second" }] },
      })
    })
    await page.route(/\/rpc\/second|chain=second/, (route) =>
      route.continue({
        url: route.request().url().replace("/rpc/second", "/rpc/eth").replace("chain=second", "chain=eth"),
      }),
    )
    await site.open(`/address/${alice}?tab=tokens`)

    const collections = new Set(items.map(({ asset }) => asset))
    expect(collections.size).toBeGreaterThan(0)
    const table = page.getByRole("group", { name: "Collections", exact: true })
    expect(await table.locator("tbody tr").count()).toBe(collections.size)
    for (const { token_id: id } of items.slice(0, 5)) await table.getByText(`#${id}`, { exact: true }).first().waitFor()

    await page.getByRole("button", { name: "Show this address on second" }).click()
    const row = page.getByRole("group", { name: "Other chains" }).locator("tbody tr")
    await row.getByRole("link", { name: "second" }).waitFor()
    const held = result.filter(({ asset }) => asset !== "native").length
    await row.getByText(String(held), { exact: true }).first().waitFor()
    expect(await Site.violations(page)).toEqual([])
  })

  it("address: names a proxy with its implementation, and a token as its contract does", async ({ site, world }) => {
    const { gold, proxy } = world.scenario.contracts
    await site.open(`/address/${proxy}`)
    await Site.fact(site.page, "Kind").getByText("proxy").waitFor()
    await site.open(`/address/${gold}`)
    await Site.fact(site.page, "Token").getByText("GOLD").first().waitFor()
  })

  it("address: a token has its name as title, and lists its transfers as the node logs them", async ({
    site,
    world,
  }) => {
    const { gold } = world.scenario.contracts
    const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    const logs = await world.call<ReadonlyArray<{ readonly transactionHash: string }>>("eth_getLogs", [
      { address: gold, topics: [topic], fromBlock: "0x0", toBlock: "latest" },
    ])
    await site.open(`/address/${gold}`)
    const { page } = site
    await page.getByRole("heading", { name: /\(GOLD\)/, level: 1 }).waitFor()
    await page.getByRole("link", { name: "Transfers", exact: true }).click()

    const table = page.getByRole("group", { name: "Transfers" })
    await table.getByText("GOLD").first().waitFor()
    const shown = await table
      .locator("tbody tr td:first-child a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("title")))
    expect(shown).toEqual(
      logs
        .map(({ transactionHash }) => transactionHash)
        .toReversed()
        .slice(0, shown.length),
    )
    expect(shown.length).toBeGreaterThan(40)
  })

  it("address: shows the supply of a token, and the transaction that created a contract", async ({ site, world }) => {
    const { gold } = world.scenario.contracts
    const supply = BigInt(await world.call<string>("eth_call", [{ to: gold, data: "0x18160ddd" }, "latest"]))
    await site.open(`/address/${gold}`)

    const shown = Site.fact(site.page, "Total supply").locator("data")
    await shown.waitFor()
    expect(await shown.getAttribute("value")).toBe(Site.ether(supply))
    const created = await Site.fact(site.page, "Created").getByRole("link").first().getAttribute("title")
    const receipt = await world.call<{ readonly contractAddress: string }>("eth_getTransactionReceipt", [created])
    expect(receipt.contractAddress).toBe(gold)
  })

  it("address: states up to which block an earlier version stored less, and up to which one lacks traces", async ({
    site,
    world,
  }) => {
    const { alice } = world.scenario.accounts
    const { page } = site
    const lack = { direct_only_to: "1234", untraced_to: "2345" }
    await page.route("**/balances?**", async (route) => {
      // Sends a key instead of the headers with which a browser marks same-origin requests.
      const response = await route.fetch({ headers: { ...route.request().headers(), "x-api-key": world.apiKey } })
      const json = await response.json()
      return route.fulfill({ response, json: { ...json, incomplete: { ...json.incomplete, ...lack } } })
    })

    await site.open(`/address/${alice}`)

    const notice = page.getByRole("alert").filter({ hasText: "missing up to block 1,234" })
    await notice.getByText("daybook reindex --all").waitFor()
    const untraced = page.getByRole("alert").filter({ hasText: "missing up to block 2,345" })
    await untraced.getByText("Not every transaction").waitFor()
    expect(await Site.violations(page)).toEqual([])
  })

  it("address: a new transaction appears, and is marked as reverted after evm_revert", async ({ site, world }) => {
    const { carol, erin } = world.scenario.accounts
    await site.open(`/address/${erin}`)
    const snapshot = await world.call("evm_snapshot")
    const hash = await world.run(Head.transfer(world.node, { from: carol, to: erin, valueWei: 42n }))
    await world.run(Head.mine(world.node))
    await rowOf(site.page, hash).and(site.page.locator('[data-reverted="false"]')).waitFor()

    await world.call("evm_revert", [snapshot])
    await world.run(Head.mine(world.node, 2))

    await rowOf(site.page, hash).and(site.page.locator('[data-reverted="true"]')).waitFor()
  })

  it("a stale cursor: the list is read again, with a notice", async ({ site, world }) => {
    const { alice } = world.scenario.accounts
    let isStale = false
    await site.page.route("**/verbose?*cursor=*", async (route) => {
      if (isStale) return route.continue()
      isStale = true
      const body = { code: "stale_cursor", message: "A reorg reverted rows.", requestId: "1", resumeFromBlock: 3 }
      return route.fulfill({ status: 409, contentType: "application/json", body: JSON.stringify(body) })
    })
    await site.open(`/address/${alice}?order=ASC`)

    const keys = await Site.walk(site.page)

    expect(isStale).toBe(true)
    const rows: Array<string> = []
    for await (const { hash } of world.rest.walletTransactionsStream({ address: alice, scope: "all", order: "ASC" }))
      rows.push(hash)
    expect(keys).toEqual(rows)
    await site.page.getByText("It was read again").waitFor()
  })
})
