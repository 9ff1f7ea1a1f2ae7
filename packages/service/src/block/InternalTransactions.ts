/**
 * Derives internal transactions from the traces of a block: nested frames of the `callTracer`, or the flat list of `trace_block`. Both
 * yield the same rows, except for what the flat list omits (see `fromFlat`). Pure.
 *
 * Source: decision 0014.
 */
import { visibleStart } from "@daybook/schema/VisibleText"
import * as Trace from "@daybook/schema/Trace"
import type { CallFrame, FlatTrace, TransactionTrace } from "@daybook/schema/Trace"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { defaultTraceLimits } from "../config/Limits.ts"
import { excessPrefix, type SingleTrace, type Traces } from "./Traces.ts"
import type { MinedBlock } from "../verification/MinedBlock.ts"
import { InvalidBlock } from "../verification/InvalidBlock.ts"
import * as StateSync from "../verification/StateSync.ts"

/**
 * An internal transaction on the wire, with keys in the order of the interface.
 *
 * Source: docs/interface.md#2.5.
 */
export interface InternalTransactionWire {
  readonly transaction_hash: string
  readonly block_number: number
  readonly block_hash: string
  readonly type: string
  readonly from: string
  /** `null` for a failed creation. */
  readonly to: string | null
  readonly value: string
  readonly gas: string
  readonly gas_used: string
  /** `null` if it exceeds the bounds of traces; its length in bytes and SHA-256 are then given next to it. */
  readonly input: string | null
  readonly input_length?: string
  readonly input_hash?: string
  /** `null` if it exceeds the bounds of traces; its length in bytes and SHA-256 are then given next to it. */
  readonly output: string | null
  readonly output_length?: string
  readonly output_hash?: string
  /** Error of the frame, or of its nearest failed ancestor. */
  readonly error?: string
}

/**
 * Parts of a block with which its traces are compared.
 */
export type TracedBlock = Pick<MinedBlock, "number" | "hash" | "transactions">

/**
 * A transaction whose internal transactions are unknown.
 */
export interface Untraced {
  /** Reason for the operator. */
  readonly reason: string
}

/**
 * Internal transactions of one transaction, or why they are unknown.
 */
export type TransactionRows = ReadonlyArray<InternalTransactionWire> | Untraced

/**
 * Rows of a block: those of each of its transactions, in order.
 */
export type Rows = ReadonlyArray<TransactionRows>

/**
 * True for a transaction whose internal transactions are unknown.
 */
export const isUntraced = (rows: TransactionRows): rows is Untraced => !Array.isArray(rows)

/**
 * Which frames become rows.
 */
export interface Options {
  /** Includes STATICCALL and DELEGATECALL frames, with value 0. Default false. */
  readonly allFrames?: boolean
  /** Maximum number of frames of one transaction; a transaction with more is untraced. Default: as configured. */
  readonly frames?: number | undefined
}

/** Length and hash of an input or output removed because of the bounds of traces. */
interface Removed {
  readonly length: string
  readonly hash: string
}

interface Frame {
  readonly type: string
  readonly from: string
  readonly to: string | null
  readonly value: bigint
  readonly gas: bigint
  readonly gasUsed: bigint
  readonly input: string | Removed
  readonly output: string | Removed
  readonly error: string | null
}

const moving: ReadonlySet<string> = new Set(["CALL", "CALLCODE", "CREATE", "CREATE2", "SELFDESTRUCT"])
const repeating: ReadonlySet<string> = new Set(["STATICCALL", "DELEGATECALL"])

const isWanted = (type: string, { allFrames = false }: Options): boolean =>
  moving.has(type) || (allFrames && repeating.has(type))

/** Messages of both tracers for the same cause, and whether the frame loses all of its gas. */
const causes: ReadonlyArray<readonly [pattern: RegExp, text: string, takesAllGas: boolean]> = [
  [/^(execution )?reverted$/i, "execution reverted", false],
  [
    /^(.*\b)?(out ?of ?gas|oog)\b|^gas uint64 overflow$|^max code size exceeded$|^create ?contract ?size ?limit$/i,
    "out of gas",
    true,
  ],
  [
    /^(bad instruction|(invalid|undefined)( ?fe)? ?opcode|opcode .*not (defined|found)|opcodenotfound)/i,
    "invalid opcode",
    true,
  ],
  [/^(bad|invalid) ?jump( destination)?$/i, "invalid jump destination", true],
  [/^stack ?underflow/i, "stack underflow", true],
  [/^(out of stack|stack ?(overflow|limit reached))/i, "stack overflow", true],
  [/^(return data )?out of bounds$|^out ?of ?offset$/i, "return data out of bounds", true],
  [/^(built-in failed|precompiled? ?(failed|error)|invalid input length)$/i, "precompile failed", true],
  [
    /^(write protection|(state ?change|call ?not ?allowed|mutable call) ?(during|inside|in) ?static( ?call| context)?)$/i,
    "write protection",
    true,
  ],
  [/^(insufficient (balance|funds)( for transfer)?|out ?of ?funds)$/i, "insufficient balance for transfer", false],
  [/^(contract address collision|create ?collision)$/i, "contract address collision", true],
  [/^(max call depth exceeded|call ?too ?deep)$/i, "max call depth exceeded", false],
  [/^(invalid code: must not begin with 0xef|create ?contract ?starting ?with ?ef)$/i, "invalid code", true],
]

