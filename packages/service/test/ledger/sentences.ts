/** Sentences of recorded transactions, compared with the movements that the ledger derives. */
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as Sentence from "@daybook/abi/Sentence"
import type * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import * as BlockFacts from "../../src/block/BlockFacts.ts"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as LedgerSource from "../../src/ledger/LedgerSource.ts"
import type { Movement } from "../../src/ledger/Movement.ts"
import { decode } from "./recordedReceipts.ts"

const decoder = KnownSignatures.decoder()

/** A recorded transaction with everything that its receipt states. */
export interface Described {
  readonly chain: number
  readonly hash: string
  readonly facts: Sentence.Facts
  readonly sentence: Sentence.Sentence | null
  /** Movements of all wallets, without fees. Internal calls are unknown. */
  readonly movements: ReadonlyArray<Movement>
}

export const describe = (recorded: RecordedReceipts.RecordedReceipt): Described => {
  const { block, receipt, transaction } = decode(recorded)
  const executed = [{ transaction, receipt }]
  const blockFacts = BlockFacts.fromBlock({ block, rows: executed, gasFees: null })
  const source = LedgerSource.fromResponses({ block, executed, internal: null, facts: blockFacts })
  const rows = Ledger.derive(source, LedgerRules.fromChainId(recorded.chain))
  const input = transaction.input ?? "0x"
  const facts: Sentence.Facts = {
    from: transaction.from,
    to: transaction.to ?? null,
    created: receipt.contractAddress ?? null,
    value: transaction.value ?? 0n,
    status: receipt.status ?? null,
    input,
    call: input.length < 10 ? null : decoder.call(input),
    transfers: TokenTransfer.transfers(receipt),
    logs: receipt.logs,
    movements: null,
  }
  return {
    chain: recorded.chain,
    hash: transaction.hash,
    facts,
    sentence: Sentence.fromFacts(facts),
    movements: rows.flatMap(({ movements }) => movements).filter(({ kind }) => kind !== "fee"),
  }
}

const keyOf = (asset: string, tokenId: bigint | string | null): string => `${asset} ${tokenId ?? ""}`

/** Sums, other than 0, of the amounts that a wallet sent and received. */
const sumsOf = (wallet: string, movements: ReadonlyArray<Movement>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { amount, asset, tokenId, wallet: owner } of movements) {
    if (owner === wallet) sums.set(keyOf(asset, tokenId), (sums.get(keyOf(asset, tokenId)) ?? 0n) + amount)
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0n))
}

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** Actions whose amounts and parties may be taken from logs only. */
const ofLogs: ReadonlySet<Sentence.Action> = new Set([
  "approval",
  "vote",
  "delegation",
  "bridge",
  "withdrawal",
  "deposit",
])

/** Actions whose sentences state everything that the sender sent and received. */
const whole: ReadonlySet<Sentence.Action> = new Set([
  "swap",
  "deposit",
  "withdrawal",
  "exchange",
  "liquidity",
  "purchase",
])

type Amount = Extract<Sentence.Part, { readonly _tag: "Amount" }>

const isAmount = (part: Sentence.Part): part is Amount => part._tag === "Amount"

const addressesOf = ({ parts }: Sentence.Sentence): ReadonlyArray<string> =>
  parts.flatMap((part) => (part._tag === "Address" || part._tag === "Token" ? [part.address] : []))

const wordsOf = (data: string): ReadonlyArray<string> => data.slice(2).match(/[0-9a-f]{64}/g) ?? []

/** Amounts of a log: of its token, and of a currency that is wrapped or arrives through a bridge. */
const loggedAmounts = ({ logs }: Sentence.Facts): ReadonlyArray<string> =>
  logs.flatMap(({ address, data, topics }) => [
    ...(data.length === 66 ? [`${keyOf(address, null)} ${BigInt(data)}`] : []),
    ...(topics[3] === undefined ? [] : [`${keyOf(address, BigInt(topics[3]))} 1`]),
  ])

const loggedParties = ({ logs }: Sentence.Facts): ReadonlyArray<string> =>
  logs
    .flatMap(({ data, topics }) => [...topics.slice(1).map((topic) => topic.slice(2)), ...wordsOf(data)])
    .map((word) => `0x${word.slice(-40)}`)

