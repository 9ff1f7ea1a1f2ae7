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
 * Source: docs/interface.md#2.1; decisions 0001, 0003, 0007 and 0011.
 */
export const WalletPage = open(
  "WalletPage",
  {
    /** Ask with this for the next page; `null` on the last. */
    cursor: Schema.optionalKey(Text.OrNone),
    /** Number of the page in its walk, from 0. Wire: decimal string. */
    page: Decimal.SafeInteger,
    /** Most rows that the page may have: the limit in force. Wire: decimal string. */
    page_size: Decimal.SafeInteger,
    /** The transactions, in the order asked for. */
    result: oneOrMany(WalletTransaction.WalletTransaction),
  },
  { cursor: () => null },
)

/**
 * A page of a wallet's transactions.
 */
export interface WalletPage extends Schema.Schema.Type<typeof WalletPage> {}

/**
 * The keys of a page that the schema does not name, with their values as they came.
 *
 * Source: decision 0004.
 */
export const extras = (page: WalletPage): Readonly<Record<string, unknown>> => WalletPage.extras(page)
