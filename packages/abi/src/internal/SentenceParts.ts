/** Building blocks of sentence templates: parts of a sentence, and the changes that a transaction makes. */
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

/** Sums of changes by asset, without those that cancel out. */
export const net = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const sums = new Map<string, Change>()
  for (const change of changes) {
    const before = sums.get(keyOf(change))?.amount ?? 0n
    sums.set(keyOf(change), { ...change, amount: before + change.amount })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

/** Changes that the value and token transfers of a transaction make for an address. */
export const changesOf = (address: string, { from, to, transfers, value }: Facts): ReadonlyArray<Change> => [
  ...(from === address && to !== address ? [{ asset: "native", tokenId: null, amount: -value }] : []),
  ...transfers.flatMap(({ amount, from: giver, to: taker, token, tokenId }): ReadonlyArray<Change> => {
    if (giver === taker) return []
    const change = { asset: token, tokenId }
    if (giver === address) return [{ ...change, amount: -amount }]
    return taker === address ? [{ ...change, amount }] : []
  }),
]

/** Addresses at which chains log ether transfers and fees in each transaction: EIP-7708 and Polygon. */
const etherLoggers: ReadonlySet<string> = new Set([`0x${"f".repeat(39)}e`, `0x${"1010".padStart(40, "0")}`])

export const isOfContract = ({ address }: EventLog): boolean => !etherLoggers.has(address)

/** Input of templates: the facts, and values derived from them. */
export interface Context extends Facts {
  readonly outs: ReadonlyArray<Change>
  readonly ins: ReadonlyArray<Change>
}

export const isPlain = ({ input }: Pick<Facts, "input">): boolean => input === "0x" || input === ""

/** True if part of the value may have been returned by internal calls that are not known. */
export const isUncertain = ({ movements, value }: Facts): boolean => movements === null && value > 0n

/** What was paid. For ether, at most this amount if part of it may have been returned. */
export const paid = (facts: Facts, change: Change): Parts =>
  change.asset === "native" && isUncertain(facts) ? [words("at most "), amountOf(change)] : [amountOf(change)]

/** The only item of a list; undefined if there are none or several. */
export const only = <A>(list: ReadonlyArray<A>): A | undefined => (list.length === 1 ? list[0] : undefined)

export const hasLabel = ({ call }: Facts, pattern: RegExp): boolean => call !== null && pattern.test(call.label)

export const logsOf = ({ logs }: Facts, topic: string): ReadonlyArray<EventLog> =>
  logs.filter(({ topics: [own] }) => own === topic)

export const because = ({ reason }: Facts): Parts => (reason === undefined ? [] : [words(": "), name(reason)])
