/**
 * Pages of wallet transactions.
 */
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"
import { type Named, oneOrMany, open } from "./internal/open.ts"
import * as Text from "./internal/text.ts"
import * as WalletTransaction from "./WalletTransaction.ts"

const walletPageCodec = open(
  "WalletPage",
  {
    /** Cursor of the next page; `null` on the last page. */
    cursor: Schema.optionalKey(Text.OrNone),
    /** Number of the page, from 0. */
    page: Decimal.SafeInteger,
    /** Limit in force: maximum number of rows on the page. */
    page_size: Decimal.SafeInteger,
    /** Transactions, in the requested order. */
    result: oneOrMany(WalletTransaction.WalletTransaction),
  },
  { cursor: () => null },
)

export interface WalletPage extends Schema.Schema.Type<typeof walletPageCodec> {}

/** Encoded form of `WalletPage`: the values of its JSON. */
export interface WalletPageWire extends Schema.Codec.Encoded<typeof walletPageCodec> {}

/**
 * Page of wallet transactions.
 *
 * **Example** (Decoding an empty page)
 *
 * ```ts
 * import * as WalletPage from "@daybook/schema/WalletPage"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { cursor: null, page: "0", page_size: "100", result: [] }
 * console.log(Schema.decodeUnknownSync(WalletPage.WalletPage)(wire).page_size) // 100
 * ```
 *
 * Source: docs/interface.md#2.1; decisions 0008, 0011 and 0020.
 */
export const WalletPage: Named<typeof walletPageCodec, WalletPage, WalletPageWire> = walletPageCodec

/**
 * Unknown keys of a page, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as WalletPage from "@daybook/schema/WalletPage"
 * import * as Schema from "effect/Schema"
 *
 * const wire = { cursor: null, page: "0", page_size: "100", result: [], total: 7 }
 * console.log(WalletPage.extras(Schema.decodeUnknownSync(WalletPage.WalletPage)(wire))) // { total: 7 }
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (page: WalletPage): Readonly<Record<string, unknown>> => WalletPage.extras(page)
