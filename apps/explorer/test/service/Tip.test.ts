import type { ChainStatus } from "@daybook/rest/ExplorerClient"
import { describe, expect, it } from "vitest"
import * as Tip from "../../src/service/Tip.ts"

const status: ChainStatus = {
  chain: "eth",
  chainId: 1,
  ready: true,
  state: "synced",
  indexed: { from: 0, to: 7 },
  finalized: 0,
  head: 7,
  lag: 0,
  traces: null,
  message: "",
  counts: { blocks: 8, transactions: 0, reorgs: 0, obstacles: 0 },
}

const init = { method: "GET", headers: {}, redirect: "manual", signal: new AbortController().signal } as const

/** A `fetch` that responds with the number of the request. */
const counting = () => {
  let count = 0
  const send = () => Promise.resolve(new Response(String(++count), { status: 200 }))
  return { send, count: () => count }
}

describe("Tip", () => {
  it("tipOf: changes with a block, and with a reorg that keeps the height", () => {
    const moved = { ...status, head: 8 }
    const reorged = { ...status, counts: { ...status.counts!, blocks: 9, reorgs: 1 } }

    expect(new Set([status, moved, reorged].map(Tip.tipOf)).size).toBe(3)
    expect(Tip.tipOf({ ...status })).toBe(Tip.tipOf(status))
    expect(Tip.tipOf({ ...status, head: null })).toBeUndefined()
  })

  it("fetchOnce: sends a repeated request at the same tip once", async () => {
    const { count, send } = counting()
    let tip: string | undefined = "1"
    const get = Tip.fetchOnce(send, () => tip)
    const read = async (url: string) => ((await get(url, init)) as Response).text()

    expect([await read("/a"), await read("/a"), await read("/a")]).toEqual(["1", "1", "1"])
    expect(await read("/b")).toBe("2")
    tip = "2"
    expect([await read("/a"), await read("/a")]).toEqual(["3", "3"])
    expect(count()).toBe(3)
  })

  it("fetchOnce: sends every request while the tip is not known", async () => {
    const { count, send } = counting()
    const get = Tip.fetchOnce(send, () => undefined)
    await get("/a", init)
    await get("/a", init)

    expect(count()).toBe(2)
  })

  it("fetchOnce: caches only successful responses", async () => {
    let count = 0
    const get = Tip.fetchOnce(
      () => Promise.resolve(new Response("", { status: ++count === 1 ? 503 : 200 })),
      () => "1",
    )

    expect((await get("/a", init)).status).toBe(503)
    expect((await get("/a", init)).status).toBe(200)
  })
})