const causeOf = (error: string) => causes.find(([pattern]) => pattern.test(error))

const maxError = 1_000

/** Message of a cause, independent of the tracer. */
const textOf = (error: string): string => causeOf(error)?.[1] ?? error.slice(0, maxError)

const dataOf = <K extends "input" | "output">(key: K, data: string | Removed) =>
  // Sound: the keys are those of the wire type.
  (typeof data === "string"
    ? { [key]: data }
    : { [key]: null, [`${key}_length`]: data.length, [`${key}_hash`]: data.hash }) as Pick<
    InternalTransactionWire,
    K | `${K}_length` | `${K}_hash`
  >

/** Data of a frame or, if it is `null`, its length and hash, which `TraceFilter` adds next to it. */
const read = (holder: object | null | undefined, key: "input" | "output" | "init" | "code"): string | Removed => {
  if (holder == null) return "0x"
  // Sound: keys unknown to a schema stay in its values.
  const fields = holder as Readonly<Record<string, unknown>>
  const data = fields[key]
  if (typeof data === "string") return data
  const [length, hash] = [fields[`${key}_length`], fields[`${key}_hash`]]
  return typeof length === "string" && typeof hash === "string" ? { length, hash } : "0x"
}

const rowOf = (block: TracedBlock, transactionHash: string, frame: Frame, error: string | null) => {
  const row = {
    transaction_hash: transactionHash,
    block_number: Number(block.number),
    block_hash: block.hash,
    type: frame.type,
    from: frame.from,
    to: frame.to,
    value: repeating.has(frame.type) ? "0" : frame.value.toString(),
    gas: frame.gas.toString(),
    gas_used: frame.gasUsed.toString(),
    ...dataOf("input", frame.input),
    ...dataOf("output", frame.output),
  }
  return error === null ? row : { ...row, error }
}

const invalid = (block: TracedBlock, what: string) =>
  Result.fail(new InvalidBlock({ block: Number(block.number), hash: block.hash, what, isOfTraces: true }))

const isCreation = (type: string) => type === "CREATE" || type === "CREATE2"

const ofCallFrame = (frame: CallFrame): Frame => {
  const type = frame.type.toUpperCase()
  const error = frame.error == null || frame.error === "" ? null : textOf(frame.error)
  return {
    type: type === "SUICIDE" ? "SELFDESTRUCT" : type,
    from: frame.from,
    to: isCreation(type) && error !== null ? null : (frame.to ?? null),
    value: frame.value ?? 0n,
    gas: frame.gas ?? 0n,
    gasUsed: frame.gasUsed ?? 0n,
    input: read(frame, "input"),
    output: read(frame, "output"),
    error,
  }
}

const decodeFrame = Schema.decodeUnknownOption(Trace.CallFrame)

/** Root frame of a trace; `null` for none. Older Moonbeam nodes return the frame itself instead of an object that holds it. */
const rootOf = (trace: TransactionTrace): CallFrame | null => {
  if (trace.result != null || trace.txHash !== undefined) return trace.result ?? null
  const { error } = trace
  const bare = Trace.TransactionTrace.extras(trace)
  return Option.getOrNull(decodeFrame(error === undefined ? bare : { ...bare, error }))
}

const excess = (limit: number): Untraced => ({ reason: `${excessPrefix}: more than ${limit} frames.` })

/** Why a transaction has no frames. */
const reasonOf = ({ error }: TransactionTrace): string => {
  const message = (typeof error === "object" ? error?.message : error) ?? "no result"
  return message.startsWith(excessPrefix) ? message : `The tracer failed: ${visibleStart(message, 300)}.`
}

/** Rows below the root frame of a transaction, depth first. */
const rowsOfFrame = (block: TracedBlock, hash: string, root: CallFrame, options: Options): TransactionRows => {
  const { frames = defaultTraceLimits.frames } = options
  const list: Array<InternalTransactionWire> = []
  let count = 0
  const walk = (parent: CallFrame, failed: string | null) => {
    for (const call of parent.calls ?? []) {
      if (++count > frames) return
      const frame = ofCallFrame(call)
      const why = frame.error ?? failed
      if (isWanted(frame.type, options)) list.push(rowOf(block, hash, frame, why))
      walk(call, why)
    }
  }
  walk(root, ofCallFrame(root).error)
  return count > frames ? excess(frames) : list
}

