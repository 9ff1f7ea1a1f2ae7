/**
 * Built-in signatures, one line each. A new line also applies to stored rows: it changes the revision of the decoder, and rows of
 * another revision are decoded again.
 */
import { batch } from "./signatures/batch.ts"
import { control } from "./signatures/control.ts"
import { exchange } from "./signatures/exchange.ts"
import { protocols } from "./signatures/protocols.ts"
import { token } from "./signatures/token.ts"

/**
 * All built-in signatures, in the order in which equal selectors are tried.
 */
export const signatures: ReadonlyArray<string> = [...token, ...exchange, ...batch, ...control, ...protocols]
