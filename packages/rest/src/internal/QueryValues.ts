/** Converts values of queries from convenient types to those of the contract. */
import * as Address from "@daybook/schema/Address"
import * as Chain from "@daybook/schema/Chain"
import * as Issue from "@daybook/schema/Issue"
import * as Movement from "@daybook/schema/Movement"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as Result from "effect/Result"
import * as Cursor from "./Cursor.ts"

/** A value of a query, or why it is invalid. */
export type Field<A> = Result.Result<A, Issue.Issue>

/** The issue of an unexpected value. */
export const invalid = (path: string, expected: string, value: unknown): Field<never> =>
  Result.fail({ path, expected, received: Issue.describe(value) })

const isWhole = (value: unknown): value is bigint | number =>
  typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && (value as number) >= 0

export const readAddress = (value: unknown): Field<Address.Address> => {
  const address = typeof value === "string" ? Address.fromText(value.trim()) : undefined
  return address === undefined
    ? invalid("address", "an address of 20 bytes in hex: 0x and 40 digits", value)
    : Result.succeed(address)
}

const expectedChain = `a name such as "polygon amoy", an identifier such as "0x13882" or a number such as 80002`

export const readChain = (value: unknown): Field<string> => {
  if (typeof value === "string" ? value.trim() === "" : !isWhole(value)) return invalid("chain", expectedChain, value)
  const given = value as string | number | bigint
  if (typeof given === "string" && /^\s*eip155:(?!\d+\s*$)/i.test(given)) {
    return invalid("chain", `a number after "eip155:", as in "eip155:80002"`, value)
  }
  const found = Chain.fromInput(given)
  const [chain] = found
  if (found.length === 1 && chain !== undefined && chain.identifier !== null) return Result.succeed(chain.name)
  return Result.succeed(typeof given === "string" ? given : `0x${given.toString(16)}`)
}

export const readBlock =
  (parameter: string) =>
  (value: unknown): Field<bigint> =>
    isWhole(value)
      ? Result.succeed(BigInt(value))
      : invalid(parameter, "a block number: a bigint or a safe integer of at least 0", value)

const firstMillis = Date.parse("0000-01-01T00:00:00.000Z")
const lastMillis = Date.parse("9999-12-31T23:59:59.999Z")

/** Instant of a `Date` or an Effect `DateTime`, recognised by its shape so that any copy of Effect is accepted. */
export const millisOf = (value: unknown): number | undefined => {
  if (value instanceof Date) return value.getTime()
  if (typeof value !== "object" || value === null || !("epochMilliseconds" in value)) return undefined
  return typeof value.epochMilliseconds === "number" ? value.epochMilliseconds : undefined
}

export const readDate =
  (parameter: string) =>
  (value: unknown): Field<string> => {
    if (typeof value === "string" && value.trim() !== "") return Result.succeed(value)
    const millis = millisOf(value)
    return millis !== undefined && millis >= firstMillis && millis <= lastMillis
      ? Result.succeed(new Date(millis).toISOString())
      : invalid(parameter, "a Date or DateTime of the years 0000 to 9999, or a date as text such as 2024-01-31", value)
  }

export const readFrom = (value: unknown): Field<string> => {
  if (isWhole(value)) return Result.succeed(value.toString())
  const expected = `a block number, a date, the cursor of an event, or "now"`
  return Result.mapError(readDate("from")(value), (issue) => ({ ...issue, expected }))
}

export const readCursor = (value: unknown): Field<string> =>
  typeof value === "string" && value !== "" && value.length <= Cursor.maxCharacters
    ? Result.succeed(value)
    : invalid("cursor", "the cursor of the previous page, or no cursor for the first page", value)

/** Reads a list given as one value or several, checking each one; the contract checks their number. */
const readList =
  (parameter: string, expected: string, isValid: (value: unknown) => boolean) =>
  (value: unknown): Field<ReadonlyArray<unknown>> => {
    const list: unknown = typeof value === "string" ? value.split(",").map((text) => text.trim()) : value
    if (!Array.isArray(list)) return invalid(parameter, `${expected}, or an array`, value)
    const at = list.findIndex((one) => !isValid(one))
    return at === -1 ? Result.succeed(list) : invalid(parameter, expected, list[at])
  }

const kinds: ReadonlyArray<unknown> = Movement.kinds

export const readKinds = readList("kind", `one of ${Movement.kinds.join(", ")}`, (value) => kinds.includes(value))

const rowTypes: ReadonlyArray<unknown> = WalletEvent.rowTypes

export const readTypes = readList("types", `one of ${WalletEvent.rowTypes.join(", ")}`, (value) =>
  rowTypes.includes(value),
)

const readAssetList = readList(
  "asset",
  "native, or the address of a token in hex",
  (value) => typeof value === "string" && (/^native$/i.test(value) || Address.fromText(value) !== undefined),
)

/** Reads assets in lower case, as the contract requires. */
export const readAssets = (value: unknown): Field<unknown> =>
  Result.map(readAssetList(value), (list) => list.map((one) => String(one).toLowerCase()))
