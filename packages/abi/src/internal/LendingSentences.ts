/** Sentence templates for loans and repayments, by the logs of Aave and its forks. */
import { addressIn, topics } from "./SentenceEvents.ts"
import { type Context, type Parts, amountOf, only, party, words } from "./SentenceParts.ts"

/** A word of a log's data as a number; undefined if the data is too short. */
const amountAt = (data: string, at: number): bigint | undefined => {
  const word = data.slice(2 + 64 * at, 66 + 64 * at)
  return word.length === 64 ? BigInt(`0x${word}`) : undefined
}

/** The asset that a pool lent and sent to the sender. */
export const loan = ({ from, logs, to, transfers }: Context): Parts | null => {
  const log = only(logs.filter(({ topics: [topic] }) => topic === topics.borrowed || topic === topics.borrowedEarlier))
  if (log === undefined || to === null || log.address !== to) return null
  const [asset, amount] = [addressIn(log.topics[1]), amountAt(log.data, 1)]
  const lent = only(transfers.filter((one) => one.token === asset && one.to === from && one.amount === amount))
  return lent === undefined
    ? null
    : [words("Borrowed "), amountOf({ asset, tokenId: null, amount: lent.amount }), words(" from "), party(to)]
}

/** What the sender repaid to a pool. */
export const repayment = ({ from, logs, to, transfers }: Context): Parts | null => {
  const log = only(logs.filter(({ topics: [topic] }) => topic === topics.repaid || topic === topics.repaidEarlier))
  if (log === undefined || to === null || log.address !== to) return null
  const [asset, amount] = [addressIn(log.topics[1]), amountAt(log.data, 0)]
  const given = only(transfers.filter((one) => one.token === asset && one.from === from && one.amount === amount))
  return given === undefined
    ? null
    : [words("Repaid "), amountOf({ asset, tokenId: null, amount: given.amount }), words(" to "), party(to)]
}
