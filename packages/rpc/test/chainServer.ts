/** A client with a WebSocket whose server responds for the blocks of a chain. */
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import * as WebSocketClient from "../src/WebSocketClient.ts"
import * as MemorySocket from "./memorySocket.ts"

export const url = "wss://n.example/rpc/eth/secret-key-1"
export const retry = { base: 1, cap: 2 } as const

export const word = (text: string): `0x${string}` => `0x${text.padStart(64, "0")}`
export const address = `0x${"1".repeat(40)}`

export const header = (number: number, branch = "a") => ({
  number: `0x${number.toString(16)}`,
  hash: word(`${branch}${number}`),
  parentHash: word(`${branch}${number - 1}`),
  sha3Uncles: word("1"),
  logsBloom: `0x${"00".repeat(256)}`,
  transactionsRoot: word("2"),
  stateRoot: word("3"),
  receiptsRoot: word("4"),
  miner: address,
  difficulty: "0x0",
  extraData: "0x",
  gasLimit: "0x1",
  gasUsed: "0x1",
  timestamp: "0x1",
})

const block = (number: number, branch = "a") => ({
  ...header(number, branch),
  size: "0x1",
  transactions: [],
  uncles: [],
})

/** Responds to requests for blocks of a chain with the head `head`; blocks from `fork` on belong to branch b. */
export const answerBlocks = (
  { id, method, params }: MemorySocket.ServerSocket["received"][number],
  socket: MemorySocket.ServerSocket,
  { fork = Infinity, head }: { readonly head: number; readonly fork?: number },
) => {
  const branchOf = (number: number) => (number >= fork ? "b" : "a")
  const blockOf = (number: number) => ({
    ...block(number, branchOf(number)),
    parentHash: word(`${branchOf(number - 1)}${number - 1}`),
  })
  if (method === "eth_getBlockByHash") {
    const [, branch, number] = /^0x0*([ab])(\d+)$/.exec(String(params[0])) ?? []
    MemorySocket.reply(socket, id, branch === branchOf(Number(number)) ? blockOf(Number(number)) : null)
    return true
  }
  if (method !== "eth_getBlockByNumber") return false
  MemorySocket.reply(socket, id, blockOf(params[0] === "latest" ? head : Number(params[0])))
  return true
}

export const make = (respond: MemorySocket.Respond, options: Partial<WebSocketClient.Options> = {}) => {
  const server = MemorySocket.make(respond)
  const client = WebSocketClient.makeUnsafe({
    url,
    webSocket: server.webSocket,
    retry,
    ...options,
  })
  return { ...server, client }
}

export const until = (isTrue: () => boolean, what: string) => Effect.promise(() => Eventually.until(isTrue, { what }))

export const countOf = (sockets: ReadonlyArray<MemorySocket.ServerSocket>, wanted: string) =>
  sockets.flatMap(({ received }) => received).filter(({ method }) => method === wanted).length
