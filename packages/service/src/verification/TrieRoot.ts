/**
 * Root of the trie of a block's transactions or receipts. The whole list is known, so no trie is built: nodes are hashed from the
 * leaves up. Pure.
 *
 * Source: Ethereum yellow paper, appendix D; decision 0029.
 */
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as Rlp from "ox/Rlp"

type Item = Hex.Hex | ReadonlyArray<Item>

interface Entry {
  /** Nibbles of the key. */
  readonly path: ReadonlyArray<number>
  readonly value: Hex.Hex
}

const hashBytes = 32

const pathOf = (index: number): ReadonlyArray<number> => {
  const digits = index.toString(16)
  const key = Rlp.fromHex(index === 0 ? "0x" : `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
  return Array.from(key.slice(2), (digit) => Number.parseInt(digit, 16))
}

/** Hex-prefix encoding of nibbles. Source: Ethereum yellow paper, appendix C. */
const compact = (path: ReadonlyArray<number>, isLeaf: boolean): Hex.Hex => {
  const isOdd = path.length % 2 === 1
  const mark = ((isLeaf ? 2 : 0) + (isOdd ? 1 : 0)).toString(16)
  return `0x${mark}${isOdd ? "" : "0"}${path.map((digit) => digit.toString(16)).join("")}`
}

const sharedLength = (entries: ReadonlyArray<Entry>, from: number): number => {
  const [first] = entries
  let to = from
  while (to < first!.path.length && entries.every(({ path }) => path[to] === first!.path[to])) to++
  return to - from
}

/** Reference to a node from its parent: its hash, or the node itself when that is shorter. */
const reference = (node: Item): Item => {
  const encoded = Rlp.fromHex(node)
  return (encoded.length - 2) / 2 < hashBytes ? node : Hash.keccak256(encoded)
}

const nodeOf = (entries: ReadonlyArray<Entry>, depth: number): Item => {
  const [first] = entries
  if (entries.length === 1) return [compact(first!.path.slice(depth), true), first!.value]
  const shared = sharedLength(entries, depth)
  if (shared > 0) {
    const below = nodeOf(entries, depth + shared)
    return [compact(first!.path.slice(depth, depth + shared), false), reference(below)]
  }
  const children = Array.from({ length: 16 }, (_, digit): Item => {
    const own = entries.filter(({ path }) => path[depth] === digit)
    return own.length === 0 ? "0x" : reference(nodeOf(own, depth + 1))
  })
  // No key of a list is a prefix of another, so branches hold no value.
  return [...children, "0x"]
}

/**
 * Root of an empty trie.
 */
export const empty: string = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

/**
 * Root of the trie of a list.
 */
export const fromValues = (values: ReadonlyArray<Hex.Hex>): string =>
  values.length === 0
    ? empty
    : Hash.keccak256(
        Rlp.fromHex(
          nodeOf(
            values.map((value, index) => ({ path: pathOf(index), value })),
            0,
          ),
        ),
      )
