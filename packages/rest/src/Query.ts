/**
 * Queries of the operations in convenient types, and their encoding as text.
 * Every invalid parameter is found before a request is made.
 */
import * as Address from "@daybook/schema/Address"
import * as Chain from "@daybook/schema/Chain"
import * as Contract from "@daybook/schema/Contract"
import * as Issue from "@daybook/schema/Issue"
import type * as LedgerQuery from "@daybook/schema/LedgerQuery"
import * as Movement from "@daybook/schema/Movement"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as WalletEvent from "@daybook/schema/WalletEvent"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import type * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import * as Cursor from "./internal/Cursor.ts"

/** Parameters that accept more types than the contract has. */
interface Convenient {
  /**
   * Chain by name (`"polygon amoy"`), usual alias (`"mainnet"`), identifier (`"0x13882"`) or number (`80002`). A known chain is sent in the spelling of the
   * interface; an unknown one, and an identifier that two chains share, unchanged. Default `eth`.
   */
  readonly chain?: Chain.Input | undefined
  /** First block, inclusive. Takes precedence over `from_date`. */
  readonly from_block?: bigint | number | undefined
  /** Last block, inclusive. Takes precedence over `to_date`. */
  readonly to_block?: bigint | number | undefined
  /** Start date: blocks at or after it. A text is sent unchanged and parsed by the server. */
  readonly from_date?: Date | DateTime.DateTime | string | undefined
  /** End date: blocks at or before it. A text is sent unchanged and parsed by the server. */
  readonly to_date?: Date | DateTime.DateTime | string | undefined
  /** Where events begin: a block, a date, the cursor of an event, or `"now"`. A text is sent unchanged. Default `"now"`. */
  readonly from?: bigint | number | Date | DateTime.DateTime | string | undefined
  /** `cursor` of the previous page, `null` for the first one; the rest of the query stays the same, except `limit`. */
  readonly cursor?: string | null | undefined
}

/** Lists of an operation, each also as one value. */
interface Lists {
  /** `native`, the address of a token, or several of them. Default: all assets. */
  readonly asset?: string | ReadonlyArray<string> | undefined
  /** A kind of movements, or several. Default: all kinds. */
  readonly kind?: Movement.Kind | ReadonlyArray<Movement.Kind> | undefined
  /** A type of events with rows, or several. Default: all types. */
  readonly types?: WalletEvent.RowType | ReadonlyArray<WalletEvent.RowType> | undefined
}

type Accepted = Convenient & Lists

/** Parameters with the types of the contract. */
interface Documented {
  /** Maximum number of rows on a page, from 1. Default 100, which is also the maximum of most servers. */
  readonly limit?: number | undefined
  /** `"internal_transactions"` adds the internal transactions of each transaction. Default: none. */
  readonly include?: WalletQuery.WalletQuery["include"] | undefined
  /** `in` for what the wallet received, `out` for what it paid. Default: both. */
  readonly direction?: LedgerQuery.Direction | undefined
}

/** The other parameters, with the types of the contract. A parameter added to the contract is accepted and encoded by its codec. */
type QueryOf<Contract> = Pick<Accepted, keyof Accepted & keyof Contract> &
  Pick<Documented, keyof Documented & keyof Contract> & {
    readonly [K in Exclude<keyof Contract, keyof Accepted | keyof Documented>]?: Contract[K] | undefined
  }

/** The wallet of a query. */
interface OfWallet {
  /**
   * Wallet address: 20 bytes in hex, in any case. Rows have it in lower case: compare them with `Address.fromText(address)` of
   * `@daybook/schema/Address`, not with a checksummed text.
   */
  readonly address: string
}

/**
 * Query of the wallet operation. Only the address is required; the server has defaults for the rest (chain `eth`, order `DESC`, every
 * indexed block, 100 rows on a page).
 *
 * **Details**
 *
 * - The range has a lower bound, `from_block` or `from_date`, and an upper bound, `to_block` or `to_date`, both inclusive. A block
 *   takes precedence over a date.
 * - `limit`: maximum number of rows on a page, from 1; servers allow about 100.
 * - `order`: `DESC` newest first, `ASC` oldest first.
 * - `scope: "all"` adds the transactions in which the wallet appears in any other role, as that of a recipient of a token.
 * - `include: "internal_transactions"` adds the internal transactions of each transaction.
 *
 * Source: docs/interface.md#4.1; decision 0005.
 */
