/** Tests of a development chain in a browser: reorgs and node restarts. */
import { Head } from "@daybook/chain"
import type { Page } from "playwright-core"
import { describe, expect } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as SiteTest from "./SiteTest.ts"

const turns = 100

const it = SiteTest.make({ blocks: 8, chain: { rewinds: true, pollMillis: 50 } })

describe.skipIf(ChromiumBrowser.missing !== undefined)("explorer beside a local chain", () => {
  const blockRow = (page: Page, hash: string, isReverted: boolean) =>
    page.locator(`tr[data-hash="${hash}"][data-reverted="${isReverted}"]`)

  it(`home: shows each head after evm_revert, ${turns} times, and the reverted block as reverted`, async ({
    site,
    world,
  }) => {
    await site.open("/")
    const start = await world.run(Head.current(world.node))
    for (let turn = 0; turn < turns; turn++) {
      const snapshot = await world.call("evm_snapshot")
      // Makes the blocks of this turn differ from those of the previous one.
      await world.call("evm_increaseTime", [turn + 1])
      const mined = await world.run(Head.mine(world.node, 1 + (turn % 3)))
      await blockRow(site.page, mined.hash, false).waitFor()
      await world.call("evm_revert", [snapshot])
      // The block of the next turn also replaces this one; the head itself is awaited only in every tenth turn.
      if (turn % 10 === 9) await blockRow(site.page, mined.hash, true).waitFor()
    }

    await blockRow(site.page, start.hash, false).waitFor()
    await site.page.waitForFunction(
      (hash) => document.querySelector('tr[data-reverted="false"]')?.getAttribute("data-hash") === hash,
      start.hash,
    )
    await world.indexed()
    expect((await world.run(Head.current(world.node))).hash).toBe(start.hash)
  }, 600_000)

  it("address: a transaction is marked as reverted once the head is below it, and its repetition is not", async ({
    site,
    world,
  }) => {
    const { carol, erin } = world.scenario.accounts
    await site.open(`/address/${erin}`)
    const snapshot = await world.call("evm_snapshot")
    const send = async () => {
      const hash = await world.run(Head.transfer(world.node, { from: carol, to: erin, valueWei: 4_242n }))
      await world.run(Head.mine(world.node))
      return hash
    }
    const rowOf = (hash: string, isReverted: boolean) =>
      site.page.locator(`.row[data-key="${hash}"][data-reverted="${isReverted}"]`)
    const hash = await send()
    await rowOf(hash, false).waitFor()

    await world.call("evm_revert", [snapshot])
    await rowOf(hash, true).waitFor()
    expect(await send()).toBe(hash)

    await rowOf(hash, false).waitFor()
    expect(await rowOf(hash, true).count()).toBe(0)
  })

  it("address: final rows are replaced once the node goes back below them", async ({ site, world }) => {
    const { bob, carol } = world.scenario.accounts
    const { page } = site
    const keys = () => page.locator(".rows-body .row").evaluateAll((rows) => rows.map(({ dataset }) => dataset["key"]))
    const send = async () => {
      const hash = await world.run(Head.transfer(world.node, { from: carol, to: bob, valueWei: 4_343n }))
      await world.run(Head.mine(world.node))
      return hash
    }
    const snapshot = await world.call("evm_snapshot")
    const old = await send()
    // Blocks that anvil reports as finalized.
    await world.run(Head.mine(world.node, 100))
    await world.indexed()
    await site.open(`/address/${bob}`)
    await page.locator(`.row[data-key="${old}"]`).waitFor()

    await world.call("evm_revert", [snapshot])
    await page.getByText("A reorg replaced rows of this list").waitFor()
    await page.locator(`.row[data-key="${old}"]`).waitFor({ state: "detached" })
    await world.call("evm_increaseTime", [1_000])
    const hash = await send()

    await page.locator(`.row[data-key="${hash}"]`).waitFor()
    expect((await keys()).filter((key) => key === hash)).toHaveLength(1)
  })

  it("a node that restarts with another chain: the blocks of the old one are reverted, and those of the new one shown", async ({
    site,
    world,
  }) => {
    await site.open("/")
    const old = await world.run(Head.current(world.node))
    await blockRow(site.page, old.hash, false).waitFor()

    await world.restartNode()
    const { hash } = await world.run(Head.mine(world.node, 3))

    await blockRow(site.page, hash, false).waitFor()
    await world.indexed()
    await site.open(`/address/${world.scenario.accounts.alice}`)
    await site.page.getByText("No transactions").first().waitFor()
    await site.open(`/block/${old.hash}`)
    await site.page.getByText("No block").first().waitFor()
  })
})
