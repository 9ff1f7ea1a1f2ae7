/** Classifies the text of a search by its form. Pure. */
import { checksummed } from "../display/AddressText.ts"

/** Tags of blocks by their position in the chain. */
const tags = ["latest", "earliest", "finalized", "safe"] as const

/** The tag of a block. */
export type BlockTag = (typeof tags)[number]

/** A search query, classified by its form. */
export type SearchQuery =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "Hash"; readonly hash: string }
  | { readonly _tag: "BlockNumber"; readonly number: bigint; readonly text: string }
  | { readonly _tag: "BlockTag"; readonly tag: BlockTag }
  /** A label, or the name or symbol of a token. */
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Invalid"; readonly reason: string }

/** Maximum length of a search text, in characters: URLs are longer. */
const maxCharacters = 100
const maxUrlCharacters = 2_000

/** Largest block number that a chain can have: 64 bits. */
const maxBlockNumber = 2n ** 64n - 1n

const invalid = (reason: string): SearchQuery => ({ _tag: "Invalid", reason })

const blockNumber = (digits: string, text = digits): SearchQuery => {
  const number = BigInt(digits)
  return number <= maxBlockNumber ? { _tag: "BlockNumber", number, text } : invalid("No block number is this high.")
}

/** An address. Mixed-case letters carry a checksum, which reveals a mistyped digit. */
const addressOf = (digits: string): SearchQuery => {
  const lower = digits.toLowerCase()
  const address = checksummed(`0x${lower}`)
  const isChecked = digits !== lower && digits !== digits.toUpperCase()
  return !isChecked || address === `0x${digits}`
    ? { _tag: "Address", address: `0x${lower}` }
    : invalid(
        `The capital letters of this address do not match its checksum: a character is wrong. Compare it with its source; in lower case it is searched for without this check.`,
      )
}

const hexadecimal = (digits: string): SearchQuery => {
  if (digits.length === 40) return addressOf(digits)
  if (digits.length === 64) return { _tag: "Hash", hash: `0x${digits.toLowerCase()}` }
  // A quantity, as JSON-RPC writes it.
  if (digits.length > 0 && digits.length <= 16) return blockNumber(`0x${digits}`)
  return invalid(
    `An address has 40 digits after 0x, and a hash 64; ${digits.length === 1 ? "this has 1" : `these are ${digits.length}`}.`,
  )
}

/** Path segments that precede the identifier in URLs of block explorers. */
const pathNames: ReadonlySet<string> = new Set([
  "address",
  "addresses",
  "account",
  "token",
  "contract",
  "tx",
  "transaction",
  "block",
  "blocks",
])

/** The identifier in the URL of a block explorer's page; undefined for other URLs. */
const shownBy = (text: string): string | undefined => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { hash, pathname } = new URL(text)
  // Some explorers keep the path in the fragment.
  const parts = `${pathname}/${hash.replace(/^#\/?/, "")}`.split("/")
  return parts.find((part, at) => part !== "" && pathNames.has(parts[at - 1]?.toLowerCase() ?? ""))
}

/** Reads a query. Spaces around it, thousands separators in a number, and the case of hex digits are not significant. */
export const parse = (input: string): SearchQuery => {
  const given = input.trim().slice(0, maxUrlCharacters)
  const text = shownBy(given) ?? given
  if (text === "") return { _tag: "Empty" }
  if (text.length > maxCharacters) return invalid(`A search has at most ${maxCharacters} characters.`)
  const hex = /^0x(?<digits>[0-9a-f]*)$/i.exec(text)?.groups?.["digits"]
  if (hex !== undefined) return hexadecimal(hex)
  const tag = tags.find((one) => one === text.toLowerCase())
  if (tag !== undefined) return { _tag: "BlockTag", tag }
  // Hex without its prefix, as some logs print it.
  if (/^(?:[0-9a-f]{64}|(?=.*[a-f])[0-9a-f]{40})$/i.test(text)) return hexadecimal(text)
  if (/^#?\d{1,3}(?:[,_' ]?\d{3})*$|^#?\d+$/.test(text)) return blockNumber(text.replaceAll(/[^0-9]/g, ""), text)
  return { _tag: "Text", text }
}
