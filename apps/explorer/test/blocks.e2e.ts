/** Tests of the home page and of blocks in a browser, compared with the node. */
import { Head } from "@daybook/chain"
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Site from "./Site.ts"
import * as SiteTest from "./SiteTest.ts"

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

const it = SiteTest.make()

describe.skipIf(ChromiumBrowser.missing !== undefined)("home and blocks in the explorer", () => {
  it("home: shows the head, lag and finality of the chain, and every transaction of the latest blocks", async ({
    site,
    world,
  }) => {
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

  it("home: shows a new transaction, and marks its block as reverted once a reorg replaced it", async ({
    site,
    world,
  }) => {
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

  it("home and block: mark a transaction that failed", async ({ site, world }) => {
    const { accounts, contracts } = world.scenario
    const call = { from: accounts.alice, to: contracts.gold, data: "0xdeadbeef", gas: "0x186a0" }
    const hash = await world.call<string>("eth_sendTransaction", [call])
    const { number } = await world.run(Head.mine(world.node))
    for (const path of ["/", `/block/${number}`]) {
      await site.open(path)

      await site.page.locator(`tr[data-hash="${hash}"]`).getByText("failed").waitFor()
    }
  })

  it("home: follows the chain through 100 calls of evm_revert", async ({ site, world }) => {
    await site.open("/")
    const { page } = site
    for (let turn = 0; turn < 100; turn++) {
      const snapshot = await world.call("evm_snapshot")
      await world.run(Head.mine(world.node, 1 + (turn % 3)))
      await world.call("evm_revert", [snapshot])
    }
    // Above the highest reverted block, because below it the service treats the node as lagging.
    const { hash } = await world.run(Head.mine(world.node, 4))

    await page.locator(`tr[data-hash="${hash}"][data-reverted="false"]`).waitFor()
    await world.indexed()
  })

  it("home: has no link to webhooks if the service sends none", async ({ site }) => {
    await site.open("/")

    expect(await site.page.getByRole("link", { name: "Webhooks", exact: true }).count()).toBe(0)
  })

  it("block: shows the node's data, and links to its neighbours", async ({ site, world }) => {
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
})
