/**
 * 200 hostile texts in every place that a contract, a sender or an operator can fill, by a real chain and service: names and symbols of
 * tokens, labels, names of contracts, reasons of reverts, and call data that is text. On screen they are text and nothing else.
 */
import type { Browser } from "playwright-core"
import { numberToHex, stringToHex } from "viem"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Head } from "@daybook/chain"
import * as ChromiumBrowser from "./Browser.ts"
import * as Build from "./Build.ts"
import { hostile } from "./hostile.ts"
import * as Inert from "./Inert.ts"
import * as Site from "./Site.ts"
import * as World from "./World.ts"

const word = (value: number): string => value.toString(16).padStart(64, "0")

const addressAt = (index: number): string => `0x${(0xbad0_0000_0000 + index).toString(16).padStart(40, "0")}`

/** `string` as a contract returns it. */
const encoded = (text: string): string => {
  const hex = stringToHex(text).slice(2)
  return `${word(32)}${word(hex.length / 2)}${hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")}`
}

const errorSelector = "08c379a0"

/**
 * Code of a token: a call of four bytes returns the text, so that it is name and symbol; one with the first byte 0 emits a transfer of 1
 * to the caller; any other reverts with the text as its reason.
 */
const codeOf = (text: string): string => {
  const [value, reason] = [encoded(text), `${errorSelector}${encoded(text)}`]
  const size = (hex: string): string => (hex.length / 2).toString(16).padStart(4, "0")
  const transfer = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  const push = (at: number): string => `61${at.toString(16).padStart(4, "0")}`
  /** Copies data of the code to memory, and leaves with it by `RETURN` or `REVERT`. */
  const leave = (data: string, at: number, by: "f3" | "fd"): string => `5b61${size(data)}${push(at)}5f3961${size(data)}5f${by}`
  const emit = `5b60015f52335f7f${transfer}60205fa300`
  /** Length of the jumps at the start. */
  const head = 21
  const [textAt, emitAt] = [head, head + 14]
  const reasonAt = emitAt + emit.length / 2
  const dataAt = reasonAt + 14
  const start = `36600414${push(textAt)}575f355f1a15${push(emitAt)}57${push(reasonAt)}56`
  return `0x${start}${leave(value, dataAt, "f3")}${emit}${leave(reason, dataAt + value.length / 2, "fd")}${value}${reason}`
}

describe.skipIf(ChromiumBrowser.missing !== undefined)("hostile texts", () => {
  let world: World.World
  let browser: Browser
  const failed: Array<string> = []

  /** One transfer of each token to alice, and one call that reverts with its text and has it as input. */
  const send = async () => {
    const { alice } = world.scenario.accounts
    for (const [index, text] of hostile.entries()) {
      await world.call("anvil_setCode", [addressAt(index), codeOf(text)])
      const base = { from: alice, to: addressAt(index), gas: numberToHex(200_000) }
      await world.call("eth_sendTransaction", [{ ...base, data: `0x00${stringToHex(text).slice(2)}` }])
      const hash = await world.call<string>("eth_sendTransaction", [{ ...base, data: stringToHex(`.....${text}`) }])
      failed.push(hash)
      if (index % 20 === 19) await world.run(Head.mine(world.node))
    }
    await world.indexed()
  }

  beforeAll(async () => {
    await Build.make()
    // Of half of the tokens, so that pages without a label are seen too.
    const labels = Object.fromEntries(
      hostile.flatMap((text, index) => (index % 2 === 0 && text.trim() !== "" ? [[addressAt(index), text]] : [])),
    )
    ;[world, browser] = await Promise.all([World.start({ blocks: 2, labels }), ChromiumBrowser.launch()])
    await send()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  it("200 hostile texts of a chain are text on every page, and leave the direction of the text around them", async () => {
    expect(new Set(hostile).size).toBe(200)
    const site = await Inert.watch(await Site.make(browser, world.url))
    const { alice } = world.scenario.accounts
    const issues: Array<string> = []
    const inspect = async (path: string, open = site.open) => {
      await open(path)
      issues.push(...(await Inert.issuesOf(site.page, world.url)).map((issue) => `${path}: ${issue}`))
    }
    for (const path of ["/", `/address/${alice}?tab=tokens`, `/address/${alice}?tab=statement`]) await inspect(path)
    for (const path of [`/address/${alice}`, `/address/${alice}?tab=movements`]) {
      await inspect(path)
      for (let isAtEnd = false; !isAtEnd; ) {
        issues.push(...(await Inert.issuesOf(site.page, world.url)).map((issue) => `${path}: ${issue}`))
        isAtEnd = await Site.scroll(site.page)
      }
    }
    for (const [index, hash] of failed.entries()) {
      await inspect(`/tx/${hash}`, site.navigate)
      await inspect(`/address/${addressAt(index)}`, site.navigate)
    }

    expect(issues).toEqual([])
    expect(site.issues).toEqual([])
    await site.context.close()
  }, 900_000)

  it("search: a hostile name that is found is text", async () => {
    const site = await Inert.watch(await Site.make(browser, world.url))
    await site.open("/")
    const { page } = site
    for (const part of ["script", "onerror", "evil.example", "عملة", "constructor"]) {
      await page.getByRole("searchbox").fill(part)
      await page.keyboard.press("Enter")
      await page.locator("ul.search-results a").first().waitFor()
      expect(await Inert.issuesOf(page, world.url)).toEqual([])
    }

    expect(site.issues).toEqual([])
    await site.context.close()
  })
})
