/**
 * A page of a wallet's transactions: the answer of the wallet operation.
 */
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"
import { oneOrMany, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"
import * as WalletTransaction from "./WalletTransaction.ts"

/**
 * A page of a wallet's transactions.
 *
 * Source: interface 2.1; decisions 0001, 0003, 0007 and 0011.
 *
 * @category codecs
 * @since 0.1.0
 */
export const WalletPage = open(
  "WalletPage",
  {
    /** Ask with this for the next page; `null` on the last. Source: interface 2.1, 4.1; decision 0011. */
    cursor: Schema.optionalKey(Text.OrNone),
    /** Number of the page in its walk, from 0. Wire: decimal string. Source: interface 2.1; decision 0007. */
    page: Decimal.SafeInteger,
    /** Most rows that the page may have: the limit in force. Wire: decimal string. Source: interface 2.1; decision 0007. */
    page_size: Decimal.SafeInteger,
    /** The transactions, in the order asked for. Source: interface 2.1; decision 0001. */
    result: oneOrMany(WalletTransaction.WalletTransaction),
  },
  { cursor: () => null },
)

/**
 * A page of a wallet's transactions.
 *
 * @category models
 * @since 0.1.0
 */
export interface WalletPage extends Schema.Schema.Type<typeof WalletPage> {}

/**
 * The keys of a page that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 *
 * @category combinators
 * @since 0.1.0
 */
export const extras = (page: WalletPage): Readonly<Record<string, unknown>> => WalletPage.extras(page)
