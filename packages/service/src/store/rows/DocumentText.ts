/**
 * Columns repeated in the text of a document: the hash and wallets of its transaction. Rows without these columns depend on it, so what it
 * finds in a text must never change. Pure.
 */

/** The hash and the wallets named in a document. */
export interface Names {
  readonly hash: string
  readonly addresses: ReadonlyArray<string>
}

const hashStart = '{"hash":"'
/** End of the hash in a text with names, in characters. */
export const hashEnd = hashStart.length + 66
const fromKey = '"from_address":"'
const toKey = ',"to_address":"'
const contractKey = '"receipt_contract_address":"'
const addressCharacters = 42

const addressAt = (body: string, start: number): string => body.slice(start, start + addressCharacters)

const hex = /^0x[0-9a-f]+$/

const isHex = (text: string, characters: number): boolean => text.length === characters && hex.test(text)

/** Names in a document's text; `null` for a text of another form. */
export const namesOf = (body: string): Names | null => {
  if (!body.startsWith(hashStart)) return null
  const hash = body.slice(hashStart.length, hashEnd)
  const from = body.indexOf(fromKey, hashEnd)
  if (from === -1) return null
  const fromStart = from + fromKey.length
  const toStart = fromStart + addressCharacters + 1
  const sender = addressAt(body, fromStart)
  const recipient = body.startsWith(toKey, toStart) ? addressAt(body, toStart + toKey.length) : null
  const contract = body.indexOf(contractKey, toStart)
  if (contract === -1) return null
  const created = body[contract + contractKey.length] === '"' ? null : addressAt(body, contract + contractKey.length)
  const addresses = [sender]
  if (recipient !== null && recipient !== sender) addresses.push(recipient)
  if (created !== null && !addresses.includes(created)) addresses.push(created)
  const isForm =
    isHex(hash, hashEnd - hashStart.length) && addresses.every((address) => isHex(address, addressCharacters))
  return isForm ? { hash, addresses } : null
}

/** Hash in a text with names (see `namesOf`). */
export const hashOf = (body: string): string => body.slice(hashStart.length, hashEnd)

/** Whether a text with names (see `namesOf`) names a wallet, without reading all of them. */
export const isOf = (body: string, address: string): boolean => {
  const from = body.indexOf(fromKey, hashEnd) + fromKey.length
  const to = from + addressCharacters + 1 + toKey.length
  if (body.startsWith(address, from) || body.startsWith(address, to)) return true
  return body.startsWith(address, body.indexOf(contractKey, to) + contractKey.length)
}

/** Whether two lists hold the same texts in the same order. */
export const isSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index])
