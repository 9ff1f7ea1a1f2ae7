import { createRpcClient } from "@daybook/rpc/promise"
import { describe, expect, it } from "vitest"
import * as TokenTransfers from "../../../src/pages/address/TokenTransfers.ts"

const token = `0x${"cc".repeat(20)}`
const word = (value: number): string => value.toString(16).padStart(64, "0")

const logAt = (block: number) => ({
  address: token,
  topics: ["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", `0x${word(1)}`, `0x${word(2)}`],
  data: `0x${word(block)}`,
  blockNumber: `0x${block.toString(16)}`,
  blockHash: `0x${word(block)}`,
  transactionHash: `0x${word(block)}`,
  transactionIndex: "0x0",
  logIndex: "0x0",
  removed: false,
})

/**
 * A node whose token moves in these blocks, and that rejects ranges above a number of blocks; records the requested
 * ranges.
 */
const nodeOf = (blocks: ReadonlyArray<number>, maxRange = Number.POSITIVE_INFINITY) => {
  const ranges: Array<readonly [number, number]> = []
  const client = createRpcClient({
    url: "http://127.0.0.1:1",
    retry: { maxAttempts: 1 },
    fetch: async (_url, init) => {
      const { id, params } = JSON.parse(String(init?.body)) as {
        readonly id: number
        readonly params: readonly [{ readonly fromBlock: string; readonly toBlock: string }]
      }
      const [from, to] = [Number(params[0].fromBlock), Number(params[0].toBlock)]
      ranges.push([from, to])
      const isRefused = to - from >= maxRange
      const answer = isRefused
        ? { error: { code: -32005, message: `block range is limited to ${maxRange} blocks` } }
        : { result: blocks.filter((block) => block >= from && block <= to).map(logAt) }
      return Response.json({ jsonrpc: "2.0", id, ...answer })
    },
  })
  return { client, ranges }
}

describe("TokenTransfers", () => {
  it("read: returns the transfers from the newest to the first block, in ranges that grow if there are few", async () => {
    const { client, ranges } = nodeOf([5, 700, 9_000, 9_000])

    const { from, rows } = await TokenTransfers.read(client, token, 10_000n)

    expect(rows.map(({ block }) => block)).toEqual([9_000n, 9_000n, 700n, 5n].toSorted((a, b) => Number(b - a)))
    expect(from).toBe(0n)
    expect(ranges.slice(0, 3)).toEqual([
      [9_985, 10_000],
      [9_921, 9_984],
      [9_665, 9_920],
    ])
    expect(ranges.at(-1)?.[0]).toBe(0)
  })

  it("read: ends once there are enough, and continues where it ended", async () => {
    const blocks = Array.from({ length: 3_000 }, (_, at) => at)
    const { client } = nodeOf(blocks)

    const first = await TokenTransfers.read(client, token, 2_999n)
    const second = await TokenTransfers.read(client, token, first.from - 1n)

    expect(first.rows[0]?.block).toBe(2_999n)
    expect(second.rows[0]?.block).toBe(first.from - 1n)
    expect(first.rows.map(({ hash }) => hash)).not.toContain(second.rows[0]?.hash)
  })

  it("read: splits a page between blocks, and the next page begins there with a smaller range", async () => {
    const { client, ranges } = nodeOf(Array.from({ length: 1_600 }, (_, at) => Math.floor(at / 16)))

    const first = await TokenTransfers.read(client, token, 99n)
    const second = await TokenTransfers.read(client, token, first.from - 1n, first.range)

    expect([first.rows.length, first.rows[0]?.block, first.rows.at(-1)?.block]).toEqual([192, 99n, 88n])
    expect([first.from, first.hidden, first.range]).toEqual([88n, 0, 4n])
    expect([second.rows.length, second.rows[0]?.block, second.from]).toEqual([64, 87n, 84n])
    expect(ranges).toEqual([
      [84, 99],
      [84, 87],
    ])
  })

  it("read: returns the newest transfers of a block with more than a page, and the number of omitted ones", async () => {
    const { client } = nodeOf([7, ...Array.from({ length: 500 }, () => 8), 9])

    const first = await TokenTransfers.read(client, token, 10n)
    const second = await TokenTransfers.read(client, token, first.from - 1n, first.range)
    const third = await TokenTransfers.read(client, token, second.from - 1n, second.range)

    expect([first.rows.map(({ block }) => block), first.from, first.hidden]).toEqual([[9n], 9n, 0])
    expect([second.rows.length, second.from, second.hidden]).toEqual([200, 8n, 300])
    expect([third.rows.map(({ block }) => block), third.from, third.hidden]).toEqual([[7n], 0n, 0])
  })

  it("read: requests fewer blocks if the node rejects a range, and fails if it rejects one block", async () => {
    const limited = nodeOf([95], 10)
    expect((await TokenTransfers.read(limited.client, token, 99n)).rows.map(({ block }) => block)).toEqual([95n])

    await expect(TokenTransfers.read(nodeOf([], 0).client, token, 99n)).rejects.toThrow()
  })
})