/**
 * Traces by transaction, if a tracer omits some and names the others; `null` for the omitted ones. ZK Stack nodes have no traces of
 * transactions sent from L1. Otherwise the traces as received.
 */
const byTransaction = (
  { transactions }: TracedBlock,
  traces: ReadonlyArray<TransactionTrace>,
): ReadonlyArray<TransactionTrace | null> => {
  if (traces.length >= transactions.length) return traces
  const named = new Map(traces.map((trace) => [trace.txHash, trace]))
  const placed = transactions.map(({ hash }) => named.get(hash) ?? null)
  return placed.filter((trace) => trace !== null).length === traces.length ? placed : traces
}

const leftOut: Untraced = { reason: "The traces of the block do not include the transaction." }

/**
 * Rows of nested frames: those below the root, depth first. A transaction is untraced if the tracer returned an error or nothing instead of
 * a frame. Bor may omit the trace of a state-sync transaction, the last one of its block.
 *
 * **Errors**
 * - `InvalidBlock`: the frames do not belong to the block's transactions.
 */
export const fromFrames = (
  block: TracedBlock,
  traces: ReadonlyArray<TransactionTrace>,
  options: Options = {},
): Result.Result<Rows, InvalidBlock> => {
  const expected = block.transactions.length
  const last = block.transactions.at(-1)
  const placed = byTransaction(block, traces)
  const lacksStateSync = placed.length === expected - 1 && last !== undefined && StateSync.isStateSync(last)
  if (placed.length !== expected && !lacksStateSync) {
    return invalid(block, `traces: expected ${expected}, received ${traces.length}`)
  }
  const rows: Array<TransactionRows> = []
  for (const [index, trace] of placed.entries()) {
    const transaction = block.transactions[index]!
    if (trace === null) {
      rows.push(StateSync.isStateSync(transaction) ? [] : leftOut)
      continue
    }
    const { txHash } = trace
    const { hash } = transaction
    if (txHash !== undefined && txHash !== hash)
      return invalid(block, `transaction of trace ${index}: expected ${hash}, received ${txHash}`)
    const root = rootOf(trace)
    rows.push(root === null ? { reason: reasonOf(trace) } : rowsOfFrame(block, hash, root, options))
  }
  if (lacksStateSync) rows.push([])
  return Result.succeed(rows)
}

/** Sender in a trace; nullish if the node omits it. */
const senderOf = ({ action }: FlatTrace) => action.from ?? action.address ?? action.author

const ofFlat = ({ type, action, result, error: received }: FlatTrace): Frame | null => {
  const error = received == null || received === "" ? null : textOf(received)
  const gas = action.gas ?? 0n
  const lost = received != null && result == null && causeOf(received)?.[2] === true ? gas : 0n
  const common = { gas, gasUsed: result?.gasUsed ?? lost, value: action.value ?? 0n, error }
  switch (type) {
    case "call":
      return {
        ...common,
        type: (action.callType ?? "call").toUpperCase(),
        from: action.from ?? "",
        to: action.to ?? null,
        input: read(action, "input"),
        output: read(result, "output"),
      }
    case "create":
      return {
        ...common,
        type: action.creationMethod?.toLowerCase() === "create2" ? "CREATE2" : "CREATE",
        from: action.from ?? "",
        to: error === null ? (result?.address ?? null) : null,
        input: read(action, "init"),
        output: read(result, result != null && "code" in result && result.code !== undefined ? "code" : "output"),
      }
    case "suicide":
    case "selfdestruct":
      return {
        ...common,
        type: "SELFDESTRUCT",
        from: action.address ?? "",
        to: action.refundAddress ?? null,
        value: action.balance ?? 0n,
        input: "0x",
        output: "0x",
      }
    default:
      return null
  }
}

const byPath = (one: FlatTrace, other: FlatTrace): number => {
  const a = one.traceAddress
  const b = other.traceAddress
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    if (a[index] !== b[index]) return a[index]! - b[index]!
  }
  return a.length - b.length
}

/** First path that two entries of a transaction share; `null` for none. An entry that replaces a trace beyond a bound has no path of its own. */
const repeatedPath = (sorted: ReadonlyArray<FlatTrace>): string | null => {
  if (sorted.some(({ type }) => type === "excess")) return null
  const found = sorted.find((trace, at) => at > 0 && byPath(sorted[at - 1]!, trace) === 0)
  return found === undefined ? null : `[${found.traceAddress.join(", ")}]`
}

const isAbove = (path: ReadonlyArray<number>, other: ReadonlyArray<number>): boolean =>
  path.length < other.length && path.every((position, index) => position === other[index])

