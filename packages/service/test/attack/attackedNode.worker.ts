/** Node of a service under attack, in a thread of lower priority, because it has its own machine in production. */
import { constants, getPriority, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import * as Rows from "../server/rows.ts"
import * as FakeNode from "./FakeNode.ts"

/** The block header that a comparison reads. */
const headerOf = (number: number): string => {
  const [hash, parentHash] = [Rows.blockHash(number), Rows.blockHash(number - 1)]
  const timestamp = Rows.genesisSeconds + number * Rows.blockSeconds
  return JSON.stringify({
    number: `0x${number.toString(16)}`,
    hash,
    parentHash,
    timestamp: `0x${timestamp.toString(16)}`,
  })
}

const large = JSON.stringify(Array.from({ length: 2_000 }, () => ({ data: `0x${"ab".repeat(500)}` })))

const resultOf = (method: string, params: ReadonlyArray<unknown>): string => {
  if (method === "eth_getLogs") return large
  if (method === "eth_getBlockByNumber") return headerOf(Number(params[0]))
  return method === "eth_call" ? `"0x${"1".padStart(64, "0")}"` : '"0x1"'
}

// On Linux this sets the priority of this thread only.
setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL))
const { url } = await FakeNode.start(resultOf)
parentPort!.postMessage(url)
