/** Sentence templates for swaps, purchases and sales, liquidity, deposits and withdrawals. */
import { addressIn, liquidityTopics, swapTopics, topics, wrappedCurrencies, zero } from "./SentenceEvents.ts"
import type { Change, Facts } from "./SentenceFacts.ts"
import {
  type Context,
  type Parts,
  amountOf,
  hasLabel,
  isUncertain,
  logsOf,
  only,
  paid,
  party,
  words,
} from "./SentenceParts.ts"

/** Lists amounts: `A`, `A and B`, `A, B and C`. */
const listOf = (changes: ReadonlyArray<Change>, facts: Facts): Parts =>
  changes.flatMap((change, at): Parts => {
    const between = at === changes.length - 1 ? " and " : ", "
    return at === 0 ? paid(facts, change) : [words(between), ...paid(facts, change)]
  })

/** Maximum number of amounts listed in a sentence. */
const maxListed = 3

const isFungible = ({ tokenId }: Change): boolean => tokenId === null

const through = ({ to }: Context): Parts => (to === null ? [] : [words(" through "), party(to)])

const hasSwap = ({ logs }: Facts): boolean => logs.some(({ topics: [topic] }) => swapTopics.has(topic ?? ""))

export const swap = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out === undefined || into === undefined || !isFungible(out) || !isFungible(into) || isUncertain(facts))
    return null
  return hasSwap(facts) ? [words("Swapped "), amountOf(out), words(" for "), amountOf(into), ...through(facts)] : null
}

/** A token from an exchange, or an item from a market, for ether, part of which may have been returned. */
export const purchase = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out?.asset !== "native" || into === undefined || !isUncertain(facts)) return null
  if (!hasSwap(facts) && (isFungible(into) || logsOf(facts, topics.orderFulfilled).length === 0)) return null
  return [words("Bought "), amountOf(into), words(" for at most "), amountOf(out), ...through(facts)]
}

/** A token given to an exchange for something unknown from the sender's history: mostly ether. */
export const sale = (facts: Context): Parts | null => {
  const out = only(facts.outs)
  if (out === undefined || out.asset === "native" || facts.ins.length > 0 || facts.movements !== null) return null
  const isUnwrapped = logsOf(facts, topics.unwrapped).length > 0
  return hasSwap(facts) && isUnwrapped ? [words("Sold "), amountOf(out), ...through(facts)] : null
}

/** An item of a collection for a currency, or vice versa. */
export const itemTrade = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out === undefined || into === undefined || isUncertain(facts)) return null
  if (isFungible(out) === isFungible(into) || facts.transfers.some(({ from }) => from === zero)) return null
  const [word, item, price] = isFungible(out) ? ["Bought ", into, out] : ["Sold ", out, into]
  return [words(word), amountOf(item), words(" for "), amountOf(price), ...through(facts)]
}

/** Tokens added to a position of a pool, new or existing. */
export const liquidity = (facts: Context): Parts | null => {
  const { ins, logs, outs } = facts
  const position = only(ins)
  const isAdded = logs.some(({ topics: [topic] }) => liquidityTopics.has(topic ?? ""))
  if (!isAdded || outs.length === 0 || outs.length > maxListed) return null
  const given: Parts = [words("Added "), ...listOf(outs, facts), words(" as liquidity")]
  if (ins.length === 0)
    return outs.every(isFungible) && logsOf(facts, topics.increased).length > 0 ? [...given, ...through(facts)] : null
  if (position === undefined) return null
  const isMade = facts.transfers.some(({ from, token }) => from === zero && token === position.asset)
  return isMade ? [...given, words(" for "), amountOf(position), ...through(facts)] : null
}

/** Ether exchanged for the same amount of a token, with only the token logged. */
export const wrapped = (facts: Context): Parts | null => {
  const { from, logs, to, value } = facts
  const log = only(logs)
  if (log === undefined || log.address !== to || addressIn(log.topics[1]) !== from) return null
  if (log.data.length !== 66 || BigInt(log.data) === 0n) return null
  const amount = amountOf({ asset: "native", tokenId: null, amount: BigInt(log.data) })
  return log.topics[0] === topics.wrapped && BigInt(log.data) === value
    ? [words("Deposited "), amount, words(" into "), party(to)]
    : null
}

