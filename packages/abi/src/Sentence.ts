/**
 * What a transaction did, as a sentence: made by a table of templates from the tokens that it moved, its value and its decoded call.
 * Where no template fits, there is no sentence. It states no amount, token or party that the transaction does not have.
 */
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { TokenTransfer } from "@daybook/schema/TokenTransfer"

/**
 * A change of what an address holds: by the ledger of a service, or by the value and the transfers of the transaction.
 */
export interface Change {
  /** `native`, or the address of a token. */
  readonly asset: string
  readonly tokenId: bigint | null
  /** What was added, in the smallest unit; negative for what was taken. */
  readonly amount: bigint
}

/**
 * The topics and data of a log, and the contract that emitted it.
 */
export interface EventLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/**
 * What is known of a transaction. Addresses are in lower case.
 */
export interface Facts {
  readonly from: string
  /** `null` for a creation. */
  readonly to: string | null
  /** The contract that it created; `null` for none. */
  readonly created: string | null
  readonly value: bigint
  /** 0 for a failed one; `null` before Byzantium. */
  readonly status: number | null
  /** Call data in hex. */
  readonly input: string
  /** The call, where it is decoded. */
  readonly call: Pick<DecodedItem, "label" | "signature"> | null
  readonly transfers: ReadonlyArray<TokenTransfer>
  readonly logs: ReadonlyArray<EventLog>
  /** Movements of the sender without fees; `null` where calls inside may have moved ether that is not known. */
  readonly movements: ReadonlyArray<Change> | null
  /** Why it failed, in words. */
  readonly reason?: string | undefined
}

/**
 * A part of a sentence. Words are those of this module; names were chosen by contracts.
 */
export type Part =
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "Name"; readonly text: string }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "Token"; readonly address: string }
  | { readonly _tag: "Amount"; readonly asset: string; readonly tokenId: bigint | null; readonly amount: bigint }

/**
 * What a transaction did, in a word.
 */
export type Action =
  | "failed"
  | "creation"
  | "transfer"
  | "mint"
  | "burn"
  | "approval"
  | "swap"
  | "deposit"
  | "withdrawal"
  | "exchange"
  | "user operations"
  | "call"

/**
 * A sentence by its parts, to be written one after another without spaces between them.
 */
export interface Sentence {
  readonly action: Action
  readonly parts: ReadonlyArray<Part>
}

type Parts = ReadonlyArray<Part>

const words = (text: string): Part => ({ _tag: "Words", text })
const name = (text: string): Part => ({ _tag: "Name", text })
const party = (address: string): Part => ({ _tag: "Address", address })
const tokenOf = (address: string): Part => ({ _tag: "Token", address })

/** A change without its sign. */
const amountOf = ({ amount, asset, tokenId }: Change): Part => ({
  _tag: "Amount",
  asset,
  tokenId,
  amount: amount < 0n ? -amount : amount,
})

const zero = `0x${"0".repeat(40)}`

/** Topics of the events that templates look for. */
const topics = {
  /** ERC-20 and ERC-721. */
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  /** WETH9: what was wrapped, and unwrapped. */
  wrapped: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  unwrapped: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
  /** ERC-4337. */
  userOperation: "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f",
} as const

/** Events of exchanges: Uniswap V2, V3 and V4, Curve, Balancer V2. */
const swapTopics: ReadonlySet<string> = new Set([
  "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f",
  "0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140",
  "0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b",
  "0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b",
])

const keyOf = ({ asset, tokenId }: Change): string => `${asset} ${tokenId ?? ""}`

