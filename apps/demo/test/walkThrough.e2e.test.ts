import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Effect, Layer, Logger } from "effect"
import { describe, expect, it } from "vitest"
import * as Local from "../src/Local.ts"
import * as Screen from "../src/Screen.ts"
import * as WalkThrough from "../src/WalkThrough.ts"
import * as oracle from "./oracle.ts"

/** Output of the walk-through, and the transactions that the node reports. */
const result = Effect.gen(function* () {
  let text = ""
  const screen = Layer.succeed(Screen.Screen, Screen.make({ write: (part) => (text += part) }, {}))
  const local = yield* Local.start({ blocks: 30 }).pipe(Effect.provide(screen))
  const { provider } = local
  yield* WalkThrough.run(provider).pipe(
    Effect.provide(
      Layer.mergeAll(
        screen,
        RestClient.layer({ baseUrl: provider.baseUrl, apiKey: provider.apiKey }),
        RpcClient.layer({ rpcUrl: provider.rpcUrl, chain: provider.chain, apiKey: provider.apiKey }),
      ),
    ),
  )
  const transactions = yield* oracle.scan(local.node, local.world.lastBlock)
  const balance = BigInt(yield* local.node.call<string>("eth_getBalance", [provider.address, "latest"]))
  return { text, local, transactions, balance }
}).pipe(Effect.scoped, Effect.provide(Logger.layer([])))

/** Ether as decimal text, computed without the code under test. */
const ether = (wei: bigint) => {
  const text = `${wei / 10n ** 18n}.${(wei % 10n ** 18n).toString().padStart(18, "0")}`
  return text.replace(/0+$/, "").replace(/\.$/, "")
}

describe("WalkThrough", () => {
  it("run: prints what the node reports", { timeout: 180_000 }, async () => {
    const { text, local, transactions, balance } = await Effect.runPromise(result)
    const { world, provider } = local
    const section = (title: string) =>
      (text.split(/\n\n/).find((part) => part.startsWith(title)) ?? "").split("\n").slice(1)
    const newestFirst = oracle.historyOf(transactions, provider.address).toReversed()

    expect(text).toContain(`indexed ${world.lastBlock + 1} blocks with ${transactions.length} transactions in `)

    const pages = [section("Latest transactions of 0x"), section("Next page")]
    for (const [page, lines] of pages.entries()) {
      const [headings = "", ...rows] = lines.filter((line) => line !== "")
      expect(headings.trim().split(/\s{2,}/)).toEqual([
        "time (UTC)",
        "direction",
        "counterparty",
        "ether",
        "call",
        "logs",
        "internal",
        "status",
      ])
      const expected = newestFirst.slice(page * 10, page * 10 + 10)
      expect(rows).toHaveLength(10)
      for (const [at, row] of expected.entries()) {
        const cells = (rows[at] ?? "").trim().split(/\s{2,}/)
        expect(cells[0]).toBe(new Date(row.timestamp * 1000).toISOString().slice(0, 19).replace("T", " "))
        expect(cells[1]).toBe(row.from !== provider.address ? "in" : row.to === provider.address ? "self" : "out")
        const shown = cells[3] ?? ""
        if (shown.startsWith("~")) expect(ether(row.value).startsWith(shown.slice(1))).toBe(true)
        else expect(shown).toBe(ether(row.value))
        expect(cells[5]).toBe(String(row.logs))
        expect(cells[6]).toBe(String(row.inner.length))
        expect(cells[7]).toBe(row.status === 1 ? "ok" : "failed")
      }
    }

    const full = section("One transaction in detail").map((line) => line.trim())
    const swap = newestFirst.find(({ hash }) => full.includes(`hash      ${hash}`))
    expect(swap?.status).toBe(1)
    expect(full).toContain(`block     ${swap?.block}, position ${swap?.index}`)
    expect(full.find((line) => line.startsWith("call"))).toMatch(/swapExact\w+\(/)
    expect(full.filter((line) => line.startsWith("event"))).toHaveLength(swap?.logs ?? -1)
    expect(full.filter((line) => line.startsWith("event")).join()).toContain("Swap(sender: ")
    expect(full.filter((line) => line.startsWith("internal"))).toHaveLength(swap?.inner.length ?? -1)
    expect(full).toContain("status    ok")

    const rpc = section("The same transaction over JSON-RPC").join("\n")
    expect(rpc).toContain(`block ${swap?.block}: `)
    expect(rpc).toContain(`position ${swap?.index}: ${swap?.hash}`)
    expect(rpc).toContain("same transaction")

    const statement = section("Ether statement from block ").map((line) => line.trim())
    expect(statement[0]?.split(/\s{2,}/)).toEqual(["ether", "movements", "in", "out"])
    expect(statement.some((line) => line.startsWith("fee "))).toBe(true)
    const closing = /^closing {2}(\S+) at the end of block (\d+)$/
    expect(closing.exec(statement.find((line) => closing.test(line)) ?? "")?.slice(1)).toEqual([
      ether(balance),
      String(world.lastBlock),
    ])
    expect(statement).toContain(`the node ${ether(balance)}, equal`)
    const paid = section("A wallet paid only by contracts").map((line) => line.trim())
    const lonely = /^(0x\w{40}) has no transactions of its own$/.exec(paid[0] ?? "")?.[1]?.toLowerCase() ?? ""
    expect(oracle.historyOf(transactions, lonely)).toEqual([])
    expect(transactions.some(({ inner }) => inner.some(({ to }) => to === lonely))).toBe(true)
    expect(paid[1]).toMatch(/^scope=all: [1-9]\d* transactions; movements: \S+ ether from contracts$/)

    const errors = section("Typed errors").join("\n")
    expect(errors).toContain("Unauthorized")
    expect(errors).toMatch(/BadRequest .*from_date.*the day before yesterday/)
    expect(section("Indexed range").join()).toContain(`blocks 0 to ${world.lastBlock}`)
  })
})
