/** Checks of the options of a fake, for programs without types. */
import * as Address from "@daybook/schema/Address"
import * as Issue from "@daybook/schema/Issue"

/** What the value of an option has to be. */
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

const kinds: Readonly<Record<string, Kind>> = {
  seed: integer(0),
  wallet: {
    expected: "an address of 20 bytes in hex: 0x and 40 digits",
    is: (value) => typeof value === "string" && Address.fromText(value) !== undefined,
  },
  blocks: integer(1),
  firstBlock: integer(0),
  apiKey: { expected: "a text that is not empty", is: (value) => typeof value === "string" && value !== "" },
  chainId: integer(1),
  faults: { expected: "an array of faults", is: Array.isArray },
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