export interface Query extends OfWallet, QueryOf<WalletQuery.WalletQuery> {}

/**
 * Query of the movements of a wallet: the range, order and pages as in `Query`, and what selects movements.
 *
 * **Details**
 *
 * - `asset`: `native`, the address of a token, or up to 20 of them.
 * - `kind`: kinds of movements. `direction`: `in` for what the wallet received, `out` for what it paid.
 *
 * Source: decision 0049.
 */
export interface MovementQuery extends OfWallet, QueryOf<LedgerQuery.MovementQuery> {}

/**
 * Query of the balances of a wallet, at `to_block` or `to_date`. Default: the last indexed block.
 *
 * Source: decision 0049.
 */
export interface BalanceQuery extends OfWallet, QueryOf<LedgerQuery.BalanceQuery> {}

/**
 * Query of the statement of a wallet over a range of blocks. Default: all indexed blocks.
 *
 * Source: decision 0049.
 */
export interface StatementQuery extends OfWallet, QueryOf<LedgerQuery.StatementQuery> {}

/**
 * Query of the signed statement of a wallet over final blocks. Default: from the first indexed block to the last comparison with the chain, or to
 * the last final block.
 *
 * Source: decision 0050.
 */
export interface SignedStatementQuery extends OfWallet, QueryOf<LedgerQuery.SignedStatementQuery> {}

/**
 * Query of the events of a wallet.
 *
 * **Details**
 *
 * - `types`: `wallet.transaction`, `wallet.movement`, or both. `asset` and `kind` select movements.
 * - `finality`: `final` for rows of final blocks alone, which no reorg takes back. Default `head`.
 *
 * Source: decision 0073.
 */
export interface EventQuery extends OfWallet, QueryOf<WalletEvent.EventQuery> {}

/**
 * What is described: a contract or another address, or a pack.
 *
 * Source: decision 0059.
 */
export interface ContractQuery extends Pick<Convenient, "chain"> {
  /** Address, in any case, or the name of a pack: an ABI that is tried for every contract of the chain. */
  readonly contract: string
}

/**
 * A description of an address or of a pack. It replaces the previous one as a whole.
 *
 * **Details**
 *
 * An address needs a `name`, which becomes its label; a pack has the name of its path.
 *
 * Source: decision 0059.
 */
export interface DescriptionQuery extends ContractQuery {
  /** Name of the address: a line of 1 to 100 visible characters. */
  readonly name?: string | undefined
  /** ABI as a compiler writes it, or as `parseAbi` of viem gives it. Default: none, so that the address only gets a label. */
  readonly abi?: ReadonlyArray<unknown> | undefined
}

/**
 * A query as text: the wallet for the path, and the parameters in the spelling of the interface.
 */
export interface Encoded<O extends RestOperation.RestOperation = typeof RestOperation.walletTransactions> {
  readonly params: { readonly address: Address.Address }
  readonly parameters: RestOperation.QueryText<O>
}

type Field<A> = Result.Result<A, Issue.Issue>

const invalid = (path: string, expected: string, value: unknown): Field<never> =>
  Result.fail({ path, expected, received: Issue.describe(value) })

const isWhole = (value: unknown): value is bigint | number =>
  typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && (value as number) >= 0

const readAddress = (value: unknown): Field<Address.Address> => {
  const address = typeof value === "string" ? Address.fromText(value.trim()) : undefined
  return address === undefined
    ? invalid("address", "an address of 20 bytes in hex: 0x and 40 digits", value)
    : Result.succeed(address)
}

const expectedChain = `a name such as "polygon amoy", an identifier such as "0x13882" or a number such as 80002`

