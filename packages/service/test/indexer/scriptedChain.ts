/** A chain with one transfer per block, and the responses of its node. */
import * as fixture from "./fixture.ts"
import type * as ScriptedFetch from "./ScriptedFetch.ts"

export const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`
const hex = (number: number) => `0x${number.toString(16)}`

const place = (number: number) => ({ blockHash: hashOf(number), blockNumber: hex(number) })
const transactionOf = (number: number) => ({
  ...fixture.transferWire,
  ...place(number),
  hash: hashOf(number + 0x10000),
})

const blockAt = (head: number, asked: unknown, hydrated: unknown) => {
  const number = asked === "latest" ? head : asked === "finalized" ? head - 10 : Number(asked)
  const links = { number: hex(number), hash: hashOf(number), parentHash: hashOf(Math.max(0, number - 1)) }
  const transactions = hydrated === true ? [transactionOf(number)] : [hashOf(number + 0x10000)]
  return { ...fixture.blockWire, ...links, gasUsed: "0xc350", transactions }
}

const receiptsOf = (number: number) => {
  const transactionHash = hashOf(number + 0x10000)
  const logs = [fixture.logWire(0, 0, { ...place(number), transactionHash })]
  return [{ ...fixture.transferReceiptWire, ...place(number), transactionHash, logs }]
}

export const traceOf = (number: number) => ({
  action: {
    callType: "call",
    from: fixture.sender,
    to: fixture.token,
    gas: "0x0",
    input: "0x",
    value: "0x0",
  },
  result: {
    gasUsed: "0x0",
    output: "0x",
  },
  blockHash: hashOf(number),
  blockNumber: number,
  transactionHash: hashOf(number + 65536),
  transactionPosition: 0,
  subtraces: 0,
  traceAddress: [],
  type: "call",
})

/** Responds as a healthy node of the chain up to a head. */
export const healthyAt =
  (head: number): ScriptedFetch.Handler =>
  (method, [first, second]) => {
    switch (method) {
      case "eth_chainId":
        return { result: "0x7a69" }
      case "eth_getBlockByNumber":
        return { result: blockAt(head, first, second) }
      case "eth_getBlockReceipts":
        return { result: receiptsOf(Number(first)) }
      case "eth_getTransactionReceipt":
        return { result: receiptsOf(Number(first) - 0x10000)[0] }
      case "trace_block":
        return { result: [traceOf(Number(first))] }
      default:
        return { error: { code: -32601, message: "the method does not exist" } }
    }
  }

/** Head of `healthy`. */
export const head = 300

export const healthy: ScriptedFetch.Handler = healthyAt(head)
