/** What a person typed into the search box, by its form. Pure. */

/** A query by its form. */
export type SearchQuery =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Address"; readonly address: string }
  | { readonly _tag: "Hash"; readonly hash: string }
  | { readonly _tag: "BlockNumber"; readonly number: bigint }
  /** A label, or the name or symbol of a token. */
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Invalid"; readonly reason: string }

/** Characters that are searched for, at most. */
const maxCharacters = 100

/** Largest block number that a chain can have: 64 bits. */
const maxBlockNumber = 2n ** 64n - 1n

const invalid = (reason: string): SearchQuery => ({ _tag: "Invalid", reason })

const blockNumber = (digits: string): SearchQuery => {
  const number = BigInt(digits)
  return number <= maxBlockNumber ? { _tag: "BlockNumber", number } : invalid("No block has so high a number.")
}

const hexadecimal = (digits: string): SearchQuery => {
  if (digits.length === 40) return { _tag: "Address", address: `0x${digits}` }
  if (digits.length === 64) return { _tag: "Hash", hash: `0x${digits}` }
  // A quantity, as JSON-RPC writes it.
  if (digits.length > 0 && digits.length <= 16) return blockNumber(`0x${digits}`)
  return invalid(
    `An address has 40 digits after 0x, and a hash 64; ${digits.length === 1 ? "this has 1" : `these are ${digits.length}`}.`,
  )
}

/** Reads a query. Spaces around it, thousands separators in a number, and the case of hex digits are not significant. */
export const parse = (input: string): SearchQuery => {
  const text = input.trim()
  if (text === "") return { _tag: "Empty" }
  if (text.length > maxCharacters) return invalid(`A search has at most ${maxCharacters} characters.`)
  const hex = /^0x(?<digits>[0-9a-f]*)$/i.exec(text)?.groups?.["digits"]
  if (hex !== undefined) return hexadecimal(hex.toLowerCase())
  // Without its prefix, as logs print it.
  if (/^(?:[0-9a-f]{64}|(?=.*[a-f])[0-9a-f]{40})$/i.test(text)) return hexadecimal(text.toLowerCase())
  if (/^#?\d{1,3}(?:[,_' ]?\d{3})*$|^#?\d+$/.test(text)) return blockNumber(text.replaceAll(/[^0-9]/g, ""))
  return { _tag: "Text", text }
}
