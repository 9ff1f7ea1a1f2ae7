/**
 * Records what a real node answers about its whole chain, once, and serves it again from memory.
 *
 * For benchmarks of indexing, where a real node would be the slowest part: every block hydrated and not, receipts, and
 * traces by both tracers, one by one or in batches, with a latency of your choice. It knows nothing but the recording.
 */
import { closeSync, createReadStream, openSync, writeSync } from "node:fs"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import * as Rpc from "./Rpc.ts"
import * as Wire from "./Wire.ts"

/** The answers about one block, as JSON texts of the results; a text is undefined where the node has no such method. */
export interface RecordedBlock {
  readonly hash: string
  readonly hydrated: string
  readonly receipts: string
  readonly flatTraces: string | undefined
  readonly callTraces: string | undefined
}

/** A recorded chain. */
export interface Recording {
  /** Wire form, as in `0x1`. */
  readonly chainId: string
  /** Blocks by number, from 0 to the head. */
  readonly blocks: ReadonlyArray<RecordedBlock>
}

/** The file is not a recording. */
export class NotARecording extends Schema.TaggedError<NotARecording>()("NotARecording", {
  file: Schema.String,
  message: Schema.String,
}) {}

/** What to record. */
export interface RecordOptions {
  /** Call `trace_block`. Default true; a node without it is recorded without. */
  readonly flatTraces?: boolean
  /** Call `debug_traceBlockByNumber`, which is slow. Default true; a node without it is recorded without. */
  readonly callTraces?: boolean
  /** Blocks asked for at once. Default 4. */
  readonly concurrency?: number
  readonly onBlock?: (number: number, head: number) => void
}

const methodNotFound = -32601

/** The result as JSON text; undefined when the node does not have the method. */
const optional = (url: string, method: string, params: ReadonlyArray<unknown>, isWanted: boolean) =>
  isWanted
    ? Rpc.call(url, method, params).pipe(
        Effect.map((result): string | undefined => JSON.stringify(result)),
        Effect.catch((failure) => (failure.code === methodNotFound ? Effect.succeed(undefined) : Effect.fail(failure))),
      )
    : Effect.succeed(undefined)

/**
 * Asks a node for everything about its chain, from block 0 to its present head.
 *
 * **Errors**
 * - `RpcFailure`: the node could not be reached or refused a call that it must have.
 */
export const record = Effect.fn("Replay.record")(function* (
  url: string,
  options: RecordOptions = {},
): Effect.fn.Return<Recording, Rpc.RpcFailure> {
  const { flatTraces = true, callTraces = true, concurrency = 4, onBlock = () => {} } = options
  const chainId = yield* Rpc.call<string>(url, "eth_chainId")
  const head = Number(yield* Rpc.call<string>(url, "eth_blockNumber"))
  const one = Effect.fnUntraced(function* (number: number): Effect.fn.Return<RecordedBlock, Rpc.RpcFailure> {
    const id = `0x${number.toString(16)}`
    const block = yield* Rpc.call<{ readonly hash: string }>(url, "eth_getBlockByNumber", [id, true])
    const receipts = yield* Rpc.call(url, "eth_getBlockReceipts", [id])
    const flat = yield* optional(url, "trace_block", [id], flatTraces)
    const calls = yield* optional(url, "debug_traceBlockByNumber", [id, { tracer: "callTracer" }], callTraces)
    onBlock(number, head)
    return {
      hash: block.hash.toLowerCase(),
      hydrated: JSON.stringify(block),
      receipts: JSON.stringify(receipts),
      flatTraces: flat,
      callTraces: calls,
    }
  })
  const numbers = Array.from({ length: head + 1 }, (_, number) => number)
  return { chainId, blocks: yield* Effect.forEach(numbers, one, { concurrency }) }
})

const format = "daybook-replay-1"

/** Writes a recording to a file: a header and one line for each block. */
export const save = (recording: Recording, file: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const descriptor = openSync(file, "w")
    try {
      writeSync(descriptor, `${JSON.stringify({ format, chainId: recording.chainId })}\n`)
      for (const block of recording.blocks) writeSync(descriptor, `${JSON.stringify(block)}\n`)
    } finally {
      closeSync(descriptor)
    }
  })

/**
 * Reads a recording from a file.
 *
 * **Errors**
 * - `NotARecording`: the file cannot be read or does not hold one.
 */
export const load = (file: string): Effect.Effect<Recording, NotARecording> =>
  Effect.tryPromise({
    try: async () => {
      let chainId: string | undefined
      const blocks: Array<RecordedBlock> = []
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        const value = JSON.parse(line) as RecordedBlock & { readonly format?: string; readonly chainId?: string }
        if (chainId !== undefined) {
          const { hash, hydrated, receipts, flatTraces, callTraces } = value
          blocks.push({ hash, hydrated, receipts, flatTraces, callTraces })
        } else if (value.format === format && value.chainId !== undefined) chainId = value.chainId
        else throw new Error("its first line is not the header of a recording")
      }
      if (chainId === undefined || blocks.length === 0) throw new Error("it holds no block")
      return { chainId, blocks }
    },
    catch: (cause) =>
      new NotARecording({ file, message: `${file}: ${cause instanceof Error ? cause.message : String(cause)}` }),
  })

/** How to serve. */
export interface Options {
  /** Wait before each answer, of a single call or a batch, in milliseconds. Default 0: none. */
  readonly latencyMillis?: number
}

