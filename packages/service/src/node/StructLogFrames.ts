/**
 * Builds the call frames of a transaction from its struct logs, as the `callTracer` returns them. Pure.
 *
 * Source: geth debug API; decision 0037.
 */
import type { CallFrame } from "@daybook/schema/Trace"
import * as Result from "effect/Result"
import type * as Address from "@daybook/schema/Address"
import type * as Hex from "@daybook/schema/Hex"
import * as ContractAddress from "ox/ContractAddress"
import * as StructLog from "./StructLog.ts"
import type { Step, StructLogs } from "./StructLog.ts"
import * as StructLogCall from "./StructLogCall.ts"

/**
 * Input for the frame of a transaction, besides its steps.
 */
export interface Transaction {
  readonly from: string
  /** `null` for a creation. */
  readonly to: string | null
  readonly value: bigint
  readonly input: string
  readonly gasUsed: bigint
  /** The created contract; `null` for a call. */
  readonly contractAddress: string | null
  /** Gas for entries of the access list with their keys, and for authorizations, charged before the first step. */
  readonly accessGas?: bigint
}

/**
 * State of an account that the steps do not show: the balance moved by a selfdestruct, and the nonce that determines the address of a
 * failed creation.
 */
export interface AccountState {
  readonly kind: "balance" | "nonce"
  readonly address: string
}

/**
 * State of an account before the transaction.
 */
export type StateBefore = (state: AccountState) => bigint

/** A frame under construction. */
interface Draft {
  readonly type: string
  /** Called address; `null` for a creation until it ends. */
  to: string | null
  readonly value: bigint | null
  readonly input: string
  readonly salt: bigint | null
  gas: bigint
  gasUsed: bigint
  output: string
  error: string | null
  /** Address of the contract under construction, if one of its own steps shows it. */
  shownSelf: string | null
  /** Whether it ran no code because of insufficient balance or call depth. */
  isRefused: boolean
  readonly calls: Array<Draft>
}

/** A frame whose steps are being read. */
interface Open {
  readonly draft: Draft
  last: Step
  lastAt: number
}

const isCreation = (type: string): boolean => type === "CREATE" || type === "CREATE2"

const draftOf = (call: Pick<Draft, "type" | "to" | "value" | "input" | "salt">): Draft => ({
  type: call.type,
  to: call.to,
  value: call.value,
  input: call.input,
  salt: call.salt,
  gas: 0n,
  gasUsed: 0n,
  output: "0x",
  error: null,
  shownSelf: null,
  isRefused: false,
  calls: [],
})

const depositGas = 200n
const maxCodeBytes = 24_576

const changesState = /^(SSTORE|TSTORE|LOG\d|CREATE2?|SELFDESTRUCT|CALL)$/

/** Why code could not be deployed. */
const deployError = (code: string): string => {
  if (/^0xef/i.test(code)) return "invalid code: must not begin with 0xef"
  return (code.length - 2) / 2 > maxCodeBytes ? "max code size exceeded" : "contract creation code storage out of gas"
}

/** Why a frame failed, judging by its last step, if the node does not report it. */
const causeOf = (last: Step, type: string): string => {
  if (last.op === "RETURN" && isCreation(type)) return deployError(returned(last))
  if (/^(INVALID|opcode|UNKNOWN|0x)/i.test(last.op)) return "invalid opcode"
  if (last.error !== null) return last.error
  if (last.gasCost > last.gas) return "out of gas"
  if (last.op === "JUMP" || last.op === "JUMPI") return "invalid jump destination"
  if (last.op === "RETURNDATACOPY") return "return data out of bounds"
  return changesState.test(last.op) && last.gasCost === 0n ? "write protection" : "out of gas"
}

const returned = (last: Step): string =>
  last.op === "RETURN" || last.op === "REVERT"
    ? (StructLog.bytesAt(last, StructLog.wordAt(last, 0), StructLog.wordAt(last, 1)) ?? "0x")
    : "0x"

