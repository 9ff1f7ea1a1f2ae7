/**
 * Struct logs: the steps of a transaction as `debug_traceTransaction` returns them without a tracer. Nodes without a call tracer, such as
 * hardhat, offer nothing else. Reads stack, memory and gas of a step; `StructLogFrames` builds the call frames. Pure.
 *
 * Source: geth debug API.
 */
import * as Result from "effect/Result"

/**
 * One step: the state before an instruction.
 */
export interface Step {
  readonly op: string
  /** Depth of calls. */
  readonly depth: number
  /** Gas left before the instruction. */
  readonly gas: bigint
  /** Gas cost of the instruction, including gas given to a call. */
  readonly gasCost: bigint
  /** Words in hex, the top last. */
  readonly stack: ReadonlyArray<string>
  /** Memory in words of 32 bytes, in hex. */
  readonly memory: ReadonlyArray<string>
  /** Failure of the instruction; `null` if it did not fail or the node does not report it. */
  readonly error: string | null
}

/**
 * The steps of a transaction.
 */
export interface StructLogs {
  /** `null` if the node does not report it; the last step then shows it. */
  readonly failed: boolean | null
  /** Gas used by the transaction; some nodes report the block's cumulative gas instead. */
  readonly gas: bigint
  readonly steps: ReadonlyArray<Step>
}

/**
 * Options with which every node returns what the frames need; geth omits the memory by default.
 */
export const options = { disableStorage: true, disableStack: false, disableMemory: false, enableMemory: true } as const

type Wire = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Wire => typeof value === "object" && value !== null && !Array.isArray(value)

const integerOf = (value: unknown): bigint | null => {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null
  return typeof value === "string" && /^(0x[0-9a-f]+|[0-9]+)$/i.test(value) ? BigInt(value) : null
}

/** Some nodes subtract the caller's gas from that of the last step of a call. */
const costOf = (value: unknown): bigint | null => (typeof value === "number" && value < 0 ? 0n : integerOf(value ?? 0))

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string" && /^(0x)?[0-9a-f]*$/i.test(item))

const textOf = (error: unknown): string | null => {
  if (error == null || error === "") return null
  if (isRecord(error) && typeof error["message"] === "string") return error["message"]
  if (typeof error !== "string") return JSON.stringify(error)
  // Nodes written in Rust report the cause as an enum variant: Some(OutOfGas).
  const variant = /^(?:Some\()?([A-Z][a-z]\w+)\)?$/.exec(error)?.[1]
  return variant === undefined ? error : variant.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
}

const stepOf = (wire: unknown): Step | null => {
  if (!isRecord(wire)) return null
  const { depth, error, memory, op, stack } = wire
  const [gas, gasCost] = [integerOf(wire["gas"]), costOf(wire["gasCost"])]
  if (typeof op !== "string" || typeof depth !== "number" || gas === null || gasCost === null) return null
  if (!isTexts(stack) || (memory != null && !isTexts(memory))) return null
  return { op, depth, gas, gasCost, stack, memory: memory ?? [], error: textOf(error) }
}

/**
 * Reads the result of `debug_traceTransaction`. The failure names what was expected.
 */
export const parse = (result: unknown): Result.Result<StructLogs, string> => {
  if (!isRecord(result)) return Result.fail("struct logs")
  const { failed = null, structLogs } = result
  const gas = integerOf(result["gas"])
  if ((failed !== null && typeof failed !== "boolean") || gas === null || !Array.isArray(structLogs)) {
    return Result.fail("gas and structLogs")
  }
  const steps: Array<Step> = []
  for (const [index, wire] of structLogs.entries()) {
    const step = stepOf(wire)
    if (step === null) return Result.fail(`a step with op, depth, gas and stack at structLogs[${index}]`)
    steps.push(step)
  }
  return Result.succeed({ failed, gas, steps })
}

/**
 * Word of the stack, 0 being the top; 0 if the stack is too short.
 */
export const wordAt = ({ stack }: Step, fromTop: number): bigint => {
  const text = stack[stack.length - 1 - fromTop] ?? ""
  const digits = text.startsWith("0x") ? text.slice(2) : text
  return digits === "" ? 0n : BigInt(`0x${digits}`)
}

/**
 * Address in a word of the stack.
 */
export const addressAt = (step: Step, fromTop: number): string =>
  `0x${(wordAt(step, fromTop) & ((1n << 160n) - 1n)).toString(16).padStart(40, "0")}`

const wordBytes = 32

/** More memory than any gas limit pays for. */
const maxBytes = 1n << 26n

/**
 * Bytes of the memory, zero-padded; `null` if no transaction could pay for that much.
 */
export const bytesAt = ({ memory }: Step, offset: bigint, size: bigint): string | null => {
  if (size === 0n) return "0x"
  if (size > maxBytes || offset > maxBytes) return null
  const [from, length] = [Number(offset), Number(size)]
  const first = Math.floor(from / wordBytes)
  const last = Math.ceil((from + length) / wordBytes)
  const words = memory.slice(first, last).map((word) => (word.startsWith("0x") ? word.slice(2) : word))
  const start = (from - first * wordBytes) * 2
  return `0x${words
    .join("")
    .slice(start, start + length * 2)
    .padEnd(length * 2, "0")}`.toLowerCase()
}

const memoryGas = (words: bigint): bigint => 3n * words + (words * words) / 512n

/**
 * Gas to expand the memory of a step so that it holds these ranges.
 */
export const expansionGas = (
  { memory }: Step,
  ranges: ReadonlyArray<readonly [offset: bigint, size: bigint]>,
): bigint => {
  const now = BigInt(memory.length)
  const needed = ranges.reduce((most, [offset, size]) => {
    const words = size === 0n ? 0n : (offset + size + 31n) / 32n
    return words > most ? words : most
  }, now)
  return memoryGas(needed) - memoryGas(now)
}
