/**
 * A node over HTTP whose blocks contain trace bombs: transactions of little gas whose traces have large inputs or outputs, many or
 * deeply nested frames, or many logs. Responses are written in chunks, as a node writes them.
 */
import { FaultyServer } from "@daybook/harness"
import * as fixture from "../indexer/fixture.ts"

export type Kind = "input" | "unique input" | "output" | "frames" | "depth" | "logs" | "plain"

type Params = ReadonlyArray<unknown>

interface Call {
  readonly id: number
  readonly method: string
  readonly params: Params
}

export interface Node {
  readonly url: string
  /** Number of calls by method. */
  readonly calls: Map<string, number>
  readonly stop: () => Promise<void>
}

const hex = (value: number): string => `0x${value.toString(16)}`
/** Hash of a transaction, or of the block: no transaction has the default index. */
const hashOf = (number: number, index = 998): string =>
  `0x${(number * 1000 + index + 1).toString(16).padStart(64, "0")}`

const bytes = 100_000
const repeated = `0x${"5a".repeat(bytes)}`

const dataOf = (kind: Kind, index: number): string =>
  kind === "unique input" ? `0x${index.toString(16).padStart(8, "0")}${"5b".repeat(bytes - 4)}` : repeated

interface Sizes {
  /** Number of frames with data in a transaction with large inputs or outputs: 66 MiB. */
  readonly largeFrames: number
  /** Number of logs in a transaction of that kind: 23 MiB. */
  readonly logs: number
}

const fullSizes: Sizes = { largeFrames: 345, logs: 40_000 }

const framesOf = (kind: Kind, { largeFrames }: Sizes): number => {
  switch (kind) {
    case "input":
    case "unique input":
    case "output":
      return largeFrames
    case "frames":
      return 60_000
    case "depth":
      return 1_024
    case "logs":
    case "plain":
      return 1
  }
}

/** Text of the nested trace of a transaction, in pieces. */
function* frameOf(kind: Kind, sizes: Sizes): Generator<string> {
  const head = `"from":"${fixture.sender}","to":"${fixture.token}","gas":"0x1","gasUsed":"0x1","value":"0x0"`
  yield `{"type":"CALL",${head},"input":"0x","output":"0x","calls":[`
  const count = framesOf(kind, sizes)
  if (kind === "depth") {
    for (let level = 0; level < count - 1; level++) yield `{"type":"CALL",${head},"input":"0x","calls":[`
    yield `{"type":"CALL",${head},"input":"0x"}${"]}".repeat(count - 1)}]}`
    return
  }
  for (let index = 0; index < count; index++) {
    if (index > 0) yield ","
    const isLarge = kind === "input" || kind === "unique input"
    yield `{"type":"CALL",${head},"input":"${isLarge ? dataOf(kind, index) : "0x"}"`
    yield kind === "output" ? `,"output":"${repeated}"}` : "}"
  }
  yield "]}"
}

/** Text of the flat entries of a transaction, in pieces. */
function* entriesOf(kind: Kind, number: number, index: number, sizes: Sizes): Generator<string> {
  const place = `"blockHash":"${hashOf(number)}","blockNumber":${number},"transactionHash":"${hashOf(number, index)}"`
  const entry = (path: string, input: string, output: string) =>
    `{"action":{"callType":"call","from":"${fixture.sender}","to":"${fixture.token}","gas":"0x1","value":"0x0","input":"${input}"},${place},"result":{"gasUsed":"0x1","output":"${output}"},"subtraces":0,"traceAddress":[${path}],"type":"call"}`
  yield entry("", "0x", "0x")
  const isLarge = kind === "input" || kind === "unique input"
  for (let at = 0; at < framesOf(kind, sizes); at++) {
    const path = kind === "depth" ? Array.from({ length: at + 1 }, () => 0).join(",") : String(at)
    yield ","
    yield entry(path, isLarge ? dataOf(kind, at) : "0x", kind === "output" ? repeated : "0x")
  }
}