/** A running replay. */
export interface Replay {
  readonly url: string
  readonly port: number
  /** Number of the newest block. */
  readonly head: number
  /** HTTP requests and calls answered so far. */
  readonly counts: () => { readonly requests: number; readonly calls: number }
  readonly stop: () => Promise<void>
}

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

interface LogFilter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | ReadonlyArray<string>
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
}

interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: ReadonlyArray<unknown>
}

const withHashes = (hydrated: string): string => {
  const block = JSON.parse(hydrated) as { readonly transactions: ReadonlyArray<{ readonly hash: string }> }
  return JSON.stringify({ ...block, transactions: block.transactions.map(({ hash }) => hash) })
}

const makeAnswerer = ({ chainId, blocks }: Recording) => {
  const head = blocks.length - 1
  const byHash = new Map(blocks.map(({ hash }, number) => [hash, number]))
  const plain: Array<string | undefined> = []
  const find = (id: unknown): number | undefined => {
    if (id === "earliest") return 0
    if (typeof id !== "string" || !id.startsWith("0x")) return head
    const number = id.length === 66 ? byHash.get(id.toLowerCase()) : Number(id)
    return number !== undefined && number <= head ? number : undefined
  }
  /** A text of the block; `null` when there is no such block, undefined when it was not recorded. */
  const ofBlock = (id: unknown, give: (block: RecordedBlock, number: number) => string | undefined) => {
    const number = find(id)
    const block = number === undefined ? undefined : blocks[number]
    return number === undefined || block === undefined ? "null" : give(block, number)
  }
  /** Logs of a range of blocks, by topics and addresses, out of the receipts. Source: Ethereum JSON-RPC. */
  const logs = (filter: LogFilter): string => {
    const { address, blockHash, topics = [] } = filter
    const addresses = address === undefined ? undefined : [address].flat().map((one) => one.toLowerCase())
    const from = find(blockHash ?? filter.fromBlock ?? "latest") ?? 0
    const to = blockHash === undefined ? (find(filter.toBlock ?? "latest") ?? head) : from
    const fits = (log: Log) =>
      (addresses === undefined || addresses.includes(log.address.toLowerCase())) &&
      topics.every((topic, at) => topic === null || [topic].flat().includes(log.topics[at] ?? ""))
    const found = blocks.slice(from, to + 1).flatMap(({ receipts }) => {
      const list = JSON.parse(receipts) as ReadonlyArray<{ readonly logs: ReadonlyArray<Log> }>
      return list.flatMap((receipt) => receipt.logs.filter(fits))
    })
    return JSON.stringify(found)
  }
  const result = (method: unknown, [id, flag]: ReadonlyArray<unknown>): string | undefined => {
    switch (method) {
      case "eth_getLogs":
        return logs(id ?? {})
      case "eth_chainId":
        return JSON.stringify(chainId)
      case "net_version":
        return JSON.stringify(String(Number(chainId)))
      case "eth_blockNumber":
        return JSON.stringify(`0x${head.toString(16)}`)
      case "web3_clientVersion":
        return JSON.stringify("Daybook/replay")
      case "eth_syncing":
        return "false"
      case "eth_getBlockByNumber":
      case "eth_getBlockByHash":
        return ofBlock(id, ({ hydrated }, number) =>
          flag === true ? hydrated : (plain[number] ??= withHashes(hydrated)),
        )
      case "eth_getBlockReceipts":
        return ofBlock(id, ({ receipts }) => receipts)
      case "trace_block":
        return ofBlock(id, ({ flatTraces }) => flatTraces)
      case "debug_traceBlockByNumber":
      case "debug_traceBlockByHash":
        return ofBlock(id, ({ callTraces }) => callTraces)
      default:
        return undefined
    }
  }
  return ({ id = null, method, params = [] }: Call): string => {
    const text = result(method, params)
    const rest =
      text === undefined
        ? `"error":{"code":${methodNotFound},"message":"the method ${String(method).replaceAll(/[^\w]/g, "")} was not recorded"}`
        : `"result":${text}`
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}`
  }
}

const parseError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`

/** Serves a recording on a free port of 127.0.0.1; call `stop` when done with it. */
export const start = async (recording: Recording, options: Options = {}): Promise<Replay> => {
  const { latencyMillis = 0 } = options
  const answer = makeAnswerer(recording)
  let requests = 0
  let calls = 0
  const reply = (body: string): string => {
    requests++
    try {
      const asked = JSON.parse(body) as Call | ReadonlyArray<Call>
      const list = Array.isArray(asked) ? (asked as ReadonlyArray<Call>) : undefined
      calls += list?.length ?? 1
      return list === undefined ? answer(asked as Call) : `[${list.map(answer).join(",")}]`
    } catch {
      return parseError
    }
  }
  const handle = (message: IncomingMessage, response: ServerResponse) => {
    const chunks: Array<Buffer> = []
    message.on("data", (chunk: Buffer) => chunks.push(chunk))
    message.on("end", () => {
      const body = Buffer.from(reply(Buffer.concat(chunks).toString("utf8")))
      const send = () =>
        response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
      if (latencyMillis > 0) setTimeout(send, latencyMillis)
      else send()
    })
  }
  const server = createServer(handle)
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    head: recording.blocks.length - 1,
    counts: () => ({ requests, calls }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Serves a recording for as long as the scope lives. */
export const make = (recording: Recording, options: Options = {}): Effect.Effect<Replay, never, Scope.Scope> =>
  Wire.make(() => start(recording, options))