/** Sums of changes by asset, without those that cancel each other. */
const net = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  const sums = new Map<string, Change>()
  for (const change of changes) {
    const before = sums.get(keyOf(change))?.amount ?? 0n
    sums.set(keyOf(change), { ...change, amount: before + change.amount })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

/** What the value and the tokens of a transaction changed for an address. */
const changesOf = (address: string, { from, to, transfers, value }: Facts): ReadonlyArray<Change> => [
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

const isOfContract = ({ address }: EventLog): boolean => !etherLoggers.has(address)

/** What templates look at beside the facts. */
interface Context extends Facts {
  readonly outs: ReadonlyArray<Change>
  readonly ins: ReadonlyArray<Change>
}

const isPlain = ({ input }: Facts): boolean => input === "0x" || input === ""

/** A part of the value may have come back by calls inside that are not known. */
const isUncertain = ({ movements, value }: Facts): boolean => movements === null && value > 0n

/** The only one of a list; undefined where there are none or several. */
const only = <A>(list: ReadonlyArray<A>): A | undefined => (list.length === 1 ? list[0] : undefined)

const hasLabel = ({ call }: Facts, pattern: RegExp): boolean => call !== null && pattern.test(call.label)

const logsOf = ({ logs }: Facts, topic: string): ReadonlyArray<EventLog> =>
  logs.filter(({ topics: [own] }) => own === topic)

const addressIn = (topic: string | undefined): string => `0x${(topic ?? "").slice(-40)}`

const because = ({ reason }: Facts): Parts => (reason === undefined ? [] : [words(": "), name(reason)])

const failed = (facts: Context): Parts | null => {
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

const creation = ({ created, to }: Context): Parts | null =>
  to === null && created !== null ? [words("Created the contract "), party(created)] : null

const ether = (facts: Context): Parts | null => {
  const { to, transfers, value } = facts
  if (to === null || to === facts.from || value === 0n || !isPlain(facts) || transfers.length > 0) return null
  return [words("Sent "), amountOf({ asset: "native", tokenId: null, amount: value }), words(" to "), party(to)]
}

const transferLabel = /^(?:transfer|transferFrom|safeTransferFrom|transferWithAuthorization|send)$/

/** The only transfer of tokens, of a transaction that moved nothing else. */
const transfer = ({ from, transfers, value }: Context): Parts | null => {
  const moved = only(transfers)
  if (moved === undefined || value > 0n || moved.amount === 0n) return null
  if (moved.from === zero || moved.to === zero || moved.from === moved.to) return null
  const amount = amountOf({ asset: moved.token, tokenId: moved.tokenId, amount: moved.amount })
  return moved.from === from
    ? [words("Sent "), amount, words(" to "), party(moved.to)]
    : [words("Moved "), amount, words(" from "), party(moved.from), words(" to "), party(moved.to)]
}

/** The same token to several addresses. */
const distribution = (facts: Context): Parts | null => {
  const { from, ins, outs, transfers } = facts
  const out = only(outs)
  if (hasLabel(facts, transferLabel)) return null
  if (out === undefined || ins.length > 0 || out.asset === "native" || transfers.length < 2) return null
  if (transfers.some((one) => one.from !== from || one.token !== out.asset || one.to === zero)) return null
  const takers = new Set(transfers.map(({ to }) => to))
  return takers.size < 2 ? null : [words("Sent "), amountOf(out), words(` to ${takers.size} addresses`)]
}

const burn = (facts: Context): Parts | null => {
  const { from, ins, transfers, value } = facts
  const moved = only(transfers)
  // Ether may have been paid for it.
  if (ins.length > 0 || (facts.movements === null && !hasLabel(facts, /burn/i))) return null
  if (moved === undefined || value > 0n || moved.from !== from || moved.to !== zero || moved.amount === 0n) return null
  return [words("Burned "), amountOf({ asset: moved.token, tokenId: moved.tokenId, amount: moved.amount })]
}

/** Tokens that were made, perhaps for a price. */
const mint = (facts: Context): Parts | null => {
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

const approval = (facts: Context): Parts | null => {
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

const isFungible = ({ tokenId }: Change): boolean => tokenId === null

const through = ({ to }: Context): Parts => (to === null ? [] : [words(" through "), party(to)])

const swap = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out === undefined || into === undefined || !isFungible(out) || !isFungible(into) || isUncertain(facts))
    return null
  if (!facts.logs.some(({ topics: [topic] }) => topic !== undefined && swapTopics.has(topic))) return null
  return [words("Swapped "), amountOf(out), words(" for "), amountOf(into), ...through(facts)]
}

/** Ether in exchange for as much of a token, which logs that alone. */
const wrapped = (facts: Context): Parts | null => {
  const { from, logs, to, value } = facts
  const log = only(logs)
  if (log === undefined || to === null || log.address !== to || addressIn(log.topics[1]) !== from) return null
  if (log.data.length !== 66 || BigInt(log.data) === 0n) return null
  const amount = amountOf({ asset: "native", tokenId: null, amount: BigInt(log.data) })
  if (log.topics[0] === topics.wrapped && BigInt(log.data) === value)
    return [words("Deposited "), amount, words(" into "), party(to)]
  return null
}

const unwrapped = (facts: Context): Parts | null => {
  const log = only(facts.logs)
  const into = only(facts.ins)
  if (log === undefined || into === undefined || facts.to === null || log.address !== facts.to) return null
  if (log.topics[0] !== topics.unwrapped || facts.movements === null || into.asset !== "native") return null
  return [words("Withdrew "), amountOf(into), words(" from "), party(facts.to)]
}

/** One asset was given to a contract, perhaps for shares that the contract made for it. */
const deposit = (facts: Context): Parts | null => {
  const { from, ins, outs, to, transfers } = facts
  const out = only(outs)
  if (
    out === undefined ||
    to === null ||
    isUncertain(facts) ||
    !hasLabel(facts, /^(?:deposit|supply|stake|addLiquidity|lock|mint)/i)
  )
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
    amountOf(out),
    words(" into "),
    party(to),
    ...(shares === undefined ? [] : [words(" for "), amountOf(shares)]),
  ]
}

/** One asset was taken from a contract, perhaps for shares that it destroyed. */
const withdrawal = (facts: Context): Parts | null => {
  const { from, ins, outs, to, transfers } = facts
  const into = only(ins)
  if (
    into === undefined ||
    to === null ||
    isUncertain(facts) ||
    !hasLabel(facts, /^(?:withdraw|redeem|unstake|claim|getReward|harvest|collect)/i)
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
    amountOf(into),
    words(" from "),
    party(to),
    ...(shares === undefined ? [] : [words(" for "), amountOf(shares)]),
  ]
}

/** One thing for another, without a sign of what it was. */
const exchange = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out === undefined || into === undefined || facts.movements === null) return null
  return [words("Gave "), amountOf(out), words(" and received "), amountOf(into), ...through(facts)]
}

