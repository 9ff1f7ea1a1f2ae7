/**
 * What the name and symbol of a token reveal: that it imitates another token, or that it advertises a web page. Both are hints for a reader
 * and change nothing else. Pure.
 *
 * Source: decision 0054.
 */
import * as Chain from "@daybook/schema/Chain"
import type { TokenMetadata } from "../ledger/TokenMetadata.ts"
import * as KnownTokens from "./KnownTokens.ts"

/** Letters of other scripts that look like Latin ones, each with the Latin letter. */
const likenesses: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["А", "A"],
    ["В", "B"],
    ["С", "C"],
    ["Е", "E"],
    ["Н", "H"],
    ["І", "I"],
    ["Ј", "J"],
    ["К", "K"],
    ["М", "M"],
    ["О", "O"],
    ["Р", "P"],
    ["Ѕ", "S"],
    ["Т", "T"],
    ["Х", "X"],
    ["У", "Y"],
    ["Α", "A"],
    ["Β", "B"],
    ["Ε", "E"],
    ["Ζ", "Z"],
    ["Η", "H"],
    ["Ι", "I"],
    ["Κ", "K"],
    ["Μ", "M"],
    ["Ν", "N"],
    ["Ο", "O"],
    ["Ρ", "P"],
    ["Τ", "T"],
    ["Υ", "Y"],
    ["Χ", "X"],
    ["₮", "T"],
    ["Ꭰ", "D"],
    ["Ꮪ", "S"],
    ["Ⴝ", "S"],
  ].map(([letter = "", latin = ""]) => [letter, latin]),
)

/** A hidden character as written in stored texts. */
const hidden = /\[U\+[0-9A-F]{4,6}\]/g

/** Letters and digits of a symbol as they appear: without marks, hidden characters, and differences of case or script. */
const appearanceOf = (symbol: string): string =>
  symbol
    .replaceAll(hidden, "")
    .normalize("NFKD")
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}₮]/gu, "")
    .replaceAll(/\P{ASCII}/gu, (letter) => likenesses[letter] ?? letter)

/** The host name endings that airdropped tokens advertise most. */
const host =
  /(?:^|[^\p{L}\p{N}.])(?:[\p{L}\p{N}-]+\.)+(?:com|org|net|io|xyz|app|site|online|info|top|club|vip|finance|fi|gg|me|cc|co|ly|dev|live|pro|events?|claims?|network)(?![\p{L}\p{N}-])/iu

const scheme = /https?:|www\./i

/** Whether a text contains a link to a web page. */
const hasLink = (text: string | null): boolean => text !== null && (scheme.test(text) || host.test(text))

const nativeSymbols = new Map(Chain.all.map(({ id, symbol }) => [id, symbol]))

/** A token with its own description. */
export interface Described extends Pick<TokenMetadata, "name" | "symbol"> {
  readonly address: string
}

/** Whether a token is one that others imitate. */
const isKnown = (chainId: number, { address }: Pick<Described, "address">): boolean =>
  Object.values(KnownTokens.ofChain(chainId)).some((contracts) => contracts.includes(address))

/** Whether the symbol of a token looks like that of a known token or of the native currency, without the token being one of its contracts. */
export const isFake = (chainId: number, { address, symbol }: Pick<Described, "address" | "symbol">): boolean => {
  if (symbol === null) return false
  const appearance = appearanceOf(symbol)
  const contracts = Object.entries(KnownTokens.ofChain(chainId)).find(([known]) => known === appearance)?.[1]
  if (contracts !== undefined) return !contracts.includes(address)
  return appearance !== "" && appearance === nativeSymbols.get(BigInt(chainId))?.toUpperCase()
}

/** Whether the name or symbol of an unknown token contains a link. */
export const isAdvertising = (chainId: number, token: Described): boolean =>
  !isKnown(chainId, token) && (hasLink(token.name) || hasLink(token.symbol))
