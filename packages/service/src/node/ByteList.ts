/**
 * Bytes written piece by piece: short pieces are copied into blocks, long ones are kept unchanged.
 */

/**
 * Bytes in order, and their number.
 */
export interface ByteList {
  readonly parts: Array<Uint8Array>
  length: number
  /** The block that short pieces are copied into, and how much of it is used. */
  block: Uint8Array
  used: number
}

const blockBytes = 64 * 1024
const empty = new Uint8Array()

/**
 * Makes an empty list.
 */
export const make = (): ByteList => ({ parts: [], length: 0, block: empty, used: 0 })

const seal = (list: ByteList): void => {
  if (list.used > 0) list.parts.push(list.block.subarray(0, list.used))
  list.block = list.block.subarray(list.used)
  list.used = 0
}

/**
 * Writes bytes.
 */
export const write = (list: ByteList, bytes: Uint8Array): void => {
  list.length += bytes.length
  if (bytes.length >= blockBytes / 8) {
    seal(list)
    list.parts.push(bytes)
    return
  }
  if (bytes.length > list.block.length - list.used) {
    seal(list)
    list.block = new Uint8Array(blockBytes)
  }
  list.block.set(bytes, list.used)
  list.used += bytes.length
}

/**
 * Writes ASCII text.
 */
export const writeText = (list: ByteList, text: string): void => write(list, Buffer.from(text, "latin1"))

/**
 * Takes all bytes out of the list.
 */
export const take = (list: ByteList): ReadonlyArray<Uint8Array> => {
  seal(list)
  list.length = 0
  return list.parts.splice(0)
}

/**
 * Moves all bytes of a list to the end of another one.
 */
export const move = (from: ByteList, to: ByteList): void => {
  for (const part of take(from)) write(to, part)
}
