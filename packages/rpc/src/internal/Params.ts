/** Turns what a program gives into what is sent, and says which parameter does not fit before anything is sent. */
import * as Issue from "@daybook/schema/Issue"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { InvalidParams } from "../RpcError.ts"
import { describe, firstProblem, issues } from "./problem.ts"

interface Slot {
  readonly isOptional: boolean
  readonly encode: (input: unknown) => Result.Result<unknown, Issue.Issue>
}

const strict = { onExcessProperty: "error" } as const

const thorough = { ...strict, errors: "all" } as const

/** Rewrites the integers of a value, at any depth, as hex quantities; drops keys that are undefined. */
const withHex = (input: unknown, numbersToo: boolean): unknown => {
  if (typeof input === "bigint") return input >= 0n ? `0x${input.toString(16)}` : input
  if (numbersToo && typeof input === "number" && Number.isSafeInteger(input) && input >= 0)
    return `0x${input.toString(16)}`
  if (Array.isArray(input)) return input.map((item) => withHex(item, numbersToo))
  if (typeof input !== "object" || input === null) return input
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, withHex(value, numbersToo)]))
}

/** What is wrong with a value that is neither the program's nor the wire's: the first place that fits in neither way. */
const neither = (schema: Schema.Codec<unknown, unknown>, input: unknown): Issue.Issue => {
  const of = (result: Result.Result<unknown, SchemaIssue.Issue>): ReadonlyArray<Issue.Issue> =>
    Result.isFailure(result) ? issues(result.failure, input, describe) : []
  const written = of(SchemaParser.encodeUnknownResult(schema, thorough)(input))
  const read = of(SchemaParser.decodeUnknownResult(schema, thorough)(withHex(input, true)))
  const both = written.find(({ path }) => read.some((other) => other.path === path))
  // Sound: each way has refused the value, so each has a problem.
  return (both ?? read[0] ?? written[0])!
}

const slotOf = (schema: Schema.Codec<unknown, unknown>): Slot => {
  const encode = SchemaParser.encodeUnknownResult(schema, strict)
  const decode = SchemaParser.decodeUnknownResult(schema, strict)
  return {
    isOptional: SchemaAST.isOptional(schema.ast),
    encode: (input) => {
      const direct = encode(input)
      if (Result.isSuccess(direct)) return Result.succeed(direct.success)
      for (const numbersToo of [false, true]) {
        const read = decode(withHex(input, numbersToo))
        if (Result.isSuccess(read)) {
          return Result.mapError(encode(read.success), (issue) => firstProblem(issue, input, describe))
        }
      }
      return Result.fail(neither(schema, input))
    },
  }
}

const known = new Map<RpcMethod.Name, ReadonlyArray<Slot>>()

const slotsOf = (name: RpcMethod.Name): ReadonlyArray<Slot> => {
  const made = known.get(name)
  if (made !== undefined) return made
  const elements: ReadonlyArray<Schema.Codec<unknown, unknown>> = RpcMethod.all[name].params.elements
  const slots = elements.map(slotOf)
  known.set(name, slots)
  return slots
}

/** True for a parameter that says which block, as nodes read it. */
const isBlock = (slot: Slot | undefined): boolean => slot !== undefined && Result.isSuccess(slot.encode("latest"))

const count = (slots: ReadonlyArray<Slot>, least: number): string => {
  if (slots.length === 0) return "none"
  return least === slots.length ? `${least}` : `${least} to ${slots.length}`
}

