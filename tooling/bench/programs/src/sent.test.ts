/** `examples/src/sent.test.ts` with moralis: the responses, pages and faults are written here. */
import { createServer, type Server } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import Moralis from "moralis"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { sentTo } from "./sent.ts"

const wallet = `0x${"a".repeat(40)}`
const others = ["b", "c", "d"].map((digit) => `0x${digit.repeat(40)}`)
const hash = (index: number): string => `0x${index.toString(16).padStart(64, "0")}`

/** A row of the wallet's history. */
const row = (index: number) => ({
  hash: hash(index),
  nonce: String(index),
  transaction_index: "0",
  from_address: index % 4 === 0 ? others[0] : wallet,
  to_address: index % 4 === 0 ? wallet : others[index % 3],
  value: String(10n ** 15n * BigInt(index + 1)),
  gas: "21000",
  gas_price: "12000000000",
  receipt_cumulative_gas_used: "21000",
  receipt_gas_used: "21000",
  receipt_status: index % 25 === 0 ? "0" : "1",
  transaction_fee: "0.000252",
  block_timestamp: new Date(1_718_000_003_000 + index * 12_000).toISOString(),
  block_number: String(20_000_000 + index),
  block_hash: hash(1_000 + index),
  category: "send",
  summary: "",
  nft_transfers: [],
  erc20_transfers: [],
  native_transfers: [],
})
const rows = Array.from({ length: 250 }, (_, index) => row(index))
const pageSize = 100

let faults: Array<number> = []
let server: Server

beforeAll(async () => {
  server = createServer((request, response) => {
    const fault = faults.shift()
    response.setHeader("content-type", "application/json")
    if (fault !== undefined) {
      response.writeHead(fault, { "retry-after": "0" }).end(JSON.stringify({ message: "scripted" }))
      return
    }
    const start = Number(new URL(request.url ?? "", "http://fake").searchParams.get("cursor") ?? 0)
    const cursor = start + pageSize < rows.length ? String(start + pageSize) : null
    const result = rows.slice(start, start + pageSize)
    response.end(JSON.stringify({ page: start / pageSize, page_size: pageSize, cursor, result }))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const evmApiBaseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await Moralis.start({ apiKey: "test-key", evmApiBaseUrl })
})
beforeEach(() => {
  faults = []
})
afterAll(() => server.close())

const expected = new Map<string, bigint>()
for (const { from_address: from, receipt_status: status, to_address: to = "", value } of rows)
  if (from === wallet && status === "1") expected.set(to, (expected.get(to) ?? 0n) + BigInt(value))

it("adds up what the wallet sent, by recipient, over all pages", async () => {
  expect(await sentTo(wallet)).toEqual(expected)
})

it("adds up the same although the service is unavailable for a moment", async () => {
  faults = [503] // moralis does not repeat a request that is rejected with 429

  expect(await sentTo(wallet)).toEqual(expected)
})

it("fails without a repeated request where the key is invalid", async () => {
  faults = [401]

  await expect(sentTo(wallet)).rejects.toMatchObject({ details: { status: 401 } })
})
