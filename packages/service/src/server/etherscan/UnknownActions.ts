/**
 * Actions for information that neither an index nor a node has. They return an error with that explanation, because "unknown action" would
 * blame the client.
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
const holders = unknown("The holders of tokens are")
const network = unknown("Nodes of the network and their sizes are")

/** Daily statistics, by action of the module `stats`. */
const daily = [
  "dailyavgblocksize",
  "dailyavgblocktime",
  "dailyavggaslimit",
  "dailyavggasprice",
  "dailyavghashrate",
  "dailyavgnetdifficulty",
  "dailyblkcount",
  "dailyblockrewards",
  "dailygasused",
  "dailynetutilization",
  "dailynewaddress",
  "dailytx",
  "dailytxnfee",
  "dailyuncleblkcount",
]

/** The actions. */
export const actions: Actions = {
  ...Object.fromEntries(daily.map((action) => [`stats/${action}`, unknown("Daily statistics are")])),
  "stats/chainsize": network,
  "stats/nodecount": network,
  "stats/ethdailyprice": prices,
  "stats/ethprice": prices,
  "stats/ethsupply": supply,
  "stats/ethsupply2": supply,
  "account/getdeposittxs": unknown("Deposits from L1 are"),
  "account/getwithdrawaltxs": unknown("Withdrawals to L1 are"),
  "account/txnbridge": unknown("Bridge transactions are"),
  "gastracker/gasestimate": unknown("The time until a transaction is mined is"),
  "token/tokenholdercount": holders,
  "token/tokenholderlist": holders,
  "token/topholders": holders,
}
