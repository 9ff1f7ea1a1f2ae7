/** Every page in a real browser, on a real chain and service, compared with what the node and the API state. */
import { Head } from "@daybook/chain"
import { toJson } from "@daybook/rest/promise"
import type { Browser } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import * as FirstVisit from "./FirstVisit.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

if (ChromiumBrowser.missing !== undefined) console.warn(`explorer: not tested. ${ChromiumBrowser.missing}`)

interface NodeBlock {
  readonly number: string
  readonly hash: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly miner: string
  readonly parentHash: string
  readonly stateRoot: string
  readonly transactions: ReadonlyArray<string>
}

describe.skipIf(ChromiumBrowser.missing !== undefined)("explorer", () => {
  let world: World.World
  let browser: Browser
  let site: Site.Site

  beforeAll(async () => {
    await Build.make()
    ;[world, browser] = await Promise.all([World.start({ blocks: 40 }), ChromiumBrowser.launch()])
    // So that a part of the history is final, and read page by page.
    await world.run(Head.mine(world.node, 100))
    await world.indexed()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })
  beforeEach(async () => {
    site = await Site.make(browser, world.url)
  })
  afterEach(async () => {
    expect(site.issues).toEqual([])
    await site.close()
  })

  const rowOf = (key: string) => site.page.locator(`.row[data-key^="${key}"]`)

  const search = async (text: string) => {
    await site.page.keyboard.press("/")
    await site.page.getByRole("searchbox").fill(text)
    await site.page.keyboard.press("Enter")
  }

  it("first visits: the scripts that a page needs to be shown are below 180 KiB as they are sent", async () => {
    const { accounts, transactions } = world.scenario
    const sizes: Array<number> = []
    for (const target of FirstVisit.targets(transactions.swap, accounts.alice)) {
      sizes.push(FirstVisit.scriptBytes(await FirstVisit.make(browser, world.url, target)))
    }

    expect(Math.min(...sizes)).toBeGreaterThan(100 * 1024)
    expect(Math.max(...sizes)).toBeLessThan(FirstVisit.maxScriptBytes)
  })

  it("home: shows the head, lag and finality of the chain, and every transaction of the latest blocks", async () => {
    const { hash } = await world.run(Head.mine(world.node))
    await world.indexed()

    await site.open("/")

    const { page } = site
    await page.locator(`tr[data-hash="${hash}"]`).waitFor()
    const head = Number(await world.call<string>("eth_blockNumber"))
    const card = page.locator(".card")
    await card.getByText(String(head)).first().waitFor()
    await card.getByText("synced").first().waitFor()
    const shown = await page.locator("tr[data-hash] td:first-child a").allInnerTexts()
    expect(shown.slice(0, 3)).toEqual([head, head - 1, head - 2].map(String))
  })

  it("home: shows a new transaction, and marks its block as reverted once a reorg replaced it", async () => {
    await site.open("/")
    const { alice, bob } = world.scenario.accounts
    const hash = await world.run(Head.transfer(world.node, { from: alice, to: bob, valueWei: 5n }))
    const mined = await world.run(Head.mine(world.node))
    const { page } = site
    await page.locator(`tr[data-hash="${hash}"][data-reverted="false"]`).waitFor()

    await world.run(Head.reorganise(world.node, { depth: 1, moreBlocks: 1 }))

    await page.locator(`tr[data-hash="${mined.hash}"][data-reverted="true"]`).waitFor()
    await page.locator(`tr[data-hash="${hash}"][data-reverted="true"]`).waitFor()
  })

  it("home: follows the chain through 100 calls of evm_revert", async () => {
    await site.open("/")
    const { page } = site
    for (let turn = 0; turn < 100; turn++) {
      const snapshot = await world.call("evm_snapshot")
      await world.run(Head.mine(world.node, 1 + (turn % 3)))
      await world.call("evm_revert", [snapshot])
    }
    // Above the highest block that was reverted: below it the service takes the node for one that lags.
    const { hash } = await world.run(Head.mine(world.node, 4))

    await page.locator(`tr[data-hash="${hash}"][data-reverted="false"]`).waitFor()
    await world.indexed()
  })

  it("home: has no link to webhooks where the service sends none", async () => {
    await site.open("/")

    expect(await site.page.getByRole("link", { name: "Webhooks", exact: true }).count()).toBe(0)
  })

  it("search: finds an address, a transaction, a block by number and hash, and an own label", async () => {
    await site.open("/")
    const { accounts, transactions } = world.scenario
    const block = await world.call<NodeBlock>("eth_getBlockByNumber", ["0x5", false])
    for (const [text, path] of [
      [accounts.bob.toUpperCase().replace("0X", "0x"), `/address/${accounts.bob}`],
      [transactions.create2, `/tx/${transactions.create2}`],
      ["#5", "/block/5"],
      [block.hash, `/block/${block.hash}`],
    ] as const) {
      await search(text)
      await site.page.waitForURL(`${world.url}${path}`)
    }

    await site.open(`/address/${accounts.dave}`)
    await site.page.getByRole("button", { name: "Watch" }).click()
    await site.page.getByLabel("Own label").fill("Savings عملة")
    await site.page.getByRole("button", { name: "Save" }).click()
    await search("savings")
    await site.page.getByRole("link", { name: /your label/ }).click()

    await site.page.getByRole("heading", { name: "Savings عملة" }).waitFor()
    expect(site.page.url()).toBe(`${world.url}/address/${accounts.dave}`)
    await site.open("/")
    await site.page
      .getByRole("row", { name: /Savings/ })
      .getByRole("link")
      .waitFor()
  })

  it("search: states why nothing was found", async () => {
    await site.open("/")
    for (const [text, reason] of [
      [`0x${"12".repeat(32)}`, "has this hash"],
      ["123456789", "has no block 123456789 yet"],
      ["0x1234567890123456789012", "An address has 40 digits"],
      ["no such name", 'has "no such name" in its name'],
    ] as const) {
      await search(text)
      await site.page.getByText(reason).waitFor()
    }
  })

  it("block: shows what the node states, and leads to its neighbours", async () => {
    const block = await world.call<NodeBlock>("eth_getBlockByNumber", ["0x9", false])

    await site.open("/block/9")

    const { page } = site
    expect(await Site.fact(page, "Hash").locator("code").innerText()).toBe(block.hash)
    expect(await Site.fact(page, "Parent").innerText()).toBe(block.parentHash)
    expect(await Site.fact(page, "Fee recipient").locator("[data-address]").getAttribute("data-address")).toBe(
      block.miner,
    )
    expect(
      await Site.fact(page, "Gas used")
        .locator("data")
        .evaluateAll((all) => all.map((one) => one.getAttribute("value"))),
    ).toEqual([block.gasUsed, block.gasLimit].map((quantity) => String(BigInt(quantity))))
    const hashes = await page
      .locator("tr[data-hash]")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-hash")))
    expect(hashes).toEqual(block.transactions)
    await page.getByText("Roots and other fields").click()
    expect(await Site.fact(page, "State root").locator("code").innerText()).toBe(block.stateRoot)
    await page.getByRole("link", { name: "Next" }).click()
    await page.waitForURL(`${world.url}/block/10`)
    await page.goBack()
    await page.waitForURL(`${world.url}/block/9`)
    await site.open(`/block/${block.hash}`)
    await page.getByRole("link", { name: "Previous" }).click()
    await page.waitForURL(`${world.url}/block/8`)
  })

  it("transaction: shows fee, reason of a revert, decoded parameters, transfers and trace as the node states them", async () => {
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
    // Beside it, in units of the token.
    await page.locator(`.log .token-amount data[value="${Site.ether(amount)}"]`).waitFor()
    const moved = page.getByRole("group", { name: "Changes by address" })
    await moved.locator(`data[value="-${Site.ether(amount)}"]`).waitFor()
    expect(await moved.locator("li", { hasText: "GOLD" }).count()).toBe(1)
    await page.getByText("Receipt as JSON").click()
    expect(await page.getByRole("region", { name: "Receipt as JSON" }).innerText()).toContain(receipt.logs[0]?.address)
  })

  it("transaction: a name in the sentence of a failed one stands on the line of its words", async () => {
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

  it("transaction: states that the service has not indexed it, and shows what it moved and emitted once it has", async () => {
    const { page } = site
    let isIndexed = false
    await page.route("**/verbose?*", async (route) => {
      // Without the headers by which a browser marks its own requests: with a key.
      const response = await route.fetch({ headers: { ...route.request().headers(), "x-api-key": world.apiKey } })
      const json = await response.json()
      return route.fulfill({ response, json: isIndexed ? json : { ...json, result: [] } })
    })
    await site.open(`/tx/${world.scenario.transactions.tokenTransfer}`)
    await page.getByText("The service has not indexed this transaction. What it moved appears").waitFor()
    await page.locator(".log").getByText("Not decoded: the service has not indexed").waitFor()

    isIndexed = true
    // What is on screen is read again once the chain has moved.
    await world.run(Head.mine(world.node))

    await page.locator(".log").getByText("Transfer(address,address,uint256)").waitFor()
    await page.getByRole("group", { name: "Changes by address" }).locator("li", { hasText: "GOLD" }).waitFor()
  })

  it("transaction: leads to those that the sender sent before and after it", async () => {
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

    // The URL is that of the next page before its links are.
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

  it("transaction: is marked as reverted while it is on screen", async () => {
    const { alice, bob } = world.scenario.accounts
    const hash = await world.run(Head.transfer(world.node, { from: alice, to: bob, valueWei: 77n }))
    await world.run(Head.mine(world.node))
    await site.open(`/tx/${hash}`)

    await world.run(Head.reorganise(world.node, { depth: 1, moreBlocks: 1 }))

    await site.page.getByText("Reverted: a reorg replaced the block of this transaction").waitFor()
    await world.indexed()
  })

  it("navigation: a page or tab whose code does not load states it, and is shown once it does", async () => {
    const { alice } = world.scenario.accounts
    const { page } = site
    await site.open("/")
    await page.route(/AddressPage-/, (route) => route.abort())
    await search(alice)
    await page.getByRole("heading", { name: "This page failed", level: 1 }).waitFor()
    expect(await page.getByRole("searchbox").count()).toBe(1)
    expect(site.issues.splice(0)).toEqual([expect.stringContaining("dynamically imported module")])

    await page.goBack()
    await page.locator(".card").first().waitFor()
    await page.unroute(/AddressPage-/)
    await page.goForward()
    await page.locator(".rows-body .row").first().waitFor()

    await page.route(/StatementTab-/, (route) => route.abort())
    await page.getByRole("link", { name: "Statement" }).click()
    await page.getByText("A part of the explorer could not be loaded").waitFor()
    expect(site.issues.splice(0)).toEqual([expect.stringContaining("dynamically imported module")])
    await page.getByRole("link", { name: "Transactions", exact: true }).click()
    await page.locator(".rows-body .row").first().waitFor()
  })

  it("navigation: a page that is new begins at its top, and going back leads to where each was left", async () => {
    const { alice } = world.scenario.accounts
    const { page } = site
    await site.open(`/address/${alice}`)
    /** Scrolls, and gives the position: the browser keeps rows in place while the facts above them are read. */
    const scrollTo = async (pixels: number) => {
      await page.evaluate((to) => window.scrollTo(0, to), pixels)
      await Site.settle(page)
      return page.evaluate(() => window.scrollY)
    }
    const isAt = (pixels: number) => page.waitForFunction((wanted) => window.scrollY === wanted, pixels)
    const first = await scrollTo(200)
    const entries = await page.evaluate(() => history.length)
    await page.getByRole("link", { name: "Movements" }).click()
    await page.getByRole("link", { name: "Movements" }).click()
    expect(await page.evaluate(() => history.length)).toBe(entries + 1)
    await page.getByRole("table", { name: "Movements" }).locator(".rows-body .row").nth(10).waitFor()
    const second = await scrollTo(300)
    await page.locator(".rows-body .row a[href^='/tx/']").nth(7).click()
    await page.getByRole("heading", { name: "Transaction", level: 1 }).waitFor()
    await isAt(0)
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1")

    await page.goBack()
    await page.getByRole("table", { name: "Movements" }).waitFor()
    await isAt(second)
    await page.goBack()
    await page.getByRole("table", { name: "Transactions" }).waitFor()
    await isAt(first)
    expect(first).toBeLessThan(second)
  })

  it("address: a long history is read to its end, in both orders, also the part that is final", async () => {
    const { alice } = world.scenario.accounts
    const rows: Array<string> = []
    for await (const { hash } of world.rest.walletTransactionsStream({ address: alice, scope: "all" })) rows.push(hash)
    expect(rows.length).toBeGreaterThan(100)

    await site.open(`/address/${alice}`)
    // Rows that are not final are followed, and come on top of the others.
    await rowOf(rows[0]!).waitFor()
    expect(await Site.walk(site.page)).toEqual(rows)
    await site.page.getByLabel("Order").selectOption("ASC")
    await site.page.waitForURL(/order=ASC/)
    await site.page.evaluate(() => window.scrollTo(0, 0))
    await Site.untilRows(site.page, rows.toReversed())
    expect(await Site.walk(site.page)).toEqual(rows.toReversed())
  })

  it("address: movements by asset, kind, direction and day are those of the API, with the balance of the node after them", async () => {
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

  it("address: files of each tab hold what the API states", async () => {
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

  it("address: lists what it holds of a collection in one row, and itself on the other chains of the service", async () => {
    const { alice } = world.scenario.accounts
    const { page } = site
    const { result } = await world.rest.balances({ address: alice })
    const items = result.filter(({ token_id: id }) => id !== null)
    // A second chain, which is the same one under another name.
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

  it("address: names a proxy with its implementation, and a token as its contract does", async () => {
    const { gold, proxy } = world.scenario.contracts
    await site.open(`/address/${proxy}`)
    await Site.fact(site.page, "Kind").getByText("proxy").waitFor()
    await site.open(`/address/${gold}`)
    await Site.fact(site.page, "Token").getByText("GOLD").first().waitFor()
  })

  it("address: a token has its name as title, and lists its transfers as the node logs them", async () => {
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

  it("address: a token states its supply, and a contract the transaction that created it", async () => {
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

  it("address: states up to which block an earlier version stored less of it, and up to which one lacks traces", async () => {
    const { alice } = world.scenario.accounts
    const { page } = site
    const lack = { direct_only_to: "1234", untraced_to: "2345" }
    await page.route("**/balances?**", async (route) => {
      // Without the headers by which a browser marks its own requests: with a key.
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

  it("address: a new transaction appears, and is marked as reverted after evm_revert", async () => {
    const { carol, erin } = world.scenario.accounts
    await site.open(`/address/${erin}`)
    const snapshot = await world.call("evm_snapshot")
    const hash = await world.run(Head.transfer(world.node, { from: carol, to: erin, valueWei: 42n }))
    await world.run(Head.mine(world.node))
    await rowOf(hash).and(site.page.locator('[data-reverted="false"]')).waitFor()

    await world.call("evm_revert", [snapshot])
    await world.run(Head.mine(world.node, 2))

    await rowOf(hash).and(site.page.locator('[data-reverted="true"]')).waitFor()
  })

  it("a stale cursor: the list is read again, and a notice states it", async () => {
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

  it("a service that goes away is reported, and the page goes on by itself once it is back", async () => {
    await site.open("/")

    await world.stop()
    await site.page.getByText("The service does not respond").first().waitFor()
    await world.start()

    await site.page.getByText("The service does not respond").first().waitFor({ state: "hidden" })
    const { hash } = await world.run(Head.mine(world.node))
    await site.page.locator(`tr[data-hash="${hash}"]`).waitFor()
    await world.indexed()
  })

  it("keys: a page without a key asks for one, keeps it in the tab, and never puts it in a URL", async () => {
    await site.page.route("**/explorer.json", async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...(await response.json()), access: "keyed" } })
    })
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

  it("the page of the API: calls an operation under the policy of the page, with a key that is in no URL", async () => {
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