const readChain = (value: unknown): Field<string> => {
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

const readBlock =
  (parameter: string) =>
  (value: unknown): Field<bigint> =>
    isWhole(value)
      ? Result.succeed(BigInt(value))
      : invalid(parameter, "a block number: a bigint or a safe integer of at least 0", value)

const firstMillis = Date.parse("0000-01-01T00:00:00.000Z")
const lastMillis = Date.parse("9999-12-31T23:59:59.999Z")

/** The instant of a `Date` or of a `DateTime` of Effect, recognised by its shape so that any copy of Effect is accepted. */
const millisOf = (value: unknown): number | undefined => {
  if (value instanceof Date) return value.getTime()
  if (typeof value !== "object" || value === null || !("epochMilliseconds" in value)) return undefined
  return typeof value.epochMilliseconds === "number" ? value.epochMilliseconds : undefined
}

const readDate =
  (parameter: string) =>
  (value: unknown): Field<string> => {
    if (typeof value === "string" && value.trim() !== "") return Result.succeed(value)
    const millis = millisOf(value)
    return millis !== undefined && millis >= firstMillis && millis <= lastMillis
      ? Result.succeed(new Date(millis).toISOString())
      : invalid(parameter, "a Date or DateTime of the years 0000 to 9999, or a date as text such as 2024-01-31", value)
  }

const readFrom = (value: unknown): Field<string> => {
  if (isWhole(value)) return Result.succeed(value.toString())
  const expected = `a block number, a date, the cursor of an event, or "now"`
  return Result.mapError(readDate("from")(value), (issue) => ({ ...issue, expected }))
}

const readCursor = (value: unknown): Field<string> =>
  typeof value === "string" && value !== "" && value.length <= Cursor.maxCharacters
    ? Result.succeed(value)
    : invalid("cursor", "the cursor of the previous page, or no cursor for the first page", value)

/** A list of one value, or of several, each of which is checked; the contract checks how many there are. */
const readList =
  (parameter: string, expected: string, isValid: (value: unknown) => boolean) =>
  (value: unknown): Field<ReadonlyArray<unknown>> => {
    const list: unknown = typeof value === "string" ? value.split(",").map((text) => text.trim()) : value
    if (!Array.isArray(list)) return invalid(parameter, `${expected}, or an array`, value)
    const at = list.findIndex((one) => !isValid(one))
    return at === -1 ? Result.succeed(list) : invalid(parameter, expected, list[at])
  }

const kinds: ReadonlyArray<unknown> = Movement.kinds

const readKinds = readList("kind", `one of ${Movement.kinds.join(", ")}`, (value) => kinds.includes(value))

const rowTypes: ReadonlyArray<unknown> = WalletEvent.rowTypes

const readTypes = readList("types", `one of ${WalletEvent.rowTypes.join(", ")}`, (value) => rowTypes.includes(value))

const readAssetList = readList(
  "asset",
  "native, or the address of a token in hex",
  (value) => typeof value === "string" && (/^native$/i.test(value) || Address.fromText(value) !== undefined),
)

/** Assets in lower case, as the contract has them. */
const readAssets = (value: unknown): Field<unknown> =>
  Result.map(readAssetList(value), (list) => list.map((one) => String(one).toLowerCase()))

/** Conversions to the types of the contract, for the parameters that accept more. */
const readers = {
  chain: readChain,
  from_block: readBlock("from_block"),
  to_block: readBlock("to_block"),
  from_date: readDate("from_date"),
  to_date: readDate("to_date"),
  cursor: readCursor,
  asset: readAssets,
  kind: readKinds,
  from: readFrom,
  types: readTypes,
} satisfies { readonly [K in keyof Accepted]-?: (value: unknown) => Field<unknown> }

/** The order in any case; another value is rejected by the contract. */
const upperCase = (value: unknown): unknown =>
  typeof value === "string" && value.length <= 4 ? value.toUpperCase() : value

const readParameter = (names: ReadonlyArray<string>, name: string, value: unknown): Field<unknown> => {
  if (!names.includes(name)) {
    const expected = `one of the keys address, ${names.join(", ")}`
    return Result.fail({ path: Issue.cut(name), expected, received: "an unknown key" })
  }
  // Sound: every own key of `readers` is one of its names.
  if (Object.hasOwn(readers, name)) return readers[name as keyof typeof readers](value)
  return Result.succeed(name === "order" ? upperCase(value) : value)
}

/** A parameter without a value; a loop over pages begins without a cursor. */
const isAbsent = (name: string, value: unknown): boolean => value === undefined || (name === "cursor" && value === null)

/** Finds a range that ends before it begins, where both ends are blocks or both are instants. */
const emptyRange = (query: Convenient): Issue.Issue | undefined => {
  const { from, to } = WalletQuery.bounds<bigint | number, unknown>({
    from_block: query.from_block,
    to_block: query.to_block,
    from_date: query.from_date,
    to_date: query.to_date,
  })
  if (from._tag === "Block" && to._tag === "Block" && from.block > to.block) {
    return { path: "from_block", expected: `at most to_block (${to.block})`, received: `${from.block}` }
  }
  if (from._tag !== "Date" || to._tag !== "Date") return undefined
  const [first, last] = [millisOf(from.date), millisOf(to.date)]
  if (first === undefined || last === undefined || first <= last) return undefined
  const [firstText, lastText] = [new Date(first).toISOString(), new Date(last).toISOString()]
  return { path: "from_date", expected: `at most to_date (${lastText})`, received: firstText }
}

/** Makes the encoder of the queries of an operation. */
const encoder = <O extends RestOperation.RestOperation>(contract: O) => {
  const names: ReadonlyArray<string> = RestOperation.parameterNames(contract)
  return (query: OfWallet & Convenient): Result.Result<Encoded<O>, Issue.Issue> =>
    Result.gen(function* () {
      if (typeof query !== "object" || query === null) {
        return yield* invalid("query", "an object with an address", query)
      }
      const address = yield* readAddress(query.address)
      const values: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(query)) {
        if (name !== "address" && !isAbsent(name, value)) values[name] = yield* readParameter(names, name, value)
      }
      const issue = emptyRange(query)
      if (issue !== undefined) return yield* Result.fail(issue)
      // The codec of the contract checks the values that it encodes.
      const parameters = yield* RestOperation.encodeQuery(contract, values)
      return { params: { address }, parameters }
    })
}

