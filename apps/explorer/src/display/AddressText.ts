/** Addresses as text in checksummed form, which wallets and compilers accept. */
import { Address } from "@daybook/rest/Resource"

/** Number of addresses whose checksum is cached: a list draws the same ones repeatedly. */
const maxKept = 5_000

const kept = new Map<string, string>()

/** The checksummed form of an address; any other text unchanged. */
export const checksummed = (text: string): string => {
  const known = kept.get(text)
  if (known !== undefined) return known
  const address = Address.fromText(text)
  const shown = address === undefined ? text : Address.checksum(address)
  if (kept.size >= maxKept) kept.clear()
  kept.set(text, shown)
  return shown
}

/** The first eight and last six digits: with fewer, an attacker can generate an address that looks the same. */
export const shortened = (text: string): string => {
  const shown = checksummed(text)
  return shown.length <= 19 ? shown : `${shown.slice(0, 10)}…${shown.slice(-6)}`
}
