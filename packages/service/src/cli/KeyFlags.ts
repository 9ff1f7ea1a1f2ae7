/**
 * Flags of `daybook keys` that restrict a key: chains, methods, operations, rate limit and expiry.
 */
import { quote } from "@daybook/schema/Issue"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import * as IsoDate from "../config/IsoDate.ts"
import * as Operation from "../config/Operation.ts"
import * as ClientMethods from "../server/relay/ClientMethods.ts"
import * as Otterscan from "../server/otterscan/Otterscan.ts"
import { type KeyGrant, type KeyOptions, maxNames, maxRate } from "../store/ApiKeys.ts"
import { type CommandError, invalidOption } from "./CommandError.ts"

const names = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("NAME"), Flag.atLeast(0))

const count = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.withMetavar("N"), Flag.optional)

/** The flags of a new key. */
export const flags = {
  chain: names("chain", "Chain that the key may query; may be repeated; by default all"),
  method: names(
    "method",
    "Method that the key may relay, such as eth_call; may be repeated; by default all public methods",
  ),
  operation: names(
    "operation",
    `Operation that the key may call: ${Operation.all.join(", ")}; may be repeated; by default all that only read`,
  ),
  perSecond: count("per-second", "Average number of requests per second; by default as configured"),
  burst: count("burst", "Number of requests at once; by default twice --per-second"),
  expires: Flag.String("expires").pipe(
    Flag.withDescription(
      "When the key expires: a date such as 2027-01-31, or a time from now such as 12h or 90d; by default never",
    ),
    Flag.withMetavar("TIME"),
    Flag.optional,
  ),
}

/** Values of the flags. */
export interface Given {
  readonly chain: ReadonlyArray<string>
  readonly method: ReadonlyArray<string>
  readonly operation: ReadonlyArray<string>
  readonly perSecond: Option.Option<number>
  readonly burst: Option.Option<number>
  readonly expires: Option.Option<string>
}

const unitMillis: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a relative time such as `90d`; `undefined` if the text is not one. */
export const parseDuration = (text: string): number | undefined => {
  const [, digits, unit = ""] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * unitMillis[unit]!
}

const parseExpiry = Effect.fnUntraced(function* (text: string) {
  const now = yield* Clock.currentTimeMillis
  const duration = parseDuration(text)
  const end = duration === undefined ? IsoDate.parse(text) : now + duration
  if (end !== undefined && end > now) return end
  const expected = "a date in the future as 2027-01-31 or 2027-01-31T12:00:00Z, or a time from now as 12h or 90d"
  return yield* invalidOption("--expires", expected, quote(text))
})

/** Rejects the first unknown name, and more names than a key may have. */
const checkNames = (
  flag: string,
  given: ReadonlyArray<string>,
  isKnown: (name: string) => boolean,
  expected: string,
) => {
  if (given.length > maxNames) return Effect.fail(invalidOption(flag, `at most ${maxNames} names`, `${given.length}`))
  const unknown = given.find((name) => !isKnown(name))
  return unknown === undefined ? Effect.void : Effect.fail(invalidOption(flag, expected, quote(unknown)))
}

const parseRate = Effect.fnUntraced(function* (given: Pick<Given, "burst" | "perSecond">) {
  const [perSecond, burst] = [Option.getOrUndefined(given.perSecond), Option.getOrUndefined(given.burst)]
  for (const [flag, value] of [
    ["--per-second", perSecond],
    ["--burst", burst],
  ] as const) {
    if (value !== undefined && (value < 1 || value > maxRate))
      return yield* invalidOption(flag, `a whole number from 1 to ${maxRate}`, String(value))
  }
  if (perSecond === undefined && burst !== undefined) {
    return yield* invalidOption("--burst", "--burst together with --per-second", "--burst alone")
  }
  return perSecond === undefined ? {} : { rateLimit: { perSecond, burst: burst ?? Math.min(2 * perSecond, maxRate) } }
})

const nonEmpty = <K extends keyof KeyOptions>(key: K, [first, ...others]: ReadonlyArray<string>) =>
  first === undefined ? {} : { [key]: [first, ...others] }

/**
 * Parses the grants of the flags. `chains` are the names of the served chains, if known.
 *
 * **Errors**
 * - `CommandError`: a name is unknown, or a number or a time is malformed.
 */
export const parse = Effect.fnUntraced(function* (
  given: Given,
  isChain: (name: string) => boolean,
): Effect.fn.Return<Pick<KeyGrant, "options" | "expires">, CommandError> {
  yield* checkNames("--chain", given.chain, isChain, "a chain of the configuration")
  const isMethod = (name: string) =>
    RpcMethod.isName(name) || ClientMethods.methods.has(name) || Otterscan.methods.has(name)
  yield* checkNames("--method", given.method, isMethod, "a method of METHODS.md of @daybook/schema, or of Otterscan")
  const isOperation = (name: string) => Operation.all.includes(name)
  yield* checkNames("--operation", given.operation, isOperation, `one of ${Operation.all.join(", ")}`)
  const rate = yield* parseRate(given)
  const text = Option.getOrUndefined(given.expires)
  const options: KeyOptions = {
    ...nonEmpty("chains", given.chain),
    ...nonEmpty("methods", given.method),
    ...nonEmpty("operations", given.operation),
    ...rate,
  }
  return {
    options: Object.keys(options).length === 0 ? undefined : options,
    expires: text === undefined ? undefined : yield* parseExpiry(text),
  }
})

/** Describes the grants of a key, as printed by `daybook keys list`. */
export const describe = ({ empty, expires, operator, options = {} }: KeyGrant): ReadonlyArray<string> => {
  const { chains, methods, operations: allowed, rateLimit } = options
  return [
    ...(operator ? ["operator"] : []),
    ...(empty === null ? [] : [`empty ${empty}`]),
    ...(chains === undefined ? [] : [`chains ${chains.join(", ")}`]),
    ...(methods === undefined ? [] : [`methods ${methods.join(", ")}`]),
    ...(allowed === undefined ? [] : [`operations ${allowed.join(", ")}`]),
    ...(rateLimit === undefined ? [] : [`${rateLimit.perSecond} per second, ${rateLimit.burst} at once`]),
    ...(expires === undefined ? [] : [`until ${new Date(expires).toISOString().replace(/T00:00:00\.000Z$/, "")}`]),
  ]
}
