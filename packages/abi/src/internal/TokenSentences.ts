/** Sentence templates for token transfers, mints and burns, approvals, contract creations and failures. */
import type { TokenTransfer } from "@daybook/schema/TokenTransfer"
import { addressIn, topics, zero } from "./SentenceEvents.ts"
import type { EventLog, Part } from "./SentenceFacts.ts"
import {
  type Context,
  type Parts,
  amountOf,
  because,
  hasLabel,
  isPlain,
  name,
  only,
  paid,
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

export const transferLabel = /^(?:transfer|transferFrom|safeTransferFrom|transferWithAuthorization|send)$/

/** The only token transfer of a transaction that moved nothing else. */
export const transfer = ({ from, ins, transfers, value }: Context): Parts | null => {
  const moved = only(transfers)
  if (moved === undefined || value > 0n || moved.amount === 0n) return null
  if (ins.some(({ asset }) => asset === "native")) return null
  if (moved.from === zero || moved.to === zero) return null
  const amount = amountOf({ asset: moved.token, tokenId: moved.tokenId, amount: moved.amount })
  if (moved.from === moved.to) return moved.from === from ? [words("Sent "), amount, words(" to itself")] : null
  return moved.from === from
    ? [words("Sent "), amount, words(" to "), party(moved.to)]
    : [words("Moved "), amount, words(" from "), party(moved.from), words(" to "), party(moved.to)]
}

/** The same token sent to several addresses. */
export const distribution = (facts: Context): Parts | null => {
  const { from, ins, outs, transfers } = facts
  const out = only(outs)
  if (hasLabel(facts, transferLabel)) return null
  if (out === undefined || ins.length > 0) return null
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

/** Amount of a token minted to an address; `null` if any other transfer of the token involves it. */
const mintedTo = (taker: string, { transfers }: Context): ReadonlyArray<TokenTransfer> | null => {
  const moved = transfers.filter(({ amount, from, to }) => amount > 0n && (to === taker || from === taker))
  const [first] = moved
  return first !== undefined && moved.every(({ from, token }) => from === zero && token === first.token) ? moved : null
}

/** An amount of one token, or a number of items of one collection. */
const mintedItems = (minted: ReadonlyArray<TokenTransfer>): Parts | null => {
  const [first] = minted
  if (first === undefined) return null
  const one = only(minted)
  if (one !== undefined) return [amountOf({ asset: one.token, tokenId: one.tokenId, amount: one.amount })]
  const ids = new Set(minted.map(({ tokenId }) => tokenId))
  const areItems = !ids.has(null) && ids.size === minted.length && minted.every(({ amount }) => amount === 1n)
  return areItems ? [words(`${minted.length} items of `), tokenOf(first.token)] : null
}

const forPrice = (facts: Context): Parts => {
  const price = only(facts.outs)
  return price === undefined ? [] : [words(" for "), ...paid(facts, price)]
}

/** Tokens minted for the sender or another address, possibly for a price in ether. */
const mintedBy = (facts: Context, takers: ReadonlyArray<string>): Parts | null => {
  const { from, ins, outs } = facts
  const taker = only(takers)
  if (taker === undefined || outs.some(({ asset }) => asset !== "native")) return null
  if (ins.some(({ asset }) => asset === "native")) return null
  const items = mintedItems(mintedTo(taker, facts) ?? [])
  if (items === null) return null
  return [words("Minted "), ...items, ...(taker === from ? [] : [words(" to "), party(taker)]), ...forPrice(facts)]
}

/** A mint recognised by the function called, for any recipient. */
export const mint = (facts: Context): Parts | null => {
  const takers = new Set(facts.transfers.filter(({ amount }) => amount > 0n).map(({ to }) => to))
  return hasLabel(facts, /mint|claim|buy|purchase/i) ? mintedBy(facts, [...takers]) : null
}

/**
 * A mint recognised by its transfers: everything that the sender received was minted in the transaction, whatever the function's name; or,
 * for another recipient, everything that moved.
 */
export const made = (facts: Context): Parts | null => {
  if (mintedTo(facts.from, facts) !== null) return mintedBy(facts, [facts.from])
  const one = only(facts.transfers)
  return one?.from === zero && facts.value === 0n ? mintedBy(facts, [one.to]) : null
}

/** True for an unlimited allowance: the largest number of an integer type, or more than any token supply. */
const isUnbounded = (amount: bigint): boolean =>
  amount >= 2n ** 128n || (amount >= 2n ** 95n && (amount & (amount + 1n)) === 0n)

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
  const limit: Parts = isUnbounded(amount)
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
