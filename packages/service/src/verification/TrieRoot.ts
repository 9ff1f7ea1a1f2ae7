/**
 * The root of the trie that a block's header names for its list of transactions or receipts. The whole list is known, so the trie
 * is never built: nodes are hashed on the way back from the leaves. Pure.
 *
 * Source: Ethereum yellow paper, appendix D.
 */
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as Rlp from "ox/Rlp"

type Item = Hex.Hex | ReadonlyArray<Item>

interface Entry {
  /** The key's digits, from 0 to 15. */
  readonly path: ReadonlyArray<number>
  readonly value: Hex.Hex
}

const hashBytes = 32

const pathOf = (index: number): ReadonlyArray<number> => {
  const digits = index.toString(16)
  const key = Rlp.fromHex(index === 0 ? "0x" : `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
  return Array.from(key.slice(2), (digit) => Number.parseInt(digit, 16))
}

/** Digits as bytes, with a mark for leaves and for an odd number of digits. Source: appendix C. */
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

/** How a node stands in the node above it: by its hash, or as it is when that is shorter. */
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
  // No key of a list is the beginning of another, so no value ends at a branch.
  return [...children, "0x"]
}

/**
 * Root of an empty trie: what `transactionsRoot` is when there are none.
 */
export const empty: string = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

/**
 * The root of the trie of a list.
 */
export const of = (values: ReadonlyArray<Hex.Hex>): string =>
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
