/** The baseline: fetch and JSON.parse of the same responses. It stores and verifies nothing. */
import type { Subject } from "../Subject.ts"

const methods = ["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"] as const

const callsOf = (number: number): ReadonlyArray<object> => {
  const id = `0x${number.toString(16)}`
  return methods.map((method, index) => ({
    jsonrpc: "2.0",
    id: number * methods.length + index,
    method,
    params: method === "eth_getBlockByNumber" ? [id, true] : [id],
  }))
}

const post = async (url: string, body: unknown): Promise<unknown> => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  return JSON.parse(await response.text())
}

interface BlockResponse {
  readonly result: { readonly transactions: ReadonlyArray<unknown> }
}

/** The blocks among the responses, requested in one batch or with single calls in parallel. */
const blocksOf = async (
  url: string,
  numbers: ReadonlyArray<number>,
  isBatch: boolean,
): Promise<ReadonlyArray<BlockResponse>> => {
  const calls = numbers.flatMap(callsOf)
  const responses = isBatch ? await post(url, calls) : await Promise.all(calls.map((call) => post(url, call)))
  // The calls of each block begin with the block itself.
  return (responses as ReadonlyArray<BlockResponse>).filter((_, at) => at % methods.length === 0)
}

/** Requests `blocksPerRequest` blocks at a time, with `concurrency` requests in flight. */
export const baseline =
  (blocksPerRequest: number, concurrency: number): Subject =>
  async (url, head) => {
    let next = 0
    let transactions = 0
    const startedAt = performance.now()
    const worker = async () => {
      while (next <= head) {
        const first = next
        next += blocksPerRequest
        const count = Math.min(blocksPerRequest, head + 1 - first)
        const numbers = Array.from({ length: count }, (_, index) => first + index)
        for (const { result } of await blocksOf(url, numbers, blocksPerRequest > 1))
          transactions += result.transactions.length
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return { blocks: head + 1, millis: performance.now() - startedAt, bytes: 0, transactions }
  }
