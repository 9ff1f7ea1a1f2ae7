/** Streams that begin now: nothing of the past, nothing omitted afterwards, even after a restart and a reorg. */
import { createRestClient, type Movement, rowId } from "@daybook/rest/promise"
import { describe, expect, it } from "@effect/vitest"
import * as FakeService from "../src/FakeService.ts"

const options = { follow: 1, from: "now", onStaleCursor: "restart" } as const

/** Keeps rows by id, as a program that follows a wallet does. */
const keeper = () => {
  const kept = new Map<string, bigint>()
  return {
    kept,
    take: (row: Movement | { readonly _tag: string; readonly fromBlock: bigint }): void => {
      if (!("_tag" in row)) return void kept.set(rowId(row), row.block_number)
      for (const [id, block] of kept) if (block >= row.fromBlock) kept.delete(id)
    },
  }
}

describe("from now", () => {
  it("returns the rows after the last indexed block, continues from a position, and replaces what a reorg reverts", async () => {
    const fake = FakeService.make({ seed: 3, blocks: 20 })
    const rest = createRestClient(fake.rest)
    const { kept, take } = keeper()
    const from = BigInt(fake.blocks().at(-1)!.number) + 1n
    const listed = async (): Promise<ReadonlyArray<string>> => {
      const ids: Array<string> = []
      for await (const row of rest.movementsStream({ address: fake.wallet, from_block: from, order: "ASC" }))
        ids.push(rowId(row))
      return ids
    }

    let isFirst = true
    const onProgress = () => {
      if (isFirst) fake.mine(30)
      isFirst = false
    }
    const first = rest.movementsStream({ address: fake.wallet, limit: 3 }, { ...options, onProgress })
    for await (const row of first) {
      take(row)
      if (kept.size === 5) break
    }
    const saved = first.position()
    fake.reorg(28)
    const second = rest.movementsStream({ address: fake.wallet, limit: 3 }, { ...options, resume: saved })
    let isReverted = false
    for await (const row of second) {
      take(row)
      isReverted ||= "_tag" in row
      if (isReverted && kept.size === (await listed()).length) break
    }

    expect(saved).toContain(`"from_block":"${from}"`)
    expect(isReverted).toBe(true)
    expect([...kept.keys()]).toEqual(await listed())
  })

  it.each([
    ["from", { from: "later", follow: 1 }, {}],
    ["from", { from: "now" }, {}],
    ["from_block", { from: "now", follow: 1 }, { from_block: 5 }],
    ["from_date", { from: "now", follow: 1 }, { from_date: "2024-01-01" }],
  ] as const)("names %s in %j with a query of %j", async (parameter, given, query) => {
    const fake = FakeService.make({ blocks: 2 })
    const rest = createRestClient(fake.rest)
    // A program that is not type-checked.
    const rows = rest.walletTransactionsStream({ address: fake.wallet, ...query }, given as object)

    await expect(rows[Symbol.asyncIterator]().next()).rejects.toMatchObject({ _tag: "BadRequest", parameter })
    expect(fake.received).toEqual([])
  })

  it("fails if the server does not state its indexed blocks", async () => {
    const fake = FakeService.make({ blocks: 2 })
    const fetch: typeof fake.fetch = async (input, init) => {
      const response = await fake.fetch(input, init)
      return new Response(response.body, { status: response.status, headers: { "content-type": "application/json" } })
    }
    const rest = createRestClient({ ...fake.rest, fetch })
    const rows = rest.walletTransactionsStream({ address: fake.wallet }, options)

    await expect(rows[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      _tag: "BadRequest",
      message: expect.stringContaining("a server that states its indexed blocks"),
    })
  })
})
