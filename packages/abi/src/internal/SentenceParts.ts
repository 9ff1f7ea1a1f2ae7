/** What templates of sentences are written with: parts of a sentence, and what a transaction changes. */
import type { Change, EventLog, Facts, Part } from "./SentenceFacts.ts"

export type Parts = ReadonlyArray<Part>

export const words = (text: string): Part => ({ _tag: "Words", text })
export const name = (text: string): Part => ({ _tag: "Name", text })
export const party = (address: string): Part => ({ _tag: "Address", address })
export const tokenOf = (address: string): Part => ({ _tag: "Token", address })

/** A change without its sign. */
export const amountOf = ({ amount, asset, tokenId }: Change): Part => ({
  _tag: "Amount",
  asset,
  tokenId,
  amount: amount < 0n ? -amount : amount,
})

const keyOf = ({ asset, tokenId }: Change): string => `${asset} ${tokenId ?? ""}`

/** Sums of changes by asset, without those that cancel each other. */
export const net = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const sums = new Map<string, Change>()
  for (const change of changes) {
    const before = sums.get(keyOf(change))?.amount ?? 0n
    sums.set(keyOf(change), { ...change, amount: before + change.amount })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

/** What the value and the tokens of a transaction changed for an address. */
export const changesOf = (address: string, { from, to, transfers, value }: Facts): ReadonlyArray<Change> => [
  ...(from === address && to !== address ? [{ asset: "native", tokenId: null, amount: -value }] : []),
  ...transfers.flatMap(({ amount, from: giver, to: taker, token, tokenId }): ReadonlyArray<Change> => {
    if (giver === taker) return []
    const change = { asset: token, tokenId }
    if (giver === address) return [{ ...change, amount: -amount }]
    return taker === address ? [{ ...change, amount }] : []
  }),
]

/** Addresses by which chains log ether that moves, and its fees, in each transaction: EIP-7708, and Polygon. */
const etherLoggers: ReadonlySet<string> = new Set([`0x${"f".repeat(39)}e`, `0x${"1010".padStart(40, "0")}`])

export const isOfContract = ({ address }: EventLog): boolean => !etherLoggers.has(address)

/** What templates look at beside the facts. */
export interface Context extends Facts {
  readonly outs: ReadonlyArray<Change>
  readonly ins: ReadonlyArray<Change>
}

export const isPlain = ({ input }: Pick<Facts, "input">): boolean => input === "0x" || input === ""

/** A part of the value may have come back by calls inside that are not known. */
export const isUncertain = ({ movements, value }: Facts): boolean => movements === null && value > 0n

/** What was given: of ether no more than that, where a part of it may have come back. */
export const paid = (facts: Facts, change: Change): Parts =>
  change.asset === "native" && isUncertain(facts) ? [words("at most "), amountOf(change)] : [amountOf(change)]

/** The only one of a list; undefined where there are none or several. */
export const only = <A>(list: ReadonlyArray<A>): A | undefined => (list.length === 1 ? list[0] : undefined)

export const hasLabel = ({ call }: Facts, pattern: RegExp): boolean => call !== null && pattern.test(call.label)

export const logsOf = ({ logs }: Facts, topic: string): ReadonlyArray<EventLog> =>
  logs.filter(({ topics: [own] }) => own === topic)

export const because = ({ reason }: Facts): Parts => (reason === undefined ? [] : [words(": "), name(reason)])
