/** A minimal chain for tests of the relay's subscriptions: its head can be advanced, and its blocks replaced. */
import { keccak256, stringToHex } from "viem"
import type { Json } from "../service.ts"
import * as Node from "../node.ts"

export const topic = keccak256(stringToHex("topic"))
/** Addresses of the two logs of each block. */
export const addresses = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`] as const

/** Hash of a block on a branch. */
export const hashOf = (number: number, branch = ""): string => keccak256(stringToHex(`${branch}${number}`))

const quantity = (number: number): string => `0x${number.toString(16)}`

/** A chain whose last block is the head. */
export class Blocks {
  readonly blocks: Array<Json> = []
  /** Data of each log. */
  data = "0x"
  private readonly byHash = new Map<string, Json>()

  constructor(head: number) {
    for (let number = 0; number <= head; number++) this.add()
  }

  add(count = 1, branch = ""): void {
    for (let added = 0; added < count; added++) {
      const number = this.blocks.length
      const block = {
        number: quantity(number),
        hash: hashOf(number, branch),
        parentHash: this.blocks.at(-1)?.hash ?? `0x${"0".repeat(64)}`,
        timestamp: quantity(1_700_000_000 + number),
        miner: addresses[0],
        transactions: [hashOf(number, "transaction")],
        uncles: [],
        size: "0x1",
      }
      this.blocks.push(block)
      this.byHash.set(block.hash, block)
    }
  }

  reorganise(depth: number, branch: string, count = depth): void {
    this.blocks.length -= depth
    this.add(count, branch)
  }

  logs(hash: string): ReadonlyArray<Json> {
    const { number } = this.byHash.get(hash)
    return addresses.map((address, at) => ({
      address,
      topics: [topic, keccak256(stringToHex(`${at}`))],
      data: this.data,
      blockNumber: number,
      blockHash: hash,
      logIndex: quantity(at),
      transactionHash: hashOf(Number(number), "transaction"),
      transactionIndex: "0x0",
      removed: false,
    }))
  }

  /** Replies as a node. */
  readonly reply = ({ method, params }: Node.Call): Node.Reply => {
    const [first] = params as [Json]
    if (method === "eth_blockNumber") return Node.result(`"${this.blocks.at(-1).number}"`)
    if (method === "eth_getBlockByNumber") return Node.result(JSON.stringify(this.blocks.at(-1)))
    if (method === "eth_getBlockByHash") return Node.result(JSON.stringify(this.byHash.get(first) ?? null))
    if (method === "eth_getLogs") return Node.result(JSON.stringify(this.logs(first.blockHash)))
    return Node.error(`{"code":-32601,"message":"no ${method}"}`)
  }
}
