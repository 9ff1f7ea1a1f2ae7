/** Addresses as text, with their checksums: what wallets and compilers take. */
import { Address } from "@daybook/rest/Resource"

/** Addresses whose checksum is kept: a list draws the same ones again and again. */
const maxKept = 5_000

const kept = new Map<string, string>()

/** The checksummed form of an address; any other text as it is. */
export const checksummed = (text: string): string => {
  const known = kept.get(text)
  if (known !== undefined) return known
  const address = Address.fromText(text)
  const shown = address === undefined ? text : Address.checksum(address)
  if (kept.size >= maxKept) kept.clear()
  kept.set(text, shown)
  return shown
}

/** The first eight and last six digits: fewer can be imitated by an address that is made for it. */
export const shortened = (text: string): string => {
  const shown = checksummed(text)
  return shown.length <= 19 ? shown : `${shown.slice(0, 10)}…${shown.slice(-6)}`
}