const rowsOfOne = (
  block: TracedBlock,
  hash: string,
  traces: ReadonlyArray<FlatTrace>,
  options: Options,
): TransactionRows => {
  const { frames = defaultTraceLimits.frames } = options
  const marked = traces.find(({ type }) => type === "excess")
  if (marked !== undefined) return { reason: marked.error ?? "" }
  if (traces.length > frames + 1) return excess(frames)
  const list: Array<InternalTransactionWire> = []
  const failures: Array<{ readonly path: ReadonlyArray<number>; readonly error: string }> = []
  for (const trace of traces) {
    const path = trace.traceAddress
    while (failures.length > 0 && !isAbove(failures.at(-1)!.path, path)) failures.pop()
    const frame = ofFlat(trace)
    if (frame === null) continue
    const error = frame.error ?? failures.at(-1)?.error ?? null
    if (frame.error !== null) failures.push({ path, error: frame.error })
    if (path.length > 0 && isWanted(frame.type, options)) list.push(rowOf(block, hash, frame, error))
  }
  return list
}

/**
 * Rows of a flat list: those below each root, ordered by `traceAddress`. Block rewards belong to no transaction and are skipped. A
 * transaction without entries is untraced if others have entries.
 *
 * **Gotchas**
 * - A node that omits how a contract was created (`creationMethod`) yields CREATE for CREATE2 too, because the salt is not in the list.
 * - A failed frame without a `result` has no output, and no gas used unless its failure takes all gas.
 *
 * **Errors**
 * - `InvalidBlock`: an entry belongs to another block or transaction, a transaction with entries has no root among them, no transaction has
 *   an entry, or two entries of a transaction share a trace address.
 */
export const fromFlat = (
  block: TracedBlock,
  traces: ReadonlyArray<FlatTrace>,
  options: Options = {},
): Result.Result<Rows, InvalidBlock> => {
  const byHash = new Map<string, Array<FlatTrace>>()
  for (const { hash } of block.transactions) byHash.set(hash, [])
  for (const trace of traces) {
    if (trace.blockHash != null && trace.blockHash !== block.hash) {
      return invalid(block, `block hash of a trace: expected ${block.hash}, received ${trace.blockHash}`)
    }
    if (trace.transactionHash == null) continue
    if (senderOf(trace) == null && trace.type !== "excess")
      return invalid(block, `a trace of transaction ${trace.transactionHash} has no sender`)
    const own = byHash.get(trace.transactionHash)
    if (own === undefined)
      return invalid(block, `a trace belongs to transaction ${trace.transactionHash}, which is not in the block`)
    own.push(trace)
  }
  const hasOthers = traces.some(({ transactionHash }) => transactionHash != null)
  const rows: Array<TransactionRows> = []
  for (const transaction of block.transactions) {
    const own = byHash.get(transaction.hash)!.toSorted(byPath)
    if (own.length === 0 && hasOthers && !StateSync.isStateSync(transaction)) {
      rows.push(leftOut)
      continue
    }
    if (own[0]?.traceAddress.length !== 0 && !StateSync.isStateSync(transaction)) {
      return invalid(block, `transaction ${transaction.hash} has no trace`)
    }
    const repeated = repeatedPath(own)
    if (repeated !== null)
      return invalid(block, `transaction ${transaction.hash} has two traces with the trace address ${repeated}`)
    rows.push(rowsOfOne(block, transaction.hash, own, options))
  }
  return Result.succeed(rows)
}

/**
 * Derives rows from either shape; see `fromFrames` and `fromFlat`.
 */
export const fromTraces = (
  block: TracedBlock,
  traces: Traces,
  options: Options = {},
): Result.Result<Rows, InvalidBlock> => {
  switch (traces._tag) {
    case "Flat":
      return fromFlat(block, traces.traces, options)
    case "Frames":
      return fromFrames(block, traces.traces, options)
    case "Untraced":
      return Result.succeed(block.transactions.map(() => ({ reason: traces.reason })))
  }
}

/**
 * Derives the rows of one transaction from its own trace.
 *
 * **Errors**
 * - `InvalidBlock`: the trace belongs to another transaction or block.
 */
export const fromTransactionTrace = (
  block: Pick<TracedBlock, "number" | "hash">,
  transaction: TracedBlock["transactions"][number],
  trace: SingleTrace,
  options: Options = {},
): Result.Result<TransactionRows, InvalidBlock> => {
  const alone: TracedBlock = { number: block.number, hash: block.hash, transactions: [transaction] }
  const rows =
    trace._tag === "Frame"
      ? Result.succeed([rowsOfFrame(alone, transaction.hash, trace.frame, options)])
      : fromFlat(alone, trace.traces, options)
  // Sound: one transaction yields one item.
  return Result.map(rows, ([own]) => own!)
}
