/**
 * A transaction as one line for the terminal: block number, hash, the decoded call or a description, gas and outcome. Texts from contracts
 * are shown with every character visible. Pure.
 *
 * Source: decision 0060.
 */
import * as Sentence from "@daybook/abi/Sentence"
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { Token } from "@daybook/schema/Token"
import { visibleLine, visibleStart } from "@daybook/schema/VisibleText"
import { formatUnits } from "@daybook/schema/Wei"

/** Contents of a line. */
export interface Transaction {
  readonly block: bigint
  readonly hash: string
  readonly facts: Sentence.Facts
  readonly call: Pick<DecodedItem, "label" | "params"> | null
  readonly gasUsed: bigint
  /** URL of its page. */
  readonly url: string
}

/** What is known about the addresses of a chain. */
export interface Names {
  /** The name of an address; undefined for none. */
  readonly nameOf: (address: string) => string | undefined
  /** Token at an address; undefined if it is not a token or has not been read. */
  readonly tokenOf: (address: string) => Pick<Token, "symbol" | "decimals"> | undefined
  /** Symbol of the chain's currency. */
  readonly symbol: string
}

/** Maximum length of an argument's value, and of the argument list, in characters. */
const maxValue = 44
const maxArguments = 160

/** Width of the part between hash and gas, unless it is longer. */
const width = 66

const shorten = (text: string): string => (text.length <= maxValue ? text : `${visibleStart(text, maxValue - 1)}…`)

const grouped = (digits: string): string => {
  const [whole = "", fraction] = digits.split(".")
  const groups = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
  return fraction === undefined ? groups : `${groups}.${fraction}`
}

/** Formats an integer with thousands separators. */
const formatCount = (value: bigint): string => grouped(value.toString())

/** Contracts choose their names, so names are limited to one line of bounded length. */
const nameOf = ({ nameOf: find }: Names, address: string): string => {
  const found = find(address.toLowerCase())
  return found === undefined ? `${address.slice(0, 10)}…${address.slice(-6)}` : visibleLine(shorten(found))
}

const amountText = (names: Names, asset: string, amount: bigint, tokenId: bigint | null): string => {
  if (asset === "native") {
    return amount !== 0n && amount < 1_000_000n
      ? `${formatCount(amount)} wei`
      : `${grouped(formatUnits(amount, 18))} ${names.symbol}`
  }
  const token = names.tokenOf(asset)
  const name =
    token?.symbol === null || token?.symbol === undefined ? nameOf(names, asset) : visibleLine(shorten(token.symbol))
  if (tokenId !== null) return `${amount === 1n ? "" : `${formatCount(amount)} `}${name} #${shorten(String(tokenId))}`
  const decimals = token?.decimals
  return decimals === null || decimals === undefined
    ? `${formatCount(amount)} units of ${name}`
    : `${grouped(formatUnits(amount, decimals))} ${name}`
}

/** ERC-20 functions whose amount is in the called token. */
const amountParams: ReadonlyMap<string, number> = new Map([
  ["transfer", 1],
  ["approve", 1],
  ["transferFrom", 2],
])

const valueOf = (
  names: Names,
  to: string | null,
  label: string,
  { type, value: given }: DecodedItem["params"][number],
  at: number,
): string => {
  const value = String(given)
  if (type === "address") return nameOf(names, value)
  const isAmount = amountParams.get(label) === at && to !== null && typeof names.tokenOf(to)?.decimals === "number"
  if (isAmount && /^\d+$/.test(value)) return amountText(names, to, BigInt(value), null)
  if (/^u?int\d*$/.test(type)) return value.startsWith("-") ? `-${grouped(value.slice(1))}` : grouped(value)
  return type === "string" ? JSON.stringify(visibleLine(shorten(value))) : visibleLine(shorten(value))
}

const callText = (names: Names, to: string, { label, params }: NonNullable<Transaction["call"]>): string => {
  const values = params.map((param, at) => valueOf(names, to, label, param, at)).join(", ")
  const shown = values.length <= maxArguments ? values : `${values.slice(0, maxArguments)}…`
  return `${nameOf(names, to)}.${visibleLine(shorten(label))}(${shown})`
}

/** Description of the transaction: the decoded call, or else the sentence, or else the called address. */
const textOf = (names: Names, { call, facts }: Transaction): string => {
  const { created, from, input, to, value } = facts
  const sender = nameOf(names, from)
  if (to === null) return `${sender} → new ${created === null ? "contract" : nameOf(names, created)}`
  const paid = value === 0n ? "" : ` with ${amountText(names, "native", value, null)}`
  if (call !== null) return `${sender} → ${callText(names, to, call)}${paid}`
  const amount = amountText(names, "native", value, null)
  if (input === "0x") return `${sender} → ${nameOf(names, to)}  ${amount}`
  return `${sender} → ${nameOf(names, to)}.${input.slice(0, 10)}${paid}`
}

/** Actions that the call alone already describes. */
const plainActions: ReadonlySet<Sentence.Action> = new Set(["call", "failed", "creation", "transfer", "approval"])

const sentenceOf = (names: Names, { call, facts }: Transaction): string => {
  const sentence = facts.status === 0 ? null : Sentence.fromFacts(facts)
  if (sentence === null || (plainActions.has(sentence.action) && (call !== null || facts.input === "0x"))) return ""
  if (sentence.action === "creation") return ""
  return `: ${Sentence.format(sentence, {
    amount: ({ amount, asset, tokenId }) => amountText(names, asset, amount, tokenId),
    party: (address) => nameOf(names, address),
  })}`
}

const outcomeOf = ({ facts: { reason, status } }: Transaction): string => {
  if (status !== 0) return "ok"
  return reason === undefined ? "failed" : `reverted ${visibleLine(visibleStart(reason, 200))}`
}

/** The line of a transaction; that of a failed one ends with its URL. */
export const format = (names: Names, transaction: Transaction): string => {
  const { block, facts, gasUsed, hash, url } = transaction
  const text = `${textOf(names, transaction)}${sentenceOf(names, transaction)}`
  const gas = `${formatCount(gasUsed)} gas`
  const link = facts.status === 0 ? `  ${url}` : ""
  return `#${block}  ${hash.slice(0, 8)}  ${text.padEnd(width)}  ${gas}  ${outcomeOf(transaction)}${link}`
}