/** A wrapped currency exchanged back for ether. If movements are unknown, only for contracts that pay out what they log. */
export const unwrapped = (facts: Context): Parts | null => {
  const log = only(facts.logs)
  if (facts.movements === null && log !== undefined && wrappedCurrencies.has(log.address) && log.address === facts.to) {
    const isOfSender = log.topics[0] === topics.unwrapped && addressIn(log.topics[1]) === facts.from
    if (!isOfSender || log.data.length !== 66 || facts.value > 0n) return null
    return [words("Unwrapped "), amountOf({ asset: log.address, tokenId: null, amount: BigInt(log.data) })]
  }
  const into = only(facts.ins)
  if (log === undefined || into?.asset !== "native" || log.address !== facts.to) return null
  if (log.topics[0] !== topics.unwrapped) return null
  return [words("Withdrew "), amountOf(into), words(" from "), party(log.address)]
}

/** One asset deposited into a contract, possibly for shares that the contract minted. */
export const deposit = (facts: Context): Parts | null => {
  const { from, ins, outs, to, transfers } = facts
  const out = only(outs)
  if (out === undefined || to === null || !hasLabel(facts, /^(?:deposit|supply|stake|addLiquidity|lock|mint)/i))
    return null
  const shares = only(ins)
  if (ins.length > 0 && shares === undefined) return null
  if (
    shares !== undefined &&
    !transfers.some((one) => one.from === zero && one.to === from && one.token === shares.asset)
  ) {
    return null
  }
  return [
    words("Deposited "),
    ...paid(facts, out),
    words(" into "),
    party(to),
    ...(shares === undefined ? [] : [words(" for "), amountOf(shares)]),
  ]
}

/** Assets withdrawn from a contract, possibly for shares that it burned. */
export const withdrawal = (facts: Context): Parts | null => {
  const { from, ins, outs, to, transfers } = facts
  if (
    ins.length === 0 ||
    ins.length > maxListed ||
    to === null ||
    isUncertain(facts) ||
    !hasLabel(facts, /^(?:withdraw|redeem|unstake|claim|getReward|harvest|collect|removeLiquidity)/i)
  )
    return null
  const shares = only(outs)
  if (outs.length > 0 && shares === undefined) return null
  if (
    shares !== undefined &&
    !transfers.some((one) => one.from === from && one.to === zero && one.token === shares.asset)
  ) {
    return null
  }
  return [
    words(hasLabel(facts, /^(?:claim|getReward|harvest|collect)/i) ? "Claimed " : "Withdrew "),
    ...listOf(ins, facts),
    words(" from "),
    party(to),
    ...(shares === undefined ? [] : [words(" for "), amountOf(shares)]),
  ]
}

/** True if the sender may have received an unknown amount of ether, because a wrapped currency was unwrapped. */
const mayHaveEther = (facts: Context): boolean => facts.movements === null && logsOf(facts, topics.unwrapped).length > 0

/** Assets exchanged for others, without an indication of the venue. */
export const exchange = (facts: Context): Parts | null => {
  const { ins, outs } = facts
  const isListed = [ins, outs].every(({ length }) => length > 0 && length <= maxListed)
  if (!isListed || mayHaveEther(facts)) return null
  return [words("Gave "), ...listOf(outs, facts), words(" and received "), ...listOf(ins, facts), ...through(facts)]
}

/** Tokens that the sender only gave, or only received. */
export const oneSided = (facts: Context): Parts | null => {
  const { ins, outs, to } = facts
  const changes = ins.length === 0 ? outs : outs.length === 0 ? ins : []
  const isListed = changes.length <= maxListed && changes.some(({ asset }) => asset !== "native")
  if (to === null || !isListed || mayHaveEther(facts)) return null
  if (ins.length > 0) return [words("Received "), ...listOf(ins, facts), ...through(facts)]
  const given = facts.transfers.filter(({ from }) => from === facts.from)
  const isBurned = given.every(({ to: taker }) => taker === zero) && outs.every(({ asset }) => asset !== "native")
  return [words(isBurned ? "Burned " : "Gave "), ...listOf(outs, facts), ...through(facts)]
}
