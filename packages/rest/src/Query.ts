/**
 * Queries of the operations in convenient types, and their encoding as text.
 * Every invalid parameter is found before a request is made.
 */
import type * as Address from "@daybook/schema/Address"
import type * as Chain from "@daybook/schema/Chain"
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as Issue from "@daybook/schema/Issue"
import type * as LedgerQuery from "@daybook/schema/LedgerQuery"
import type * as Movement from "@daybook/schema/Movement"
import * as RestOperation from "@daybook/schema/RestOperation"
import type * as UserOperationPage from "@daybook/schema/UserOperationPage"
import type * as WalletEvent from "@daybook/schema/WalletEvent"
import * as WalletQuery from "@daybook/schema/WalletQuery"
import type * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import { contractEncoder, readDescription } from "./internal/DescriptionEncoder.ts"
import {
  type Field,
  invalid,
  millisOf,
  readAddress,
  readAssets,
  readBlock,
  readChain,
  readCursor,
  readDate,
  readFrom,
  readKinds,
  readTypes,
} from "./internal/QueryValues.ts"

/** Parameters that accept more types than the contract has. */
interface Convenient {
  /**
   * Chain by name (`"polygon amoy"`), usual alias (`"mainnet"`), identifier (`"0x13882"`) or number (`80002`). A known chain is sent in the
   * interface's spelling; an unknown chain, or an identifier shared by two chains, is sent unchanged. Default `eth`.
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
  /** Where events start: a block, a date, the cursor of an event, or `"now"`. Text is sent unchanged. Default `"now"`. */
  readonly from?: bigint | number | Date | DateTime.DateTime | string | undefined
  /** `cursor` of the previous page, or `null` for the first one. The rest of the query stays the same, except `limit`. */
  readonly cursor?: string | null | undefined
}

/** List parameters of an operation, each of which also accepts a single value. */
interface Lists {
  /** `native`, the address of a token, or several of them. Default: all assets. */
  readonly asset?: string | ReadonlyArray<string> | undefined
  /** A kind of movement, or several. Default: all kinds. */
  readonly kind?: Movement.Kind | ReadonlyArray<Movement.Kind> | undefined
  /** A type of row event, or several. Default: all types. */
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

/** All other parameters, with the types of the contract. A parameter added to the contract is accepted and encoded by its codec. */
type QueryOf<Contract> = Pick<Accepted, keyof Accepted & keyof Contract> &
  Pick<Documented, keyof Documented & keyof Contract> & {
    readonly [K in Exclude<keyof Contract, keyof Accepted | keyof Documented>]?: Contract[K] | undefined
  }

/** The wallet of a query. */
interface OfWallet {
  /**
   * Wallet address: 20 bytes in hex, in any case. Rows have it in lower case: compare them with `Address.fromText(address)` from
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
 * - The range has a lower bound, `from_block` or `from_date`, and an upper bound, `to_block` or `to_date`, both inclusive. A block takes
 *   precedence over a date.
 * - `limit`: maximum number of rows on a page, from 1; servers allow about 100.
 * - `order`: `DESC` newest first, `ASC` oldest first.
 * - `scope: "all"` adds the transactions in which the wallet appears in any other role, such as the recipient of a token.
 * - `include: "internal_transactions"` adds the internal transactions of each transaction.
 *
 * Source: docs/interface.md#4.1; decision 0005.
 */
export interface Query extends OfWallet, QueryOf<WalletQuery.WalletQuery> {}

/**
 * Query of the movements of a wallet: the range, order and pages as in `Query`, plus filters for movements.
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
 * Query of the user operations of a wallet: the range, order and pages as in `Query`, and the `role` of the wallet in them.
 *
 * Source: decision 0049.
 */
export interface UserOperationQuery extends OfWallet, QueryOf<UserOperationPage.UserOperationQuery> {}

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
 * Query of a comparison of a wallet with the chain, at `to_block` or a later block. Default: the last final block.
 *
 * Source: decision 0050.
 */
export interface ProofQuery extends OfWallet, QueryOf<LedgerQuery.ProofQuery> {}

/**
 * Query of the events of a wallet.
 *
 * **Details**
 *
 * - `types`: `wallet.transaction`, `wallet.movement`, or both. `asset` and `kind` select movements.
 * - `finality`: `final` for rows of final blocks only, which no reorg reverts. Default `head`.
 *
 * Source: decision 0073.
 */
export interface EventQuery extends OfWallet, QueryOf<WalletEvent.EventQuery> {}

/**
 * Subject of a description: a contract or another address, or a pack.
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
  /** ABI as written by a compiler, or as returned by viem's `parseAbi`. Default: none, so that the address only gets a label. */
  readonly abi?: ReadonlyArray<unknown> | undefined
}

/**
 * A query as text: the wallet for the path, and the parameters in the spelling of the interface.
 */
export interface Encoded<O extends RestOperation.RestOperation = typeof RestOperation.walletTransactions> {
  readonly params: { readonly address: Address.Address }
  readonly parameters: RestOperation.QueryText<O>
}

/** Conversions to the types of the contract, for the parameters that accept more types. */
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

/** Accepts the order in any case; the contract rejects other values. */
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

/** True for a parameter without a value; a pagination loop starts without a cursor. */
const isAbsent = (name: string, value: unknown): boolean => value === undefined || (name === "cursor" && value === null)

/** Detects a range that ends before it starts, if both ends are blocks or both are instants. */
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

/** Makes the encoder for queries of an operation. */
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
      // The codec of the contract validates the values that it encodes.
      const parameters = yield* RestOperation.encodeQuery(contract, values)
      return { params: { address }, parameters }
    })
}

/**
 * Encodes a query as text, or returns its first issue. Undefined parameters are omitted.
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
 * Encodes a query of user operations.
 *
 * **Example** (Encoding a query)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const encoded = Query.encodeUserOperations({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", role: "paymaster" })
 * console.log(Result.isSuccess(encoded)) // true
 * ```
 *
 * Source: decision 0049.
 */
export const encodeUserOperations: (
  query: UserOperationQuery,
) => Result.Result<Encoded<typeof RestOperation.userOperations>, Issue.Issue> =
  // Pure: bundlers leave it out of programs that do not use it.
  /* @__PURE__ */ encoder(RestOperation.userOperations)

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
 * Encodes the query of a signed statement.
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
 * Encodes a query of a comparison with the chain.
 *
 * **Example** (Encoding a query)
 *
 * ```ts
 * import * as Query from "@daybook/rest/Query"
 * import * as Result from "effect/Result"
 *
 * const encoded = Query.encodeProof({ address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", to_block: 17_000_000 })
 * console.log(Result.getOrThrow(encoded).parameters) // { to_block: '17000000' }
 * ```
 *
 * Source: decision 0050.
 */
export const encodeProof: (
  query: ProofQuery,
) => Result.Result<Encoded<typeof ChangeOperation.proveWallet>, Issue.Issue> = encoder(ChangeOperation.proveWallet)

/**
 * Encodes a query of events.
 *
 * **Example** (Encoding where events start)
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
  readonly parameters: RestOperation.QueryText<typeof ChangeOperation.putContract>
  readonly body?: string | undefined
}

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
  contractEncoder<DescriptionQuery>(["contract", "chain", "name", "abi"], readDescription)

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
  contractEncoder<ContractQuery>(["contract", "chain"], () => undefined)
