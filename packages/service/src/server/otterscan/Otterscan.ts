/**
 * The methods of Otterscan, an explorer that reads a node over JSON-RPC: `ots_*` at API level 8, and block headers as returned by Erigon.
 * One method of nodes is read as Otterscan's of the same name. To add a method, add an entry to one of the tables.
 *
 * Source: decision 0016.
 */
import * as Effect from "effect/Effect"
import * as LocalMethod from "../relay/LocalMethod.ts"
import * as Accounts from "./Accounts.ts"
import * as Blocks from "./Blocks.ts"
import * as Searches from "./Searches.ts"
import * as Transactions from "./Transactions.ts"

/** The level that Otterscan 2.10 requires. */
const apiLevel = 8

/** All methods by name. */
export const methods: LocalMethod.Table = new Map(
  Object.entries({
    ots_getApiLevel: LocalMethod.make([], () => Effect.succeed(apiLevel)),
    ...Blocks.methods,
    ...Transactions.methods,
    ...Searches.methods,
    ...Accounts.methods,
  }),
)

/** The methods for the relay. */
export const layer = LocalMethod.layer(methods)
