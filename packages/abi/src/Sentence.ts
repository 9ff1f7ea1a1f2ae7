/**
 * What a transaction did, as a sentence: made by a table of templates from the tokens that it moved, its value and its decoded call.
 * Where no template fits, there is no sentence. It states no amount, token or party that the transaction does not have.
 */
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { TokenTransfer } from "@daybook/schema/TokenTransfer"
import { addressIn, liquidityTopics, predeploys, swapTopics, topics, zero } from "./internal/SentenceEvents.ts"

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
  | "purchase"
  | "sale"
  | "liquidity"
  | "bridge"
  | "vote"
  | "delegation"
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

/** The only thing that moved was made in the transaction, whatever it was called. */
const made = (facts: Context): Parts | null => {
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

/** Amounts one after another: `A`, `A and B`, `A, B and C`. */
const listOf = (changes: ReadonlyArray<Change>): Parts =>
  changes.flatMap((change, at): Parts => {
    const between = at === changes.length - 1 ? " and " : ", "
    return at === 0 ? [amountOf(change)] : [words(between), amountOf(change)]
  })

/** More than these are not read in a sentence. */
const maxListed = 3

const isFungible = ({ tokenId }: Change): boolean => tokenId === null

const through = ({ to }: Context): Parts => (to === null ? [] : [words(" through "), party(to)])

const hasSwap = ({ logs }: Facts): boolean =>
  logs.some(({ topics: [topic] }) => topic !== undefined && swapTopics.has(topic))

const swap = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out === undefined || into === undefined || !isFungible(out) || !isFungible(into) || isUncertain(facts))
    return null
  return hasSwap(facts) ? [words("Swapped "), amountOf(out), words(" for "), amountOf(into), ...through(facts)] : null
}

/** A token of an exchange for ether, of which a part may have come back. */
const purchase = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out?.asset !== "native" || into === undefined || !isUncertain(facts) || !hasSwap(facts)) return null
  return [words("Bought "), amountOf(into), words(" for at most "), amountOf(out), ...through(facts)]
}

/** A token that was given to an exchange, for something that is not known to the sender's history: mostly ether. */
const sale = (facts: Context): Parts | null => {
  const out = only(facts.outs)
  if (out === undefined || out.asset === "native" || facts.ins.length > 0 || facts.movements !== null) return null
  const isUnwrapped = logsOf(facts, topics.unwrapped).length > 0
  return hasSwap(facts) && isUnwrapped ? [words("Sold "), amountOf(out), ...through(facts)] : null
}

/** An item of a collection for a currency, or the other way round. */
const itemTrade = (facts: Context): Parts | null => {
  const [out, into] = [only(facts.outs), only(facts.ins)]
  if (out === undefined || into === undefined || isUncertain(facts)) return null
  if (isFungible(out) === isFungible(into) || facts.transfers.some(({ from }) => from === zero)) return null
  const [word, item, price] = isFungible(out) ? ["Bought ", into, out] : ["Sold ", out, into]
  return [words(word), amountOf(item), words(" for "), amountOf(price), ...through(facts)]
}

/** Tokens for a position of a pool. */
const liquidity = (facts: Context): Parts | null => {
  const { ins, logs, outs } = facts
  const position = only(ins)
  const isAdded = logs.some(({ topics: [topic] }) => topic !== undefined && liquidityTopics.has(topic))
  if (!isAdded || position === undefined || outs.length === 0 || outs.length > maxListed || isUncertain(facts))
    return null
  const isMade = facts.transfers.some(({ from, token }) => from === zero && token === position.asset)
  return isMade
    ? [words("Added "), ...listOf(outs), words(" as liquidity for "), amountOf(position), ...through(facts)]
    : null
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

/** Assets were taken from a contract, perhaps for shares that it destroyed. */
const withdrawal = (facts: Context): Parts | null => {
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
    ...listOf(ins),
    words(" from "),
    party(to),
    ...(shares === undefined ? [] : [words(" for "), amountOf(shares)]),
  ]
}

/** Ether may have come back by calls inside: it was sent, or a wrapped currency was unwrapped. */
const mayHaveEther = (facts: Context): boolean =>
  facts.movements === null && (facts.value > 0n || logsOf(facts, topics.unwrapped).length > 0)

/** Some things for others, without a sign of what it was. */
const exchange = (facts: Context): Parts | null => {
  const { ins, outs } = facts
  const isListed = [ins, outs].every(({ length }) => length > 0 && length <= maxListed)
  if (!isListed || mayHaveEther(facts)) return null
  return [words("Gave "), ...listOf(outs), words(" and received "), ...listOf(ins), ...through(facts)]
}

const choices: Readonly<Record<string, string>> = { 0: "against", 1: "for", 2: "to abstain on" }

/** The only vote, of its sender. Data has the proposal, the choice, the weight and a text. */
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

/** What arrived from the parent chain, by the bridge that each chain of the OP Stack has. */
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

/** What leaves for the parent chain: ether by the system of Arbitrum, and a token that a bridge of the OP Stack burns. */
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

/** The templates, of which the first that fits makes the sentence. */
const templates: ReadonlyArray<readonly [Action, (facts: Context) => Parts | null]> = [
  ["failed", failed],
  ["creation", creation],
  ["deposit", wrapped],
  ["transfer", ether],
  ["user operations", userOperations],
  ["approval", approval],
  ["bridge", arrival],
  ["bridge", departure],
  ["vote", vote],
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
  ["exchange", itemTrade],
  ["exchange", exchange],
  ["mint", made],
  ["delegation", delegation],
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
