/** Encodes the parameters of a call for the wire, and reports the first invalid one before anything is sent. */
import * as Issue from "@daybook/schema/Issue"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { InvalidParams } from "../RpcError.ts"

interface Slot {
  readonly name: string
  readonly isOptional: boolean
  readonly encode: (input: unknown) => Result.Result<unknown, Issue.Issue>
}

const strict = { onExcessProperty: "error" } as const

const thorough = { ...strict, errors: "all" } as const

/** Describes a value of the caller. Numbers beyond the safe integers have already lost digits. */
const describe = (value: unknown): string => {
  const isInexact = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
  return `${Issue.describe(value)}${isInexact ? " (inexact: use a bigint)" : ""}`
}

const issuesOf = (error: SchemaIssue.Issue, input: unknown): ReadonlyArray<Issue.Issue> =>
  Issue.fromError(error, input, describe)

/** Replaces integers in a value, at any depth, by hex quantities; drops keys that are undefined. */
export const withHex = (input: unknown, withNumbers: boolean): unknown => {
  if (typeof input === "bigint") return input >= 0n ? `0x${input.toString(16)}` : input
  if (withNumbers && typeof input === "number" && Number.isSafeInteger(input) && input >= 0)
    return `0x${input.toString(16)}`
  if (Array.isArray(input)) return input.map((item) => withHex(item, withNumbers))
  if (typeof input !== "object" || input === null) return input
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, withHex(value, withNumbers)]))
}

/** Issue of a value that is valid neither in decoded nor in wire form: the first path that is invalid in both. */
const issueOfNeither = (schema: Schema.Codec<unknown, unknown>, input: unknown): Issue.Issue => {
  const of = (result: Result.Result<unknown, SchemaIssue.Issue>): ReadonlyArray<Issue.Issue> =>
    Result.isFailure(result) ? issuesOf(result.failure, input) : []
  const decoded = of(SchemaParser.encodeUnknownResult(schema, thorough)(input))
  const wire = of(SchemaParser.decodeUnknownResult(schema, thorough)(withHex(input, true)))
  const both = decoded.find(({ path }) => wire.some((other) => other.path === path))
  // Sound: both forms were rejected, so each has an issue.
  return (both ?? wire[0] ?? decoded[0])!
}

const slotOf = (name: string, schema: Schema.Codec<unknown, unknown>): Slot => {
  const encode = SchemaParser.encodeUnknownResult(schema, strict)
  const decode = SchemaParser.decodeUnknownResult(schema, strict)
  return {
    name,
    isOptional: SchemaAST.isOptional(schema.ast),
    encode: (input) => {
      const direct = encode(input)
      if (Result.isSuccess(direct)) return Result.succeed(direct.success)
      for (const withNumbers of [false, true]) {
        const decoded = decode(withHex(input, withNumbers))
        // Sound: a schema error has at least one issue.
        if (Result.isSuccess(decoded)) return Result.mapError(encode(decoded.success), (e) => issuesOf(e, input)[0]!)
      }
      return Result.fail(issueOfNeither(schema, input))
    },
  }
}

const known = new Map<RpcMethod.Name, ReadonlyArray<Slot>>()

const slotsOf = (name: RpcMethod.Name): ReadonlyArray<Slot> => {
  const made = known.get(name)
  if (made !== undefined) return made
  const { params, paramNames } = RpcMethod.all[name]
  const elements: ReadonlyArray<Schema.Codec<unknown, unknown>> = params.elements
  const slots = elements.map((schema, at) => slotOf(paramNames[at] ?? `[${at}]`, schema))
  known.set(name, slots)
  return slots
}

const takesTag = (slot: Slot): boolean => Result.isSuccess(slot.encode("latest"))

/** Number and names of the parameters of a method, as in `2 parameters: address, block such as "latest"`. */
const signatureOf = (slots: ReadonlyArray<Slot>, least: number): string => {
  if (slots.length === 0) return "no parameters"
  const count = least === slots.length ? `${least}` : `${least} to ${slots.length}`
  const names = slots.map((slot) => (takesTag(slot) ? `${slot.name} such as "latest"` : slot.name))
  return `${count} ${slots.length === 1 ? "parameter" : "parameters"}: ${names.join(", ")}`
}

const invalid = (method: string, received: string, expected: string): Result.Result<never, InvalidParams> =>
  Result.fail(new InvalidParams({ method, received, expected }))

/** Values for parameters omitted before later ones: the latest block, and no override. */
const absent: Readonly<Record<string, unknown>> = { block: "latest", overrides: {} }

const orAbsent = (slot: Slot | undefined, param: unknown): unknown =>
  param === undefined && slot?.isOptional === true ? absent[slot.name] : param