/**
 * Encodes a query as text, or gives its first issue. Undefined parameters are left out.
 *
 * **Example** (Encoding a query in convenient types)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const address = "0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
 * const encoded = Query.encode({ address, chain: 80002, from_date: new Date(0), limit: 5 })
 * console.log(Result.getOrThrow(encoded).parameters) // { chain: 'polygon amoy', from_date: '1970-01-01T00:00:00.000Z', limit: '5' }
 * ```
 *
 * Source: docs/interface.md#4.1; decisions 0005 and 0008.
 */
export const encode: (query: Query) => Result.Result<Encoded, Issue.Issue> = encoder(RestOperation.walletTransactions)

/**
 * Encodes a query of movements.
 *
 * **Example** (Encoding a query)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const encoded = Query.encodeMovements({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", asset: "native" })
 * console.log(Result.isSuccess(encoded)) // true
 * ```
 *
 * Source: decision 0049.
 */
export const encodeMovements: (
  query: MovementQuery,
) => Result.Result<Encoded<typeof RestOperation.movements>, Issue.Issue> = encoder(RestOperation.movements)

/**
 * Encodes a query of balances.
 *
 * **Example** (Encoding a query)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * console.log(Result.isSuccess(Query.encodeBalances({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", to_block: 20_000_000 })))
 * // true
 * ```
 *
 * Source: decision 0049.
 */
export const encodeBalances: (
  query: BalanceQuery,
) => Result.Result<Encoded<typeof RestOperation.balances>, Issue.Issue> = encoder(RestOperation.balances)

/**
 * Encodes a query of a statement.
 *
 * **Example** (Naming an invalid parameter)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const encoded = Query.encodeStatement({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", from_block: -1 })
 * console.log(Result.isFailure(encoded) && encoded.failure.path) // from_block
 * ```
 *
 * Source: decision 0049.
 */
export const encodeStatement: (
  query: StatementQuery,
) => Result.Result<Encoded<typeof RestOperation.statement>, Issue.Issue> = encoder(RestOperation.statement)

