/**
 * Calls and creations in struct logs: what an instruction requests, and the gas, output and error of a call without steps of its own. Such
 * a call ran no contract code (an account without code, a precompiled contract, or a rejected call). Pure.
 *
 * Source: Ethereum yellow paper, appendix H; EIP-150, 2929.
 */
import * as StructLog from "./StructLog.ts"
import type { Step } from "./StructLog.ts"

/**
 * What an instruction requests.
 */
export interface Call {
  readonly type: "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2"
  /** Called address; `null` for a creation. */
  readonly to: string | null
  /** Value in wei; `null` if the instruction has none. */
  readonly value: bigint | null
  /** Call data or init code. */
  readonly input: string
  /** Gas operand of the instruction; `null` for a creation, which gets all available gas. */
  readonly requested: bigint | null
  /** Memory ranges that the instruction touches. */
  readonly ranges: ReadonlyArray<readonly [offset: bigint, size: bigint]>
  /** Salt of CREATE2. */
  readonly salt: bigint | null
}

const callTypes: ReadonlyMap<string, { readonly type: Call["type"]; readonly hasValue: boolean }> = new Map([
  ["CALL", { type: "CALL", hasValue: true }],
  ["CALLCODE", { type: "CALLCODE", hasValue: true }],
  ["DELEGATECALL", { type: "DELEGATECALL", hasValue: false }],
  ["STATICCALL", { type: "STATICCALL", hasValue: false }],
])

const creationOf = (step: Step): Call => {
  const [value, offset, size] = [0, 1, 2].map((at) => StructLog.wordAt(step, at)) as [bigint, bigint, bigint]
  const isSalted = step.op === "CREATE2"
  return {
    type: isSalted ? "CREATE2" : "CREATE",
    to: null,
    value,
    input: StructLog.bytesAt(step, offset, size) ?? "0x",
    requested: null,
    ranges: [[offset, size]],
    salt: isSalted ? StructLog.wordAt(step, 3) : null,
  }
}

/**
 * The call of a step; `null` for any other instruction.
 */