/** Gas of the last step of a frame; only for SELFDESTRUCT it does not follow from the step itself. */
const lastCost = (last: Step): bigint => {
  if (last.op === "STOP") return 0n
  if (last.op !== "RETURN" && last.op !== "REVERT") return last.gasCost
  return StructLog.expansionGas(last, [[StructLog.wordAt(last, 0), StructLog.wordAt(last, 1)]])
}

/** Completes a frame that has steps with its outcome. */
const end = ({ draft, last }: Open, isSuccess: boolean): void => {
  const used = draft.gas - (last.gas - lastCost(last))
  if (!isSuccess && last.op !== "REVERT") {
    draft.gasUsed = draft.gas
    draft.error = causeOf(last, draft.type)
    return
  }
  draft.output = returned(last)
  draft.error = isSuccess ? null : "execution reverted"
  const deposit = isSuccess && isCreation(draft.type) ? depositGas * BigInt((draft.output.length - 2) / 2) : 0n
  draft.gasUsed = used + deposit
}

/** True if the last step of a frame ends it without a failure. */
const isEnded = ({ error, op }: Step): boolean => error === null && /^(STOP|RETURN|SELFDESTRUCT)$/.test(op)

/** Closes the frames above a depth; `next` is the caller's next step. */
const leave = (open: Array<Open>, count: number, next: Step | undefined): void => {
  while (open.length > count) {
    const frame = open.pop()!
    const isOfCaller = open.length === count && next !== undefined
    const isSuccess = isOfCaller ? StructLog.wordAt(next, 0) !== 0n : isEnded(frame.last)
    end(frame, isSuccess)
    if (isOfCaller && isSuccess && isCreation(frame.draft.type)) frame.draft.to = StructLog.addressAt(next, 0)
  }
}

/** Opens the frame of a call whose first step is at an index. */
const enter = (open: Array<Open>, draft: Draft, steps: ReadonlyArray<Step>, at: number): void => {
  const step = steps[at]!
  draft.gas = step.gas
  open.at(-1)?.draft.calls.push(draft)
  open.push({ draft, last: step, lastAt: at })
}

/** Adds the frame of a call that ran no code: an account without code, a precompiled contract, or a rejected call. */
const skipPrecompile = (
  open: ReadonlyArray<Open>,
  call: StructLogCall.Call,
  steps: ReadonlyArray<Step>,
  at: number,
): void => {
  const above = open.at(-1)!
  const outcome = StructLogCall.outcome(call, steps, { at: above.lastAt, nextAt: at, depth: open.length })
  const draft: Draft = { ...draftOf(call), ...outcome, isRefused: outcome.error !== null }
  if (isCreation(call.type) && !draft.isRefused) draft.to = StructLog.addressAt(steps[at]!, 0)
  above.draft.calls.push(draft)
}

/**
 * Reads the steps into the frame of the transaction. Effect of a step on the open frames:
 *
 * | previous step | its level | then |
 * |---|---|---|
 * | none | any | the frame of the transaction opens |
 * | a call | above the open frames | the frame of the call opens |
 * | a call | the caller's | the call ran no code |
 * | any other | the same or below | the frames above its level are closed |
 */
const build = (root: Draft, steps: ReadonlyArray<Step>): ReadonlyArray<Open> => {
  const base = steps[0]?.depth ?? 1
  const open: Array<Open> = []
  for (const [at, step] of steps.entries()) {
    const level = step.depth - base
    const above = open.at(-1)
    const call = above === undefined || above.lastAt !== at - 1 ? null : StructLogCall.fromStep(above.last)
    if (above === undefined) enter(open, root, steps, at)
    else if (call !== null && level >= open.length) enter(open, draftOf(call), steps, at)
    else if (call !== null && level === open.length - 1) skipPrecompile(open, call, steps, at)
    else leave(open, level + 1, step)
    const current = open.at(-1)!
    if (current.last.op === "ADDRESS" && current.lastAt === at - 1)
      current.draft.shownSelf = StructLog.addressAt(step, 0)
    if (step.op === "SELFDESTRUCT") destroy(current.draft, step)
    current.last = step
    current.lastAt = at
  }
  return open
}

