/** Checks the options of a fake, its faults and counts, for programs without type checks. */
import * as Address from "@daybook/schema/Address"
import * as Issue from "@daybook/schema/Issue"

/** Requirements for the value of an option. */
interface Kind {
  readonly expected: string
  readonly is: (value: unknown) => boolean
}

const integer = (minimum: number): Kind => ({
  expected: `an integer of at least ${minimum}`,
  is: (value) => Number.isSafeInteger(value) && (value as number) >= minimum,
})

const functions: Kind = {
  expected: "an object of functions",
  is: (value) =>
    typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "function"),
}

const amount: Kind = {
  expected: "a number of at least 0",
  is: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
}

const status: Kind = {
  expected: "a status from 200 to 599",
  is: (value) => Number.isSafeInteger(value) && (value as number) >= 200 && (value as number) <= 599,
}

/** Keys of each fault that is an object; the first key is required. */
const faults: ReadonlyArray<Readonly<Record<string, Kind>>> = [
  { status, retryAfterSeconds: amount },
  { cutAfterBytes: integer(0) },
  { delayMillis: amount },
  { reorg: integer(0) },
]

const fault: Kind = {
  expected:
    '{ status, retryAfterSeconds? } of 200 to 599, { cutAfterBytes }, { delayMillis } or { reorg } of at least 0, "disconnect", or null',
  is: (value) => {
    if (value === null || value === undefined || value === "disconnect") return true
    if (typeof value !== "object") return false
    const entries = Object.entries(value).filter(([, one]) => one !== undefined)
    return faults.some(
      (keys) =>
        Object.keys(keys)[0]! in value &&
        entries.every(([name, one]) => Object.hasOwn(keys, name) && keys[name]!.is(one)),
    )
  },
}

const kinds: Readonly<Record<string, Kind>> = {
  seed: integer(0),
  wallet: {
    expected: "an address of 20 bytes in hex: 0x and 40 digits",
    is: (value) => typeof value === "string" && Address.fromText(value) !== undefined,
  },
  blocks: integer(1),
  firstBlock: integer(0),
  apiKey: { expected: "text that is not empty", is: (value) => typeof value === "string" && value !== "" },
  chainId: integer(1),
  faults: {
    expected: `an array of faults, each ${fault.expected}`,
    is: (value) => Array.isArray(value) && value.every(fault.is),
  },
  methods: functions,
  operations: functions,
  emptyWallets: {
    expected: "an array of addresses of 20 bytes in hex",
    is: (value) =>
      Array.isArray(value) && value.every((one) => typeof one === "string" && Address.fromText(one) !== undefined),
  },
}

const failure = (path: string, expected: string, received: string) =>
  new TypeError(Issue.format("option", { path, expected, received }))

/** Throws a `TypeError` that names the first invalid option. */
export const check = (options: object): void => {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Invalid options: expected an object, received ${Issue.describe(options)}.`)
  }
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) {
      throw failure(Issue.cut(name), `one of the keys ${Object.keys(kinds).join(", ")}`, "an unknown key")
    }
    if (value !== undefined && !kind.is(value)) throw failure(name, kind.expected, Issue.describe(value))
  }
}

const argumentError = (path: string, { expected }: Kind, value: unknown) =>
  new TypeError(Issue.format("argument", { path, expected, received: Issue.describe(value) }))

/** Throws a `TypeError` for the first value that is not a fault. */
export const checkFaults = (values: ReadonlyArray<unknown>): void => {
  const at = values.findIndex((value) => !fault.is(value))
  if (at !== -1) throw argumentError(`[${at}]`, fault, values[at])
}

/** Throws a `TypeError` if a value is not a valid number of blocks. */
export const checkCount = (name: string, value: unknown): void => {
  const kind = integer(0)
  if (!kind.is(value)) throw argumentError(name, kind, value)
}
