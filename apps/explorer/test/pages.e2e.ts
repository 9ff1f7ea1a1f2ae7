/** Every page in light, dark and on a phone: no violations by axe, nothing wider than the screen; and its screenshot for the documents. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

const folder = join(import.meta.dirname, "../../../docs/explorer")

const forms = [
  { name: "light", colorScheme: "light", width: 1280 },
  { name: "dark", colorScheme: "dark", width: 1280 },
  { name: "phone", colorScheme: "light", width: 360 },
] as const

describe.skipIf(ChromiumBrowser.missing !== undefined)("pages of the explorer", () => {
  let world: World.World
  let browser: Browser

  beforeAll(async () => {
    await Build.make()
    mkdirSync(folder, { recursive: true })
    ;[world, browser] = await Promise.all([World.start({ blocks: 40 }), ChromiumBrowser.launch()])
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  const paths = (): Readonly<Record<string, string>> => {
    const { accounts, contracts, transactions } = world.scenario
    return {
      home: "/",
      block: "/block/20",
      transaction: `/tx/${transactions.swap}`,
      failed: `/tx/${transactions.revertReason}`,
      transactions: `/address/${accounts.alice}`,
      movements: `/address/${accounts.alice}?tab=movements`,
      internal: `/address/${accounts.alice}?tab=internal`,
      tokens: `/address/${accounts.alice}?tab=tokens`,
      statement: `/address/${accounts.alice}?tab=statement`,
      charts: `/address/${accounts.alice}?tab=charts`,
      contract: `/address/${contracts.proxy}`,
      "missing-block": "/block/99999",
      "missing-address": "/address/nothing",
    }
  }

  it.each(forms)("$name: every page is accessible and fits the screen", async ({ colorScheme, name, width }) => {
    const site = await Site.make(browser, world.url, { colorScheme, width })
    const issues: Array<string> = []
    for (const [page, path] of Object.entries(paths())) {
      await site.open(path)
      issues.push(...(await Site.violations(site.page)).map((text) => `${page}: ${text}`))
      const excess = await site.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      if (excess > 0) issues.push(`${page}: ${excess} px wider than the screen`)
      if (!page.startsWith("missing")) {
        await site.page.screenshot({ path: join(folder, `${page}-${name}.jpg`), type: "jpeg", quality: 55 })
      }
    }

    expect(issues).toEqual([])
    expect(site.issues).toEqual([])
    await site.context.close()
  })
})
