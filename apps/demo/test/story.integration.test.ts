import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Effect, Layer, Logger } from "effect"
import { describe, expect, it } from "vitest"
import * as Local from "../src/Local.ts"
import * as Screen from "../src/Screen.ts"
import * as Story from "../src/Story.ts"
import * as oracle from "./oracle.ts"

/** Runs the whole demo in this process and gives what it said beside what the node says. */
const told = Effect.gen(function* () {
  let text = ""
  const screen = Layer.succeed(Screen.Screen, Screen.make({ write: (part) => (text += part) }, {}))
  const local = yield* Local.start({ blobs: false }).pipe(Effect.provide(screen))
  const { provider } = local
  yield* Story.tell(provider).pipe(
    Effect.provide(
      Layer.mergeAll(
        screen,
        RestClient.layer({ baseUrl: provider.baseUrl, apiKey: provider.apiKey }),
        RpcClient.layer({ rpcUrl: provider.rpcUrl, chain: provider.chain, apiKey: provider.apiKey }),
      ),
    ),
  )
  const truths = yield* oracle.scan(local.node, local.world.lastBlock)
  return { text, local, truths }
}).pipe(Effect.scoped, Effect.provide(Logger.layer([])))

const ether = (wei: bigint) => {
  const text = `${wei / 10n ** 18n}.${(wei % 10n ** 18n).toString().padStart(18, "0")}`
  return text.replace(/0+$/, "").replace(/\.$/, "")
}

describe("the story", () => {
  it("says what the chain says", { timeout: 60_000 }, async () => {
    const { text, local, truths } = await Effect.runPromise(told)
    const { world, provider } = local
    const section = (title: string) =>
      (text.split(/\n\n/).find((part) => part.startsWith(title)) ?? "").split("\n").slice(1)
    const newestFirst = oracle.historyOf(truths, provider.address).toReversed()

    expect(text).toContain(`indexed ${world.lastBlock + 1} blocks, ${truths.length} transactions in `)

    const pages = [section("The newest transactions of 0x"), section("The next page")]
    for (const [page, lines] of pages.entries()) {
      const [headings = "", ...rows] = lines.filter((line) => line !== "")
      expect(headings.trim().split(/\s{2,}/)).toEqual([
        "time (UTC)",
        "dir",
        "counterparty",
        "ether",
        "call",
        "logs",
        "inner",
        "status",
      ])
      const expected = newestFirst.slice(page * 10, page * 10 + 10)
      expect(rows).toHaveLength(10)
      for (const [at, truth] of expected.entries()) {
        const cells = (rows[at] ?? "").trim().split(/\s{2,}/)
        expect(cells[0]).toBe(new Date(truth.timestamp * 1000).toISOString().slice(0, 19).replace("T", " "))
        expect(cells[1]).toBe(truth.from !== provider.address ? "in" : truth.to === provider.address ? "self" : "out")
        const shown = cells[3] ?? ""
        if (shown.startsWith("~")) expect(ether(truth.value).startsWith(shown.slice(1))).toBe(true)
        else expect(shown).toBe(ether(truth.value))
        expect(cells[5]).toBe(String(truth.logs))
        expect(cells[6]).toBe(String(truth.inner.length))
        expect(cells[7]).toBe(truth.status === 1 ? "ok" : "failed")
      }
    }

    const full = section("One of them in full").map((line) => line.trim())
    const swap = newestFirst.find((truth) => full.includes(`hash      ${truth.hash}`))
    expect(swap?.status).toBe(1)
    expect(full).toContain(`block     ${swap?.block}, position ${swap?.index}`)
    expect(full.find((line) => line.startsWith("call"))).toMatch(/swapExact\w+\(/)
    expect(full.filter((line) => line.startsWith("event"))).toHaveLength(swap?.logs ?? -1)
    expect(full.filter((line) => line.startsWith("event")).join()).toContain("Swap(sender: ")
    expect(full.filter((line) => line.startsWith("inner"))).toHaveLength(swap?.inner.length ?? -1)
    expect(full).toContain("status    ok")

    const relay = section("The same block and transaction").join("\n")
    expect(relay).toContain(`block ${swap?.block}: `)
    expect(relay).toContain(`position ${swap?.index}: ${swap?.hash}`)
    expect(relay).toContain("the same transaction")

    const errors = section("When something is wrong").join("\n")
    expect(errors).toContain("Unauthorized")
    expect(errors).toMatch(/BadRequest .*from_date.*the day before yesterday/)
    expect(section("How far the index reaches").join()).toContain(`blocks 0 to ${world.lastBlock}`)
  })
})