/** Adds the default of a missing parameter and removes trailing `undefined`s, if the number of parameters is valid. */
const complete = (
  name: RpcMethod.Name,
  slots: ReadonlyArray<Slot>,
  given: ReadonlyArray<unknown>,
): Result.Result<ReadonlyArray<unknown>, InvalidParams> => {
  const params: Array<unknown> = [...given]
  while (params.length > 0 && params.at(-1) === undefined) params.pop()
  const { defaultParam } = RpcMethod.all[name]
  if (params.length === defaultParam?.at) params.push(defaultParam.value)
  const least = defaultParam?.at ?? slots.findLastIndex((slot) => !slot.isOptional) + 1
  if (params.length >= least && params.length <= slots.length) {
    return Result.succeed(params.map((param, at) => orAbsent(slots[at], param)))
  }
  return invalid(name, `${params.length}`, signatureOf(slots, least))
}

/** Path of an issue in a parameter, as in `call.value` and `topics[0]`. */
const pathOf = (name: string, path: string): string =>
  path === "" || path.startsWith("[") ? `${name}${path}` : `${name}.${path}`

/** Encodes the parameters of a method in wire form. */
export const encodeParams = (
  name: RpcMethod.Name,
  given: ReadonlyArray<unknown>,
): Result.Result<ReadonlyArray<unknown>, InvalidParams> => {
  if (!RpcMethod.isName(name)) {
    const expected = `one of ${Object.keys(RpcMethod.all).join(", ")}, or "request" for any other`
    return Result.fail(new InvalidParams({ what: "method", method: String(name), received: describe(name), expected }))
  }
  if (!Array.isArray(given)) return invalid(name, describe(given), "an array")
  const slots = slotsOf(name)
  return Result.flatMap(complete(name, slots, given), (params) => {
    const wire: Array<unknown> = []
    for (const [position, slot] of slots.entries()) {
      if (position >= params.length) break
      const encoded = slot.encode(params[position])
      if (Result.isFailure(encoded)) {
        const { expected, path, received } = encoded.failure
        const at = pathOf(slot.name, path)
        return Result.fail(new InvalidParams({ method: name, position, path: at, received, expected }))
      }
      wire.push(encoded.success)
    }
    return Result.succeed(wire)
  })
}

/** Members of a request. Wallets add others; an unknown one looks like a misspelling only if `params` is missing. */
const requestKeys = new Set(["method", "params", "checked", "id", "jsonrpc"])

const requestExample = `an object such as { method: "eth_chainId", params: [] }`

/** Decodes an EIP-1193 request, alone or at an index of a batch. */
export const requestOf = (
  given: unknown,
  index?: number,
): Result.Result<{ readonly method: string; readonly params: unknown; readonly checked: boolean }, InvalidParams> => {
  const isObject = typeof given === "object" && given !== null
  const unknownKey =
    isObject && !("params" in given) ? Object.keys(given).find((key) => !requestKeys.has(key)) : undefined
  const method = isObject && "method" in given && typeof given.method === "string" ? given.method : ""
  if (unknownKey === undefined && isObject && method !== "") {
    const params = "params" in given ? given.params : undefined
    return Result.succeed({ method, params, checked: "checked" in given && given.checked === true })
  }
  const received =
    unknownKey !== undefined
      ? `the unknown key ${Issue.cut(unknownKey)}`
      : isObject
        ? "an object without a method"
        : describe(given)
  const where =
    index === undefined
      ? { what: "request", method: "request", position: 0 }
      : { what: "call of a batch", method: "batch", position: index, path: `[${index}]` }
  return Result.fail(new InvalidParams({ ...where, received, expected: requestExample }))
}

/** The error of a batch that is not a list. */
export const notCalls = (given: unknown): InvalidParams =>
  new InvalidParams({
    what: "batch",
    method: "batch",
    position: 0,
    received: describe(given),
    expected: `an array of calls such as [{ method: "eth_chainId" }]`,
  })

/** JSON of parameters that are sent unchanged, except that bigints become hex quantities. */
export const rawParams = (method: string, params: unknown): Result.Result<unknown, InvalidParams> => {
  if (typeof method !== "string" || method === "") {
    const expected = `a method name such as "eth_chainId"`
    return Result.fail(
      new InvalidParams({ what: "method", method: "", position: 0, received: describe(method), expected }),
    )
  }
  const given = params ?? []
  if (typeof given !== "object") return invalid(method, describe(given), "an array, or an object of named parameters")
  try {
    return Result.succeed(JSON.parse(JSON.stringify(withHex(given, false))))
  } catch (error) {
    const isCircular = error instanceof RangeError || (error instanceof TypeError && error.message.includes("circular"))
    return invalid(method, isCircular ? "a circular reference" : "a value that is not JSON", "JSON values")
  }
}
