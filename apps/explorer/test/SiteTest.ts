/** Tests of the explorer in a browser: a chain, a service and Chromium for each file, and a new tab for each test. */
import { expect, it } from "vitest"
import * as Build from "./Build.ts"
import * as ChromiumBrowser from "./Browser.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

/** Options of the tests of a file. */
export interface Options extends World.Options {
  /** Changes the chain before the first test. */
  readonly prepare?: (world: World.World) => Promise<void>
}

/** `it` with the fixtures `world`, `browser` and `site`, created on first use. A test fails if its tab had issues. */
export const make = (options: Options = {}) =>
  it
    .extend("options", { scope: "file" }, options)
    .extend("running", { scope: "file" }, async ({ options: { prepare, ...rest } }, { onCleanup }) => {
      await Build.make()
      const [world, browser] = await Promise.all([World.start(rest), ChromiumBrowser.launch()])
      onCleanup(async () => {
        await browser.close()
        await world.close()
      })
      await prepare?.(world)
      return { world, browser }
    })
    .extend("world", { scope: "file" }, ({ running }) => running.world)
    .extend("browser", { scope: "file" }, ({ running }) => running.browser)
    .extend("site", async ({ browser, world }, { onCleanup }) => {
      const site = await Site.make(browser, world.url)
      onCleanup(async () => {
        await site.close()
        expect(site.issues).toEqual([])
      })
      return site
    })
