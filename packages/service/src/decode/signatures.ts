/**
 * The signatures that Daybook decodes by without being told, one line each. A new line reaches old rows too: it changes the
 * decoder's revision, and rows of another revision are decoded again.
 */
import { batch } from "./signatures/batch.ts"
import { control } from "./signatures/control.ts"
import { exchange } from "./signatures/exchange.ts"
import { token } from "./signatures/token.ts"

/**
 * Every built-in signature, in the order in which equal selectors are tried.
 */
export const signatures: ReadonlyArray<string> = [...token, ...exchange, ...batch, ...control]
