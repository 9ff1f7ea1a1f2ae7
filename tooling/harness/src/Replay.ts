/**
 * Records a node's whole chain once and serves the recording from memory.
 *
 * For benchmarks of indexing, where a real node would be the slowest part. It serves blocks with and without transaction
 * bodies, receipts, logs, and the traces of both tracers, in single calls or batches, with a configurable latency.
 */
import { closeSync, createReadStream, openSync, writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import { methodNotFound, responder } from "./internal/recording.ts"
import type { Call, RecordedBlock, Recording } from "./internal/recording.ts"
import * as LocalServer from "./LocalServer.ts"
import * as Rpc from "./Rpc.ts"

export type { RecordedBlock, Recording } from "./internal/recording.ts"

/** The file cannot be read or does not contain a recording. */
export class InvalidRecording extends Schema.TaggedError<InvalidRecording>()("InvalidRecording", {
  file: Schema.String,
  message: Schema.String,
}) {}

/** What to record. */
export interface RecordOptions {
  /** Record `trace_block`. Default true; skipped on a node without the method. */
  readonly flatTraces?: boolean
  /** Record `debug_traceBlockByNumber`, which is slow. Default true; skipped on a node without the method. */
  readonly callTraces?: boolean
  /** Number of blocks requested concurrently. Default 4. */
  readonly concurrency?: number
  readonly onBlock?: (number: number, head: number) => void
}

/** A result as JSON text; undefined when it is not wanted or the node does not have the method. */
const optional = (url: string, method: string, params: ReadonlyArray<unknown>, isWanted: boolean) =>
  isWanted
    ? Rpc.call(url, method, params).pipe(
        Effect.map((result): string | undefined => JSON.stringify(result)),
        Effect.catch((failure) => (failure.code === methodNotFound ? Effect.succeed(undefined) : Effect.fail(failure))),
      )
    : Effect.succeed(undefined)

/**
 * Reads a node's chain from block 0 to its current head.
 *
 * **Errors**
 * - `RpcFailure`: the node could not be reached, or rejected a call other than a trace.
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
 * - `InvalidRecording`: the file cannot be read or does not hold a recording.
 */
export const load = (file: string): Effect.Effect<Recording, InvalidRecording> =>
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
        else throw new Error("the first line is not the header of a recording")
      }
      if (chainId === undefined || blocks.length === 0) throw new Error("the file holds no block")
      return { chainId, blocks }
    },
    catch: (cause) =>
      new InvalidRecording({ file, message: `${file}: ${cause instanceof Error ? cause.message : String(cause)}` }),
  })

/** How to serve. */
export interface Options {
  /** Delay of each response, to a single call or a batch, in milliseconds. Default 0. */
  readonly latencyMillis?: number
}

/** A running replay. */
export interface Replay extends LocalServer.Server {
  /** Number of the newest block. */
  readonly head: number
  /** Number of HTTP requests and of calls so far. */
  readonly counts: () => { readonly requests: number; readonly calls: number }
}

const parseError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`

/** Serves a recording on a free port of 127.0.0.1; call `stop` to end it. */
export const start = async (recording: Recording, options: Options = {}): Promise<Replay> => {
  const { latencyMillis = 0 } = options
  const respond = responder(recording)
  let requests = 0
  let calls = 0
  const reply = (body: string): string => {
    requests++
    try {
      const received = JSON.parse(body) as Call | ReadonlyArray<Call>
      const list = Array.isArray(received) ? (received as ReadonlyArray<Call>) : undefined
      calls += list?.length ?? 1
      return list === undefined ? respond(received as Call) : `[${list.map(respond).join(",")}]`
    } catch {
      return parseError
    }
  }
  const server = await LocalServer.start((request, response) => {
    const body = Buffer.from(reply(request.body))
    const send = () =>
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
    if (latencyMillis > 0) setTimeout(send, latencyMillis)
    else send()
  })
  return { ...server, head: recording.blocks.length - 1, counts: () => ({ requests, calls }) }
}

/** Serves a recording until the scope closes. */
export const make = (recording: Recording, options: Options = {}): Effect.Effect<Replay, never, Scope.Scope> =>
  LocalServer.scoped(() => start(recording, options))