/** A selfdestruct is a frame below the one that it ends; its value is filled in later. */
const destroy = (draft: Draft, step: Step): void => {
  if (step.error !== null || step.gasCost > step.gas) return
  const to = StructLog.addressAt(step, 0)
  draft.calls.push(draftOf({ type: "SELFDESTRUCT", to, value: null, input: "0x", salt: null }))
}

/** Changes of account state, in transaction order, so that those of a failed frame can be reverted. */
type Journal = Array<readonly [state: AccountState, change: bigint]>

/** What frames are made with. */
interface Context {
  readonly before: StateBefore
  readonly journal: Journal
}

const now = ({ before, journal }: Context, state: AccountState): bigint =>
  journal.reduce(
    (sum, [changed, change]) => (changed.kind === state.kind && changed.address === state.address ? sum + change : sum),
    before(state),
  )

const change = ({ journal }: Context, kind: AccountState["kind"], address: string, by: bigint): void => {
  journal.push([{ kind, address }, by])
}

const move = (context: Context, from: string, to: string, value: bigint): void => {
  if (value === 0n) return
  change(context, "balance", from, -value)
  change(context, "balance", to, value)
}

/** Address of the contract that a creation created or would have created. */
const createdAddress = ({ input, salt, shownSelf, to }: Draft, creator: string, context: Context): string => {
  const known = to ?? shownSelf
  if (known !== null) return known
  const from = creator as Address.Address
  if (salt === null)
    return ContractAddress.fromCreate({ from, nonce: now(context, { kind: "nonce", address: creator }) })
  const hexSalt = `0x${salt.toString(16).padStart(64, "0")}` as const
  return ContractAddress.fromCreate2({ from, bytecode: input as Hex.Hex, salt: hexSalt })
}

/** Address of the account in whose context a frame runs. */
const selfOf = (draft: Draft, caller: string, context: Context): string => {
  if (draft.type === "DELEGATECALL" || draft.type === "CALLCODE") return caller
  if (!isCreation(draft.type)) return draft.to ?? caller
  // A failed frame without calls needs no address.
  return draft.error !== null && draft.calls.length === 0 ? caller : createdAddress(draft, caller, context)
}

/** Frame of a selfdestruct, with the account's balance at this point. */
const destruction = (draft: Draft, self: string, context: Context): CallFrame => {
  const value = now(context, { kind: "balance", address: self })
  if (draft.to !== self) move(context, self, draft.to ?? self, value)
  const [from, to, none] = [self as Address.Address, draft.to as Address.Address, "0x" as Hex.Hex]
  return { type: draft.type, from, to, value, gas: 0n, gasUsed: 0n, input: none, output: none }
}

/** Frame of a draft; changes by a failed frame and its descendants are reverted. */
const frameOf = (draft: Draft, caller: string, callerValue: bigint, context: Context): CallFrame => {
  if (draft.type === "SELFDESTRUCT") return destruction(draft, caller, context)
  const { error, gas, gasUsed, input, output, type } = draft
  const self = selfOf(draft, caller, context)
  const value = draft.value ?? (type === "DELEGATECALL" ? callerValue : 0n)
  // A creation uses a nonce of its creator even if it fails, unless it was rejected.
  if (isCreation(type) && !draft.isRefused) change(context, "nonce", caller, 1n)
  const length = context.journal.length
  if (isCreation(type)) change(context, "nonce", self, 1n)
  if (type !== "DELEGATECALL") move(context, caller, self, value)
  const calls = draft.calls.map((call) => frameOf(call, self, value, context))
  if (error !== null) context.journal.length = length
  const frame: { -readonly [K in keyof CallFrame]: CallFrame[K] } = {
    type,
    from: caller as Address.Address,
    gas,
    gasUsed,
    input: input as Hex.Hex,
    output: output as Hex.Hex,
  }
  if (draft.to !== null) frame.to = draft.to as Address.Address
  if (type !== "STATICCALL") frame.value = value
  if (error !== null) frame.error = error
  if (calls.length > 0) frame.calls = calls
  return frame
}