/** The wire form of the parameters of a method; the hydrated flag, where left out, is false. */
export const encodeParams = (
  name: RpcMethod.Name,
  given: ReadonlyArray<unknown>,
): Result.Result<ReadonlyArray<unknown>, InvalidParams> => {
  if (!RpcMethod.isName(name)) {
    const expected = `one of ${Object.keys(RpcMethod.all).join(", ")}; use "request" for any other`
    return Result.fail(new InvalidParams({ method: String(name), received: "a name that is not known", expected }))
  }
  if (!Array.isArray(given)) {
    const received = `parameters of another kind: ${describe(given)}`
    return Result.fail(new InvalidParams({ method: name, received, expected: "a list of parameters" }))
  }
  const slots = slotsOf(name)
  const params: Array<unknown> = [...given]
  while (params.length > 0 && params.at(-1) === undefined) params.pop()
  const hasFlag = "hydrated" in RpcMethod.all[name]
  if (hasFlag && params.length === slots.length - 1) params.push(false)
  const least = slots.findLastIndex((slot) => !slot.isOptional) + (hasFlag ? 0 : 1)
  if (params.length < least || params.length > slots.length) {
    const received = `${params.length} ${params.length === 1 ? "parameter" : "parameters"}`
    const lacksBlock = params.length === least - 1 && isBlock(slots[least - 1])
    const before = params.length === 0 ? "" : "after what was given "
    const hint = lacksBlock ? `: ${before}a block, such as "latest"` : ""
    return Result.fail(new InvalidParams({ method: name, received, expected: `${count(slots, least)}${hint}` }))
  }
  const wire: Array<unknown> = []
  for (const [position, slot] of slots.entries()) {
    if (position >= params.length) break
    const encoded = slot.encode(params[position])
    if (Result.isFailure(encoded)) {
      const issue = encoded.failure
      const received = `${issue.path === "" ? "" : `wrong at ${issue.path}: `}${issue.received}`
      return Result.fail(new InvalidParams({ method: name, position, received, expected: issue.expected }))
    }
    wire.push(encoded.success)
  }
  return Result.succeed(wire)
}

/** What a request may say. Wallets' libraries add members of their own; only where `params` is missing does one look like a misspelling. */
const requestKeys = new Set(["method", "params", "checked", "id", "jsonrpc"])

/** A request as EIP-1193 has it, alone or at a place of a batch; anything else is refused. */
export const requestOf = (
  given: unknown,
  place?: number,
): Result.Result<{ readonly method: string; readonly params: unknown; readonly checked: boolean }, InvalidParams> => {
  const isObject = typeof given === "object" && given !== null
  const stranger =
    isObject && !("params" in given) ? Object.keys(given).find((key) => !requestKeys.has(key)) : undefined
  if (
    stranger === undefined &&
    isObject &&
    "method" in given &&
    typeof given.method === "string" &&
    given.method !== ""
  ) {
    const params = "params" in given ? given.params : undefined
    return Result.succeed({ method: given.method, params, checked: "checked" in given && given.checked === true })
  }
  const received =
    stranger !== undefined
      ? `an object with ${Issue.cut(stranger)}, which is not known`
      : isObject
        ? "an object without the name of a method"
        : describe(given)
  const expected = `an object such as { method: "eth_chainId", params: [] }`
  const method = place === undefined ? "request" : "batch"
  return Result.fail(new InvalidParams({ method, position: place ?? 0, received, expected }))
}

/** What is wrong with a batch that is no list. */
export const notCalls = (given: unknown): InvalidParams =>
  new InvalidParams({
    method: "batch",
    position: 0,
    received: describe(given),
    expected: `a list of calls such as [{ method: "eth_chainId" }]`,
  })

/** The JSON of parameters that are sent as they are; bigints become hex quantities. */
export const rawParams = (method: string, params: unknown): Result.Result<unknown, InvalidParams> => {
  if (typeof method !== "string" || method === "") {
    const expected = `the name of a method such as "eth_chainId"`
    return Result.fail(new InvalidParams({ method: "requestText", position: 0, received: describe(method), expected }))
  }
  const given = params ?? []
  if (typeof given !== "object") {
    return Result.fail(
      new InvalidParams({
        method,
        received: `parameters of another kind: ${describe(given)}`,
        expected: "an array, or an object of named parameters",
      }),
    )
  }
  try {
    return Result.succeed(JSON.parse(JSON.stringify(withHex(given, false))))
  } catch (error) {
    const isLoop = error instanceof RangeError || (error instanceof TypeError && error.message.includes("circular"))
    const received = `parameters that are not JSON${isLoop ? ": a value that contains itself" : ""}`
    return Result.fail(new InvalidParams({ method, received, expected: "values that JSON can write" }))
  }
}