export const fromStep = (step: Step): Call | null => {
  if (step.op === "CREATE" || step.op === "CREATE2") return creationOf(step)
  const found = callTypes.get(step.op)
  if (found === undefined) return null
  const from = found.hasValue ? 3 : 2
  const [inOffset, inSize, outOffset, outSize] = [0, 1, 2, 3].map((at) => StructLog.wordAt(step, from + at)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  return {
    type: found.type,
    to: StructLog.addressAt(step, 1),
    value: found.hasValue ? StructLog.wordAt(step, 2) : null,
    input: StructLog.bytesAt(step, inOffset, inSize) ?? "0x",
    requested: StructLog.wordAt(step, 0),
    ranges: [
      [inOffset, inSize],
      [outOffset, outSize],
    ],
    salt: null,
  }
}

/**
 * Outcome of a call without steps.
 */
export interface Outcome {
  readonly gas: bigint
  readonly gasUsed: bigint
  readonly output: string
  readonly error: string | null
}

const stipend = 2_300n

/** Gas to access the called account, by fork: EIP-2929 warm and cold, EIP-150, earlier. */
const accessGas: ReadonlyArray<bigint> = [100n, 2_600n, 700n, 40n]

/** Additional gas for a value: 9,000 for the transfer, and 25,000 for a new account. */
const transferGas: ReadonlyArray<bigint> = [0n, 9_000n, 34_000n]

/** At most all but a 64th of the gas may be given to a call. Source: EIP-150. */
const allButOne64th = (available: bigint): bigint => available - available / 64n

/** Gas of a call, including what it used. */
interface Gas {
  readonly gas: bigint
  readonly gasUsed: bigint
}

/** Possible gas costs of an instruction itself; they depend on state that the steps do not show. */
const baseGas = (step: Step, call: Call): ReadonlyArray<bigint> => {
  const memory = StructLog.expansionGas(step, call.ranges)
  return accessGas.flatMap((access) => transferGas.map((transfer) => memory + access + transfer))
}

/** Gas given to a call: as requested, or all that is available. */
const givenGas = (step: Step, { requested }: Call, base: bigint): bigint => {
  const available = allButOne64th(step.gas - base)
  return requested !== null && requested < available ? requested : available
}

/**
 * Gas of a call whose unused gas was returned: the instruction cost that explains the cost of the step. If a node's step cost only includes
 * what the call used, nothing appears to be returned.
 */
const gasOf = (step: Step, call: Call, returned: bigint): Gas => {
  const bonus = call.value === null || call.value === 0n ? 0n : stipend
  const bases = baseGas(step, call).filter((base) => base <= step.gas)
  const base = bases.find((one) => {
    const given = givenGas(step, call, one)
    return one + given === step.gasCost && given + bonus >= returned
  })
  if (base !== undefined) {
    const gas = givenGas(step, call, base) + bonus
    return { gas, gasUsed: gas - returned }
  }
  const net = bases.find((one) => {
    const used = step.gasCost - one + bonus
    return isPrecompile(call.to) ? used >= 0n : used === 0n
  })
  if (returned > 0n || net === undefined) return { gas: returned, gasUsed: 0n }
  return { gas: givenGas(step, call, net) + bonus, gasUsed: step.gasCost - net + bonus }
}

const maxDepth = 1024

/**
 * True for the precompiled contracts of Ethereum, with P256VERIFY. Source: EIP-7951.
 */
export const isPrecompile = (address: string | null): boolean => {
  const number = address === null ? 0n : BigInt(address)
  return (number > 0n && number <= 0x11n) || number === 0x100n
}

/** Gas of precompiled contracts with possibly invalid input, if it only depends on the input size. */
const precompileGas: ReadonlyMap<bigint, (inputBytes: number) => number> = new Map<
  bigint,
  (inputBytes: number) => number
>([
  [0x1n, () => 3_000],
  [0x2n, (bytes) => 60 + 12 * Math.ceil(bytes / 32)],
  [0x3n, (bytes) => 600 + 120 * Math.ceil(bytes / 32)],
  [0x4n, (bytes) => 15 + 3 * Math.ceil(bytes / 32)],
  [0x6n, () => 150],
  [0x7n, () => 6_000],
  [0x8n, (bytes) => 45_000 + 34_000 * Math.floor(bytes / 192)],
  [0xan, () => 50_000],
  [0xbn, () => 375],
  [0xdn, () => 600],
])

const modExp = 0x5n
const maxNumberBytes = 1n << 32n
const failed = "precompiled failed"

/** Sizes of base, exponent and modulus in the input of a modular exponentiation. Source: EIP-198. */
const sizesOf = (input: string): ReadonlyArray<bigint> =>
  [0, 64, 128].map((from) =>
    BigInt(
      `0x${input
        .slice(2)
        .padEnd(192, "0")
        .slice(from, from + 64)}`,
    ),
  )

/** Why a call without steps failed. */
const errorOf = ({ input, to, value }: Call, { depth }: Position, gas: bigint, gasUsed: bigint): string => {
  if (depth >= maxDepth) return "max call depth exceeded"
  if (!isPrecompile(to) || ((value ?? 0n) > 0n && gasUsed < gas)) return "insufficient balance for transfer"
  const address = BigInt(to ?? 0)
  // The gas of a modular exponentiation depends on its numbers, which are only invalid if they are too long.
  if (address === modExp) return sizesOf(input).some((size) => size >= maxNumberBytes) ? failed : "out of gas"
  const needed = precompileGas.get(address)?.((input.length - 2) / 2) ?? 0
  return Number(gas) < needed ? "out of gas" : failed
}

/** Size of the data returned by the last call, if a later step reads it before the next call. */
const returnedSize = (steps: ReadonlyArray<Step>, from: number): bigint | null => {
  const depth = steps[from]?.depth
  for (let at = from; at + 1 < steps.length && steps[at]!.depth === depth; at++) {
    const step = steps[at]!
    if (fromStep(step) !== null) return null
    if (step.op === "RETURNDATASIZE" && steps[at + 1]!.depth === depth) return StructLog.wordAt(steps[at + 1]!, 0)
  }
  return null
}

/** Number of bytes that a precompiled contract returns, if its address determines it. */
const outputSizes: ReadonlyMap<bigint, bigint> = new Map(
  [
    [0x1n, 32n],
    [0x2n, 32n],
    [0x3n, 32n],
    [0x6n, 64n],
    [0x7n, 64n],
    [0x8n, 32n],
    [0x9n, 64n],
    [0xan, 64n],
    [0xbn, 128n],
    [0xcn, 128n],
    [0xdn, 256n],
    [0xen, 256n],
    [0xfn, 32n],
    [0x10n, 128n],
    [0x11n, 256n],
    [0x100n, 32n],
  ].map(([address, size]) => [address!, size!]),
)

/** Precompiled contracts that return nothing for an invalid signature. */
const mayReturnNothing: ReadonlySet<bigint> = new Set([0x1n, 0x100n])

/** Output of a precompiled contract: its input for the identity contract, otherwise what the caller copied from it. */
const outputOf = (call: Call, steps: ReadonlyArray<Step>, { at, nextAt }: Position): string => {
  if (!isPrecompile(call.to)) return "0x"
  const address = BigInt(call.to ?? 0)
  if (address === 4n) return call.input
  const [, [offset, room] = [0n, 0n]] = call.ranges
  const ofInput = address === modExp ? sizesOf(call.input)[2] : undefined
  const known = returnedSize(steps, nextAt) ?? ofInput ?? null
  const size = known ?? outputSizes.get(address) ?? room
  const copied = StructLog.bytesAt(steps[nextAt]!, offset, size < room ? size : room) ?? "0x"
  if (known !== null || !mayReturnNothing.has(address)) return copied
  return copied === StructLog.bytesAt(steps[at]!, offset, size < room ? size : room) ? "0x" : copied
}

/** Position of a call in the steps: its own step, the next step, and the depth of the frame that it would open. */
export interface Position {
  readonly at: number
  readonly nextAt: number
  readonly depth: number
}

/** Gas of a creation instruction itself. Source: EIP-1014, 3860. */
const creationGas = (step: Step, { input, ranges, type }: Call): bigint => {
  const words = BigInt(Math.ceil((input.length - 2) / 64))
  return 32_000n + StructLog.expansionGas(step, ranges) + words * (type === "CREATE2" ? 8n : 2n)
}

/** Outcome of a creation without init code, a rejected one, or one whose address is taken. */
const ofCreation = (step: Step, next: Step, call: Call, { depth }: Position, returned: bigint): Outcome => {
  const isSuccess = StructLog.wordAt(next, 0) !== 0n
  const available = step.gas - creationGas(step, call)
  const isTaken = !isSuccess && available > 0n && next.gas === available / 64n
  if (isTaken) {
    const gas = allButOne64th(available)
    return { gas, gasUsed: gas, output: "0x", error: "contract address collision" }
  }
  // Only some nodes include the given gas in the cost of the step.
  const gas = returned === 0n ? allButOne64th(next.gas) : returned
  const refusal = depth >= maxDepth ? "max call depth exceeded" : "insufficient balance for transfer"
  return { gas, gasUsed: 0n, output: "0x", error: isSuccess ? null : refusal }
}

/**
 * Outcome of a call without steps.
 */
export const outcome = (call: Call, steps: ReadonlyArray<Step>, position: Position): Outcome => {
  const [step, next] = [steps[position.at]!, steps[position.nextAt]!]
  const unused = next.gas - (step.gas - step.gasCost)
  const returned = unused > 0n ? unused : 0n
  if (call.to === null) return ofCreation(step, next, call, position, returned)
  const { gas, gasUsed } = gasOf(step, call, returned)
  return StructLog.wordAt(next, 0) === 0n
    ? { gas, gasUsed, output: "0x", error: errorOf(call, position, gas, gasUsed) }
    : { gas, gasUsed, output: outputOf(call, steps, position), error: null }
}