const sentVerb = /(?:Swapped|Gave|Sold|Added|Burned|Repaid|Deposited|Paid) (?:at most )?$/
const receivedVerb = /(?:Bought|Received|received|Withdrew|Claimed|Borrowed) $/

/** Amounts whose verb contradicts the sign of the sender's sum. */
const reversed = ({ parts }: Sentence.Sentence, sums: ReadonlyMap<string, bigint>): ReadonlyArray<string> =>
  parts.flatMap((part, at) => {
    if (!isAmount(part)) return []
    const before = parts.slice(0, at).map((one) => (one._tag === "Words" ? one.text : ""))
    const text = before.join("")
    const sum = sums.get(keyOf(part.asset, part.tokenId)) ?? 0n
    const isWrong = (sentVerb.test(text) && sum > 0n) || (receivedVerb.test(text) && sum < 0n)
    return isWrong ? [`direction of ${part.asset}`] : []
  })

/** True for ether of logs of the called wrapped ether contract, which the ledger has as a token movement. */
const isWrapping = ({ to }: Sentence.Facts, { action }: Sentence.Sentence, key: string): boolean =>
  (action === "deposit" || action === "withdrawal") && key === keyOf(to ?? "", null)

/** Accounts that receive fees as token transfers. */
const feeCollectors: ReadonlySet<string> = new Set([`0xfeec${"0".repeat(36)}`])

/** Differences between a sentence and the movements of the sender. */
export const issuesOf = ({ facts, movements: all, sentence }: Described): ReadonlyArray<string> => {
  if (sentence === null) return []
  const movements = all.filter(({ counterparty }) => !feeCollectors.has(counterparty ?? ""))
  const sums = sumsOf(facts.from, movements)
  const isLogged = ofLogs.has(sentence.action)
  const amounts = new Set([
    ...[...sums].map(([key, sum]) => `${key} ${magnitude(sum)}`),
    ...movements.map(({ amount, asset, tokenId }) => `${keyOf(asset, tokenId)} ${magnitude(amount)}`),
    ...(isLogged ? loggedAmounts(facts) : []),
    ...(sentence.action === "failed" ? [`${keyOf("native", null)} ${facts.value}`] : []),
  ])
  const parties = new Set([
    ...[facts.to, facts.created].filter((address) => address !== null),
    ...movements.flatMap(({ asset, counterparty, wallet }) => [asset, wallet, counterparty ?? wallet]),
    ...(isLogged ? loggedParties(facts) : []),
  ])
  const stated = sentence.parts.filter(isAmount)
  const keys = new Set(stated.map(({ asset, tokenId }) => keyOf(asset, tokenId)))
  const unstated = [...sums.keys()].filter((key) => !keys.has(key) && !isWrapping(facts, sentence, key))
  return [
    ...stated
      .filter(({ amount, asset, tokenId }) => !amounts.has(`${keyOf(asset, tokenId)} ${amount}`))
      .map(({ amount, asset }) => `amount ${amount} of ${asset}`),
    ...addressesOf(sentence)
      .filter((address) => !parties.has(address))
      .map((address) => `party ${address}`),
    ...reversed(sentence, sums),
    ...(whole.has(sentence.action) ? unstated.map((key) => `nothing of ${key}`) : []),
  ]
}

/** A sentence as text, with exact amounts and shortened addresses. */
export const textOf = (sentence: Sentence.Sentence): string =>
  Sentence.format(sentence, {
    amount: ({ amount, asset, tokenId }) =>
      `${amount} ${asset === "native" ? "wei" : asset.slice(0, 8)}${tokenId === null ? "" : ` #${tokenId}`}`,
    party: (address) => address.slice(0, 8),
  })

/** Numbers of transactions with a sentence, with a sentence that states more than the call, and with an issue. */
export interface Share {
  readonly transactions: number
  readonly sentences: number
  readonly beyondCalls: number
  readonly wrong: number
}

export const shareOf = (all: ReadonlyArray<Described>): Share => {
  const described = all.filter(({ sentence }) => sentence !== null)
  return {
    transactions: all.length,
    sentences: described.length,
    beyondCalls: described.filter(({ sentence }) => sentence?.action !== "call").length,
    wrong: described.filter((one) => issuesOf(one).length > 0).length,
  }
}
