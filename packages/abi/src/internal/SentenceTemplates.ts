/** The table of templates, and the templates for votes, bridges, user operations and other calls. */
import { addressIn, predeploys, topics, zero } from "./SentenceEvents.ts"
import type { Action } from "./SentenceFacts.ts"
import {
  type Context,
  type Parts,
  amountOf,
  hasLabel,
  logsOf,
  name,
  only,
  party,
  tokenOf,
  words,
} from "./SentenceParts.ts"
import {
  approval,
  burn,
  creation,
  distribution,
  failed,
  made,
  mint,
  transfer,
  transferLabel,
} from "./TokenSentences.ts"
import { loan, repayment } from "./LendingSentences.ts"
import { ether, nothing, paidCall, text } from "./PaymentSentences.ts"
import {
  deposit,
  exchange,
  itemTrade,
  liquidity,
  oneSided,
  purchase,
  sale,
  swap,
  unwrapped,
  withdrawal,
  wrapped,
} from "./TradeSentences.ts"

const choices: Readonly<Record<string, string>> = { 0: "against", 1: "for", 2: "to abstain on" }

/** The only vote, cast by the sender. Its data has the proposal, choice, weight and a text. */
const vote = ({ from, logs, to }: Context): Parts | null => {
  const log = only(logs)
  if (log === undefined || to === null || log.address !== to || log.topics[0] !== topics.voteCast) return null
  if (addressIn(log.topics[1]) !== from || log.data.length < 2 + 5 * 64) return null
  const choice = choices[String(BigInt(`0x${log.data.slice(66, 130)}`))]
  return choice === undefined ? null : [words(`Voted ${choice} a proposal of `), party(to)]
}

const delegation = ({ from, logs, to }: Context): Parts | null => {
  const log = logs.find(({ topics: [topic] }) => topic === topics.delegateChanged)
  if (log === undefined || to === null || log.address !== to || addressIn(log.topics[1]) !== from) return null
  return [words("Delegated votes of "), tokenOf(to), words(" to "), party(addressIn(log.topics[3]))]
}

/** What arrived from the parent chain through the standard bridge of an OP Stack chain. */
const arrival = (facts: Context): Parts | null => {
  const { logs, to, transfers, value } = facts
  const log = only(logs.filter(({ topics: [topic] }) => topic === topics.tokenArrived))
  if (log === undefined || to !== predeploys.messenger || log.address !== predeploys.bridge) return null
  if (log.data.length < 2 + 2 * 64) return null
  const [taker, amount] = [addressIn(log.data.slice(2, 66)), BigInt(`0x${log.data.slice(66, 130)}`)]
  const isEther = logs.some(
    ({ address, topics: [topic] }) => address === predeploys.bridge && topic === topics.etherArrived,
  )
  const minted = only(transfers)
  const asset = isEther ? "native" : minted?.from === zero && minted.to === taker ? minted.token : undefined
  if (asset === undefined || amount !== (isEther ? value : minted?.amount)) return null
  return [
    words("Bridged "),
    amountOf({ asset, tokenId: null, amount }),
    words(" from the parent chain to "),
    party(taker),
  ]
}

/** What leaves for the parent chain: ether through the system contract of Arbitrum, or a token burned by a bridge of the OP Stack. */
const departure = (facts: Context): Parts | null => {
  const { from, input, logs, to, transfers, value } = facts
  const out = only(facts.outs)
  const burned = only(transfers)
  const isSent = logs.some(
    ({ address, topics: [topic] }) => address === predeploys.messenger && topic === topics.sentMessage,
  )
  const isToken = isSent && burned?.from === from && burned.to === zero && out?.asset === burned.token
  const isEther = to === predeploys.arbSys && input.startsWith("0x25e16063") && value > 0n && transfers.length === 0
  if (out === undefined || facts.ins.length > 0 || (!isToken && !isEther)) return null
  return [words("Bridged "), amountOf(out), words(" to the parent chain")]
}

const userOperations = (facts: Context): Parts | null => {
  const count = logsOf(facts, topics.userOperation).filter(({ address }) => address === facts.to).length
  if (count === 0 || facts.to === null || !hasLabel(facts, /^handle(?:Aggregated)?Ops$/)) return null
  return [words(`Ran ${count} user ${count === 1 ? "operation" : "operations"} by `), party(facts.to)]
}

const called = ({ call, to }: Context): Parts | null =>
  call === null || to === null ? null : [words("Called "), name(call.label), words(" of "), party(to)]

/** The templates; the first one that matches makes the sentence. */
export const templates: ReadonlyArray<readonly [Action, (facts: Context) => Parts | null]> = [
  ["failed", failed],
  ["creation", creation],
  ["deposit", wrapped],
  ["transfer", ether],
  ["empty transaction", nothing],
  ["text", text],
  ["user operations", userOperations],
  ["approval", approval],
  ["bridge", arrival],
  ["bridge", departure],
  ["vote", vote],
  ["loan", loan],
  ["repayment", repayment],
  ["swap", swap],
  ["purchase", purchase],
  ["sale", sale],
  ["liquidity", liquidity],
  ["withdrawal", unwrapped],
  ["transfer", (facts) => (facts.call === null || hasLabel(facts, transferLabel) ? transfer(facts) : null)],
  ["mint", mint],
  ["deposit", deposit],
  ["withdrawal", withdrawal],
  ["burn", burn],
  ["transfer", distribution],
  ["transfer", transfer],
  ["mint", made],
  ["exchange", itemTrade],
  ["exchange", exchange],
  ["delegation", delegation],
  ["exchange", oneSided],
  ["call", paidCall],
  ["call", called],
]
