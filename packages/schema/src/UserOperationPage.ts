/**
 * Pages of a wallet's user operations, and the query parameters of their operation. It is separate from `UserOperation` so that programs
 * that do not need it do not download it.
 */
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"
import { type Named, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"
import { UserOperation } from "./UserOperation.ts"
import * as WalletQuery from "./WalletQuery.ts"

const { chain, cursor, from_block, from_date, limit, order, to_block, to_date } = WalletQuery.WalletQuery.fields

/**
 * Query parameters of the user operations of a wallet, all optional.
 *
 * **Example** (Decoding the query of a URL)
 *
 * ```ts
 * import * as UserOperationPage from "@daybook/schema/UserOperationPage"
 * import * as Schema from "effect/Schema"
 *
 * console.log(Schema.decodeUnknownSync(UserOperationPage.UserOperationQuery)({ role: "paymaster" }).role) // paymaster
 * ```
 *
 * Source: decision 0049.
 */
export const UserOperationQuery = Schema.Struct({
  chain,
  from_block,
  to_block,
  from_date,
  to_date,
  cursor,
  /** `operation_sender`, `paymaster` or `bundler`: only operations in which the wallet has this role. Default: any role. */
  role: Schema.optionalKey(Schema.Literals(["operation_sender", "paymaster", "bundler"])),
  limit,
  order,
})

export interface UserOperationQuery extends Schema.Schema.Type<typeof UserOperationQuery> {}

const userOperationPageCodec = open("UserOperationPage", {
  /** Cursor of the next page; `null` on the last page. */
  cursor: Text.OrNone,
  /** Number of the page, from 0. */
  page: Decimal.SafeInteger,
  /** Limit in force: maximum number of rows on the page. */
  page_size: Decimal.SafeInteger,
  /** Operations, in the requested order. */
  result: Schema.Array(UserOperation),
})

export interface UserOperationPage extends Schema.Schema.Type<typeof userOperationPageCodec> {}

/** Encoded form of `UserOperationPage`: the values of its JSON. */
export interface UserOperationPageWire extends Schema.Codec.Encoded<typeof userOperationPageCodec> {}

/**
 * Page of user operations.
 *
 * **Gotchas**
 *
 * - A page may have few or no rows and still have a cursor, because the server searches a bounded part of the range per page.
 *
 * **Example** (Decoding an empty page)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import * as UserOperationPage from "@daybook/schema/UserOperationPage"
 *
 * const wire = { cursor: null, page: "0", page_size: "100", result: [] }
 * console.log(Schema.decodeUnknownSync(UserOperationPage.UserOperationPage)(wire).page_size) // 100
 * ```
 *
 * Source: decision 0049.
 */
export const UserOperationPage: Named<typeof userOperationPageCodec, UserOperationPage, UserOperationPageWire> =
  userOperationPageCodec

/**
 * Unknown keys of a page, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as UserOperationPage from "@daybook/schema/UserOperationPage"
 *
 * declare const page: UserOperationPage.UserOperationPage
 * export const extras = () => UserOperationPage.extras(page)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: UserOperationPage): Readonly<Record<string, unknown>> => UserOperationPage.extras(value)
