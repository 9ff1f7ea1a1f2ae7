/**
 * A node whose chain goes on where a generated store ends: `node growingNode.ts <number of the store's head> <its transactions> <milliseconds
 * per block>` prints its port. Blocks are those of the recorded chain under new numbers, hashes and senders, one more for each period.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as Replay from "../../../tooling/harness/src/Replay.ts"
import * as GeneratedRows from "../growth/GeneratedRows.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

/** A block as the node gives it; `header` has the hashes of its transactions. */
interface GrownBlock {
  readonly hydrated: string
  readonly header: string
  readonly receipts: string
  readonly traces: string
}

const [first = 0, serial = 0, period = 1000] = process.argv.slice(2).map(Number)
const startedAt = performance.now()
const headNow = () => first + Math.floor((performance.now() - startedAt) / period)
/** Blocks below the head that count as final. */
const finalDepth = 20

const { blocks: recorded, chainId } = await Effect.runPromise(Replay.load(await RecordedChain.file()))
const templates = recorded.filter(({ receipts }) => receipts !== "[]")
const quantity = (number: number) => `0x${number.toString(16)}`

interface Template {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
  readonly transactions: ReadonlyArray<{ readonly hash: string; readonly from: string }>
}

/** The recorded texts of a block under another number, with other hashes and senders. */
const grow = (number: number): GrownBlock => {
  const template = templates[number % templates.length]!
  const before = JSON.parse(template.hydrated) as Template
  const at = (index: number) => serial + (number - first) * 20 + index
  const names = new Map([
    [before.hash, GeneratedRows.blockHash(number)],
    [before.parentHash, GeneratedRows.blockHash(number - 1)],
    ...before.transactions.map(
      ({ hash }, index) => [hash, GeneratedRows.digest(`live ${number} ${index}`, 32)] as const,
    ),
    ...before.transactions.map(({ from }, index) => [from, GeneratedRows.walletOf(at(index))] as const),
  ])
  const rename = (text: string) => {
    let renamed = text
    for (const [from, to] of names) renamed = renamed.replaceAll(from.slice(2), to.slice(2))
    return renamed
      .replaceAll(`"blockNumber":"${before.number}"`, `"blockNumber":"${quantity(number)}"`)
      .replaceAll(`"blockNumber":${Number(before.number)},`, `"blockNumber":${number},`)
      .replaceAll(
        `"blockTimestamp":"${before.timestamp}"`,
        `"blockTimestamp":"${quantity(GeneratedRows.timestamp(number))}"`,
      )
  }
  const block = {
    ...(JSON.parse(rename(template.hydrated)) as Template),
    number: quantity(number),
    timestamp: quantity(GeneratedRows.timestamp(number)),
  }
  return {
    hydrated: JSON.stringify(block),
    header: JSON.stringify({ ...block, transactions: block.transactions.map(({ hash }) => hash) }),
    receipts: rename(template.receipts),
    traces: rename(template.flatTraces ?? "[]"),
  }
}

const kept = new Map<number, GrownBlock>()
const maxKept = 1000
const numbers = new Map<string, number>()

const blockAt = (number: number): GrownBlock => {
  const found = kept.get(number) ?? grow(number)
  if (kept.size >= maxKept) kept.clear()
  kept.set(number, found)
  return found
}

/** The number that a tag, a number or the hash of a block that was given before stands for. */
const numberOf = (id: unknown): number | undefined => {
  if (id === "earliest") return 0
  if (id === "finalized" || id === "safe") return headNow() - finalDepth
  if (typeof id !== "string" || !id.startsWith("0x")) return headNow()
  return id.length === 66 ? numbers.get(id) : Number(id)
}

const ofBlock = (id: unknown, give: (block: GrownBlock) => string): string => {
  const number = numberOf(id)
  if (number === undefined || number > headNow()) return "null"
  numbers.set(GeneratedRows.blockHash(number), number)
  return give(blockAt(number))
}

const result = (method: string, [id, isHydrated]: ReadonlyArray<unknown>): string | undefined => {
  switch (method) {
    case "eth_chainId":
      return JSON.stringify(chainId)
    case "eth_blockNumber":
      return JSON.stringify(quantity(headNow()))
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash":
      return ofBlock(id, ({ header, hydrated }) => (isHydrated === true ? hydrated : header))
    case "eth_getBlockReceipts":
      return ofBlock(id, ({ receipts }) => receipts)
    case "trace_block":
      return ofBlock(id, ({ traces }) => traces)
    default:
      return undefined
  }
}

const respond = ({ id, method, params = [] }: Call): string => {
  const text = result(method, params)
  const outcome = text === undefined ? `"error":{"code":-32601,"message":"method not found"}` : `"result":${text}`
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`
}

const server = createServer((message, response) => {
  const chunks: Array<Buffer> = []
  message.on("data", (chunk: Buffer) => chunks.push(chunk))
  message.on("end", () => {
    const received = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Call | ReadonlyArray<Call>
    const text = Array.isArray(received) ? `[${received.map(respond).join(",")}]` : respond(received as Call)
    response.writeHead(200, { "content-type": "application/json" }).end(text)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
