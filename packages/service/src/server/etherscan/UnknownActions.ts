/**
 * Actions of what neither an index nor a node states: an error that states it, since an unknown action would blame the client.
 *
 * Source: decision 0070.
 */
import * as Effect from "effect/Effect"
import type { Action, Actions } from "./Action.ts"
import * as Envelope from "./Envelope.ts"

const unknown = (what: string): Action => ({
  operation: "walletTransactions",
  answer: () => Effect.fail(Envelope.notOk(`Error! ${what} not known here`)),
})

const prices = unknown("Prices are")
const supply = unknown("The supply of the native currency is")

/** The actions. */
export const actions: Actions = {
  "stats/ethprice": prices,
  "stats/ethsupply": supply,
  "stats/ethsupply2": supply,
  "account/getdeposittxs": unknown("Transactions of L1 that deposit are"),
  "account/getwithdrawaltxs": unknown("Transactions of L1 that withdraw are"),
}