/**
 * Encodes a query of a signed statement.
 *
 * **Example** (Naming an invalid parameter)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const encoded = Query.encodeSignedStatement({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", to_block: -1 })
 * console.log(Result.isFailure(encoded) && encoded.failure.path) // to_block
 * ```
 *
 * Source: decision 0050.
 */
export const encodeSignedStatement: (
  query: SignedStatementQuery,
) => Result.Result<Encoded<typeof RestOperation.signedStatement>, Issue.Issue> = encoder(RestOperation.signedStatement)

/**
 * Encodes a query of events.
 *
 * **Example** (Encoding where events begin)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const encoded = Query.encodeEvents({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", from: 17_000_000 })
 * console.log(Result.getOrThrow(encoded).parameters) // { from: '17000000' }
 * ```
 *
 * Source: decision 0073.
 */
export const encodeEvents: (
  query: EventQuery,
) => Result.Result<Encoded<typeof RestOperation.walletEvents>, Issue.Issue> = encoder(RestOperation.walletEvents)

/**
 * A description as text: the address or the pack for the path, the chain, and the JSON of the body.
 */
export interface EncodedDescription {
  readonly params: { readonly contract: string }
  readonly parameters: RestOperation.QueryText<typeof RestOperation.putContract>
  readonly body?: string | undefined
}

const decodePath = SchemaParser.decodeUnknownResult(Contract.Path)
const encodeBody = SchemaParser.encodeUnknownResult(Contract.Description)

/** A JSON text; undefined for what has none, such as an object that contains itself. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const readDescription = ({ abi, name }: DescriptionQuery): Field<string> => {
  const description = Record.filter<string, unknown>({ name, abi }, Predicate.isNotUndefined)
  const encoded = Result.mapError(encodeBody(description), (error) => Issue.fromError(error, description)[0]!)
  return Result.flatMap(encoded, (body) => {
    const text = textOf(body)
    return text === undefined ? invalid("abi", "an array that JSON can carry", abi) : Result.succeed(text)
  })
}

/** Makes the encoder of a query of one description; `keys` are those that it may have. */
const contractEncoder =
  <Q extends ContractQuery>(keys: ReadonlyArray<string>, readBody: (query: Q) => Field<string> | undefined) =>
  (query: Q): Result.Result<EncodedDescription, Issue.Issue> =>
    Result.gen(function* () {
      if (typeof query !== "object" || query === null) {
        return yield* invalid("query", "an object with an address or the name of a pack as contract", query)
      }
      const unknown = Object.keys(query).find((name) => !keys.includes(name))
      if (unknown !== undefined) {
        const expected = `one of the keys ${keys.join(", ")}`
        return yield* Result.fail({ path: Issue.cut(unknown), expected, received: "an unknown key" })
      }
      const { chain, contract } = query
      // Sound: an error has at least one issue.
      const params = yield* Result.mapError(
        decodePath({ contract }),
        (error) => Issue.fromError(error, { contract })[0]!,
      )
      const parameters = chain === undefined ? {} : { chain: yield* readChain(chain) }
      const body = readBody(query)
      return { params, parameters, body: body === undefined ? undefined : yield* body }
    })

/**
 * Encodes a description of an address or of a pack.
 *
 * **Example** (Encoding a label)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const encoded = Query.encodePutContract({ contract: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", name: "Treasury" })
 * console.log(Result.getOrThrow(encoded).body) // {"name":"Treasury"}
 * ```
 *
 * Source: decision 0059.
 */
export const encodePutContract: (query: DescriptionQuery) => Result.Result<EncodedDescription, Issue.Issue> =
  contractEncoder(["contract", "chain", "name", "abi"], readDescription)

/**
 * Encodes a query that removes a description.
 *
 * **Example** (Naming a pack)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * console.log(Result.getOrThrow(Query.encodeRemoveContract({ contract: "orders" })).params) // { contract: 'orders' }
 * ```
 *
 * Source: decision 0059.
 */
export const encodeRemoveContract: (query: ContractQuery) => Result.Result<EncodedDescription, Issue.Issue> =
  contractEncoder(["contract", "chain"], () => undefined)