/** Starts a node with these transactions in its blocks and these tracing methods. */
export const start = async (
  blocks: ReadonlyArray<ReadonlyArray<Kind>>,
  methods: ReadonlySet<string>,
  given: Partial<Sizes> = {},
): Promise<Node> => {
  const sizes: Sizes = { ...fullSizes, ...given }
  const calls = new Map<string, number>()
  const head = blocks.length - 1
  const place = (number: number, index: number) => ({
    blockHash: hashOf(number),
    blockNumber: hex(number),
    transactionIndex: hex(index),
  })
  const blockOf = (number: number, isHydrated: boolean) => ({
    ...fixture.blockWire,
    number: hex(number),
    hash: hashOf(number),
    parentHash: hashOf(Math.max(0, number - 1)),
    gasUsed: "0xc350",
    transactions: blocks[number]!.map((_, index) =>
      isHydrated
        ? {
            ...fixture.transferWire,
            ...place(number, index),
            hash: hashOf(number, index),
          }
        : hashOf(number, index),
    ),
  })
  function* receiptsOf(number: number): Generator<string> {
    let next = 0
    for (const [index, kind] of blocks[number]!.entries()) {
      const transactionFields = { ...place(number, index), transactionHash: hashOf(number, index) }
      const head = JSON.stringify({ ...fixture.transferReceiptWire, ...transactionFields, logs: [] }).replace(
        '"logs":[]',
        '"logs":[@]',
      )
      const [before, after] = head.split("@")
      yield `${index > 0 ? "," : ""}${before}`
      for (let at = 0; at < (kind === "logs" ? sizes.logs : 0); at++) {
        yield `${at > 0 ? "," : ""}${JSON.stringify(fixture.logWire(next++, index, transactionFields))}`
      }
      yield after!
    }
  }
  const indexOf = (hash: unknown) => (Number(BigInt(String(hash)) & 0xffffffffn) - 1) % 1000
  const blockOfHash = (hash: unknown) => Math.floor((Number(BigInt(String(hash)) & 0xffffffffn) - 1) / 1000)
  const numberOf = (id: unknown) => (id === "latest" ? head : String(id).length === 66 ? blockOfHash(id) : Number(id))

  function* result(method: string, [id, flag]: Params): Generator<string> {
    const number = numberOf(id)
    switch (method) {
      case "eth_chainId":
        return yield '"0x7a69"'
      case "eth_getBlockByNumber":
        return yield id === "finalized" || number > head ? "null" : JSON.stringify(blockOf(number, flag === true))
      case "eth_getBlockReceipts":
        yield "["
        yield* receiptsOf(number)
        return yield "]"
      case "debug_traceBlockByNumber":
      case "debug_traceBlockByHash":
        yield "["
        for (const [index, kind] of blocks[number]!.entries()) {
          yield `${index > 0 ? "," : ""}{"txHash":"${hashOf(number, index)}","result":`
          yield* frameOf(kind, sizes)
          yield "}"
        }
        return yield "]"
      case "debug_traceTransaction":
        return yield* frameOf(blocks[blockOfHash(id)]![indexOf(id)]!, sizes)
      case "trace_block":
        yield "["
        for (const [index, kind] of blocks[number]!.entries()) {
          if (index > 0) yield ","
          yield* entriesOf(kind, number, index, sizes)
        }
        return yield "]"
      default:
    }
  }

  function* replyTo({ id, method, params }: Call): Generator<string> {
    calls.set(method, (calls.get(method) ?? 0) + 1)
    if (/^(trace|debug)_/.test(method) && !methods.has(method)) {
      yield `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"the method does not exist"}}`
      return
    }
    if (method === "debug_traceTransaction" && BigInt(String(params[0])) === 0n) {
      yield `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"transaction not found"}}`
      return
    }
    yield `{"jsonrpc":"2.0","id":${id},"result":`
    yield* result(method, params)
    yield "}"
  }

  function* replies(asked: Call | ReadonlyArray<Call>): Generator<string> {
    if ("id" in asked) return yield* replyTo(asked)
    yield "["
    for (const [at, call] of asked.entries()) {
      if (at > 0) yield ","
      yield* replyTo(call)
    }
    yield "]"
  }

  // Sound: the indexer sends only JSON-RPC.
  const server = await FaultyServer.start(({ body }) => ({ pieces: replies(JSON.parse(body) as Call) }))
  return { ...server, calls }
}