/** Non-zero bytes cost 16 gas, zero bytes 4; minimum gas of a transaction. Source: EIP-2028, 7623. */
const intrinsicGas = 21_000n

/** True if a transaction must have run code, so that missing steps mean that the node did not record them. */
const ranCode = ({ accessGas = 0n, gasUsed, input, to }: Transaction): boolean => {
  const bytes = input.slice(2).match(/../g) ?? []
  const zeros = bytes.filter((byte) => byte === "00").length
  if (to === null) return bytes.length > 0
  if (StructLogCall.isPrecompile(to)) return false
  // The floor of EIP-7623 exceeds the regular cost of input.
  return gasUsed > intrinsicGas + accessGas + 40n * BigInt(bytes.length - zeros) + 10n * BigInt(zeros)
}

/** A transaction's frame, and what it changed. */
interface Frames {
  readonly root: CallFrame
  readonly changes: Journal
}

const ofTransaction = (
  { logs: { failed, steps }, transaction }: Traced,
  before: StateBefore,
): Result.Result<Frames, string> => {
  const { contractAddress, from, input, to, value } = transaction
  if (steps.length === 0 && ranCode(transaction)) return Result.fail("the node recorded no steps")
  const draft = draftOf({ type: to === null ? "CREATE" : "CALL", to: to ?? contractAddress, value, input, salt: null })
  const open = build(draft, steps)
  leave([...open], 1, undefined)
  const [root] = open
  if (root !== undefined) end(root, failed === null ? isEnded(root.last) : !failed)
  else if (failed === true) draft.error = "execution reverted"
  const journal: Journal = []
  return Result.succeed({ root: frameOf(draft, from, value, { before, journal }), changes: journal })
}

/**
 * A transaction with its struct logs.
 */
export interface Traced {
  readonly transaction: Transaction
  readonly logs: StructLogs
}

const keyOf = ({ address, kind }: AccountState): string => `${kind} ${address}`

/**
 * Builds the frames of a block's transactions, in order.
 *
 * **Details** The steps show neither the balance moved by a selfdestruct nor the address of a contract whose creation failed. Both follow
 * from the state before the block and the changes since. The gas of a transaction's own frame is that of its first step.
 *
 * **Gotchas**
 * - The output of a precompiled contract is what its caller copied from it.
 *
 * **Errors**
 * - Text: the node recorded no steps of a transaction that must have run code.
 */
export const ofBlock = (
  traced: ReadonlyArray<Traced>,
  /** State before the block. */
  before: StateBefore,
): Result.Result<ReadonlyArray<CallFrame>, string> => {
  const changed = new Map<string, bigint>()
  const frames: Array<CallFrame> = []
  for (const [index, one] of traced.entries()) {
    const found = ofTransaction(one, (state) => before(state) + (changed.get(keyOf(state)) ?? 0n))
    if (Result.isFailure(found)) return Result.fail(`transaction ${index}: ${found.failure}`)
    for (const [state, by] of found.success.changes) changed.set(keyOf(state), (changed.get(keyOf(state)) ?? 0n) + by)
    frames.push(found.success.root)
  }
  return Result.succeed(frames)
}

/**
 * State before the block that the frames need: of selfdestructed accounts, and of creators of contracts whose creation failed.
 */
export const stateNeeded = (traced: ReadonlyArray<Traced>): ReadonlyArray<AccountState> => {
  const asked = new Map<string, AccountState>()
  ofBlock(traced, (state) => {
    asked.set(keyOf(state), state)
    return 0n
  })
  return [...asked.values()]
}