const userOperations = (facts: Context): Parts | null => {
  const count = logsOf(facts, topics.userOperation).filter(({ address }) => address === facts.to).length
  if (count === 0 || facts.to === null || !hasLabel(facts, /^handle(?:Aggregated)?Ops$/)) return null
  return [words(`Ran ${count} user ${count === 1 ? "operation" : "operations"} by `), party(facts.to)]
}

const called = ({ call, to }: Context): Parts | null =>
  call === null || to === null ? null : [words("Called "), name(call.label), words(" of "), party(to)]

/** The templates, of which the first that fits makes the sentence. */
const templates: ReadonlyArray<readonly [Action, (facts: Context) => Parts | null]> = [
  ["failed", failed],
  ["creation", creation],
  ["deposit", wrapped],
  ["transfer", ether],
  ["user operations", userOperations],
  ["approval", approval],
  ["swap", swap],
  ["withdrawal", unwrapped],
  ["transfer", (facts) => (facts.call === null || hasLabel(facts, transferLabel) ? transfer(facts) : null)],
  ["mint", mint],
  ["deposit", deposit],
  ["withdrawal", withdrawal],
  ["burn", burn],
  ["transfer", distribution],
  ["transfer", transfer],
  ["exchange", exchange],
  ["call", called],
]

/**
 * Makes the sentence of a transaction; `null` where no template fits.
 *
 * **Details**
 *
 * Amounts are what the sender gave and received in all, fees excluded. Without `movements` they are those of the value and of tokens.
 *
 * **Example** (Describing a payment)
 *
 * ```ts
 * import * as Sentence from "@daybook/abi/Sentence"
 *
 * const facts = { created: null, status: 1, input: "0x", call: null, transfers: [], logs: [], movements: null }
 * const sentence = Sentence.fromFacts({ ...facts, from: "0xa", to: "0xb", value: 5n })
 * const { asset, party } = { asset: () => "5 wei", party: (address: string) => address }
 * console.log(sentence && Sentence.format(sentence, { amount: asset, party })) // Sent 5 wei to 0xb
 * ```
 */
export const fromFacts = (given: Facts): Sentence | null => {
  const facts = { ...given, logs: given.logs.filter(isOfContract) }
  const changes = net(facts.movements ?? changesOf(facts.from, facts))
  const context: Context = {
    ...facts,
    outs: changes.filter(({ amount }) => amount < 0n),
    ins: changes.filter(({ amount }) => amount > 0n),
  }
  for (const [action, make] of templates) {
    const parts = make(context)
    if (parts !== null) return { action, parts }
  }
  return null
}

/**
 * How parts are written.
 */
export interface Writer {
  readonly amount: (part: Extract<Part, { readonly _tag: "Amount" }>) => string
  /** An address, also that of a token. */
  readonly party: (address: string) => string
}

/**
 * Writes a sentence as text.
 */
export const format = ({ parts }: Sentence, { amount, party: write }: Writer): string =>
  parts
    .map((part) => {
      switch (part._tag) {
        case "Words":
        case "Name":
          return part.text
        case "Amount":
          return amount(part)
        case "Address":
        case "Token":
          return write(part.address)
      }
    })
    .join("")
