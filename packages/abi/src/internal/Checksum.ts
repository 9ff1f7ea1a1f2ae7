/** Checksummed addresses. Recent ones are cached, since most data of a chain refers to few addresses. */
import * as Address from "@daybook/schema/Address"

/** Number of cached addresses; when it is exceeded, all are dropped. */
const maxRemembered = 8_192

const remembered = new Map<string, string>()

/** The checksummed form of an address of 40 lower-case digits. */
export const checksum = (digits: string): string => {
  const known = remembered.get(digits)
  if (known !== undefined) return known
  // Sound: the digits are those of a word, 20 bytes.
  const text = Address.checksum(`0x${digits}` as Address.Address)
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(digits, text)
  return text
}
