/** Templates of sentences: payments, tokens that are sent, minted and burnt, approvals, creations and failures. */
import { addressIn, topics, zero } from "./SentenceEvents.ts"
import type { EventLog, Part } from "./SentenceFacts.ts"
import {
  type Context,
  type Parts,
  amountOf,
  because,
  hasLabel,
  isPlain,
  isUncertain,
  name,
  only,
  party,
  tokenOf,
  words,
} from "./SentenceParts.ts"

export const failed = (facts: Context): Parts | null => {
  const { call, status, to, value } = facts
  if (status !== 0) return null
  if (to === null) return [words("Failed to create a contract"), ...because(facts)]
  if (call !== null) return [words("Failed to call "), name(call.label), words(" of "), party(to), ...because(facts)]
  return isPlain(facts) && value > 0n
    ? [
        words("Failed to send "),
        amountOf({ asset: "native", tokenId: null, amount: value }),
        words(" to "),
        party(to),
        ...because(facts),
      ]
    : [words("Failed to call "), party(to), ...because(facts)]
}

export const creation = ({ created, to }: Context): Parts | null =>
  to === null && created !== null ? [words("Created the contract "), party(created)] : null

export const ether = (facts: Context): Parts | null => {
  const { to, transfers, value } = facts
  if (to === null || to === facts.from || value === 0n || !isPlain(facts) || transfers.length > 0) return null
  return [words("Sent "), amountOf({ asset: "native", tokenId: null, amount: value }), words(" to "), party(to)]
}

export const transferLabel = /^(?:transfer|transferFrom|safeTransferFrom|transferWithAuthorization|send)$/

/** The only transfer of tokens, of a transaction that moved nothing else. */
export const transfer = ({ from, transfers, value }: Context): Parts | null => {
  const moved = only(transfers)
  if (moved === undefined || value > 0n || moved.amount === 0n) return null
  if (moved.from === zero || moved.to === zero || moved.from === moved.to) return null
  const amount = amountOf({ asset: moved.token, tokenId: moved.tokenId, amount: moved.amount })
  return moved.from === from
    ? [words("Sent "), amount, words(" to "), party(moved.to)]
    : [words("Moved "), amount, words(" from "), party(moved.from), words(" to "), party(moved.to)]
}

/** The same token to several addresses. */
export const distribution = (facts: Context): Parts | null => {
  const { from, ins, outs, transfers } = facts
  const out = only(outs)
  if (hasLabel(facts, transferLabel)) return null
  if (out === undefined || ins.length > 0 || out.asset === "native" || transfers.length < 2) return null
  if (transfers.some((one) => one.from !== from || one.token !== out.asset || one.to === zero)) return null
  const takers = new Set(transfers.map(({ to }) => to))
  return takers.size < 2 ? null : [words("Sent "), amountOf(out), words(` to ${takers.size} addresses`)]
}

export const burn = (facts: Context): Parts | null => {
  const { from, ins, transfers, value } = facts
  const moved = only(transfers)
  // Ether may have been paid for it.
  if (ins.length > 0 || (facts.movements === null && !hasLabel(facts, /burn/i))) return null
  if (moved === undefined || value > 0n || moved.from !== from || moved.to !== zero || moved.amount === 0n) return null
  return [words("Burned "), amountOf({ asset: moved.token, tokenId: moved.tokenId, amount: moved.amount })]
}

/** Tokens that were made, perhaps for a price. */
export const mint = (facts: Context): Parts | null => {
  const { from, ins, outs, transfers } = facts
  const made = transfers.filter((one) => one.from === zero && one.amount > 0n)
  const one = only(made)
  const isAll = made.length === transfers.length && outs.every(({ asset }) => asset === "native")
  if (one === undefined || !isAll || isUncertain(facts) || !hasLabel(facts, /mint|claim|buy|purchase/i)) return null
  const got = amountOf({ asset: one.token, tokenId: one.tokenId, amount: one.amount })
  const price = only(outs)
  if (ins.some(({ asset }) => asset === "native")) return null
  return [
    words("Minted "),
    got,
    ...(one.to === from ? [] : [words(" to "), party(one.to)]),
    ...(price === undefined ? [] : [words(" for "), amountOf(price)]),
  ]
}

/** The only thing that moved was made in the transaction, whatever it was called. */
export const made = (facts: Context): Parts | null => {
  const one = only(facts.transfers)
  if (one === undefined || one.from !== zero || one.amount === 0n || facts.outs.some(({ asset }) => asset !== "native"))
    return null
  const minted = amountOf({ asset: one.token, tokenId: one.tokenId, amount: one.amount })
  const taker: Parts = one.to === facts.from ? [] : [words(" to "), party(one.to)]
  return [words("Minted "), minted, ...taker]
}

/** More than a contract can ever move: an allowance without a bound. */
const unbounded = 2n ** 95n

const allowance = ({ address, data, topics: [, , spender, id] }: EventLog): Parts | null => {
  if (id !== undefined) {
    const taken = addressIn(spender)
    const item: Part = { _tag: "Amount", asset: address, tokenId: BigInt(id), amount: 1n }
    return taken === zero ? null : [words("Allowed "), party(taken), words(" to move "), item]
  }
  if (data.length !== 66) return null
  const amount = BigInt(data)
  if (amount === 0n)
    return [words("Revoked the allowance of "), party(addressIn(spender)), words(" for "), tokenOf(address)]
  const limit: Parts =
    amount >= unbounded
      ? [words("any amount of "), tokenOf(address)]
      : [words("up to "), { _tag: "Amount", asset: address, tokenId: null, amount }]
  return [words("Allowed "), party(addressIn(spender)), words(" to spend "), ...limit]
}

export const approval = (facts: Context): Parts | null => {
  const log = only(facts.logs)
  const [topic, owner, operator] = log?.topics ?? []
  if (log === undefined || facts.value > 0n || log.address !== facts.to || addressIn(owner) !== facts.from) return null
  if (topic === topics.approval) return allowance(log)
  if (topic !== topics.approvalForAll || log.data.length !== 66) return null
  const isGiven = BigInt(log.data) !== 0n
  return isGiven
    ? [words("Allowed "), party(addressIn(operator)), words(" to move every token of "), tokenOf(log.address)]
    : [
        words("Revoked the allowance of "),
        party(addressIn(operator)),
        words(" for every token of "),
        tokenOf(log.address),
      ]
}
