/**
 * Verifies the Merkle proof of an account, present or absent, against the state root of a block. Pure.
 *
 * Source: Ethereum yellow paper, appendix D and section 4.1; EIP-1186; decision 0029.
 */
import * as Result from "effect/Result"
import * as Hash from "ox/Hash"
import type * as Hex from "ox/Hex"
import * as Rlp from "ox/Rlp"
import * as TrieRoot from "./TrieRoot.ts"

/** An account in the state. */
export interface Account {
  readonly nonce: bigint
  /** In wei. */
  readonly balance: bigint
}

type Item = Hex.Hex | ReadonlyArray<Item>

/** Maximum number of nodes of a proof, and maximum hex characters of a node: a branch has 17 items of 33 bytes. */
const [maxNodes, maxNodeLength] = [65, 2_048]

const hashLength = 66
/** Nibbles of the hash of an address. */
const pathLength = 64

const absent: Account = { nonce: 0n, balance: 0n }

const isHex = (text: string): text is Hex.Hex => /^0x(?:[0-9a-f]{2})+$/.test(text)

const decode = (text: string): Item | null => {
  if (text.length > maxNodeLength || !isHex(text)) return null
  try {
    return Rlp.toHex(text)
  } catch {
    return null
  }
}

const integer = (item: Item | undefined): bigint | null => {
  if (typeof item !== "string") return null
  return item === "0x" ? 0n : BigInt(item)
}

const nibblesOf = (hex: string): ReadonlyArray<number> =>
  Array.from(hex.slice(2), (digit) => Number.parseInt(digit, 16))

/** Nibbles of a leaf or an extension from hex-prefix encoding. Source: Ethereum yellow paper, appendix C. */
const pathIn = (item: Item | undefined) => {
  if (typeof item !== "string" || item === "0x") return null
  const [mark = 0, ...rest] = nibblesOf(item)
  return { isLeaf: mark >= 2, path: mark % 2 === 1 ? rest : rest.slice(1) }
}

const accountIn = (value: Item | undefined): Result.Result<Account, string> => {
  const fields = typeof value === "string" ? decode(value) : null
  if (!Array.isArray(fields) || fields.length !== 4) return Result.fail("its leaf is not an account")
  const [nonce, balance] = [integer(fields[0]), integer(fields[1])]
  return nonce === null || balance === null
    ? Result.fail("its leaf is not an account")
    : Result.succeed({ nonce, balance })
}

/** The part of a node that continues the path: another node, the value of a leaf, or nothing. */
type Next = { readonly node: Item; readonly depth: number } | { readonly value: Item | undefined } | "nothing" | null

const follow = (node: Item, path: ReadonlyArray<number>, depth: number): Next => {
  if (typeof node === "string") return null
  if (node.length === 17) {
    const child = depth < pathLength ? node[path[depth]!] : undefined
    if (child === undefined) return null
    return child === "0x" ? "nothing" : { node: child, depth: depth + 1 }
  }
  const own = node.length === 2 ? pathIn(node[0]) : null
  if (own === null) return null
  const end = depth + own.path.length
  if (end > pathLength || own.path.some((nibble, at) => nibble !== path[depth + at])) return "nothing"
  if (own.isLeaf) return end === pathLength ? { value: node[1] } : null
  return node[1] === undefined ? null : { node: node[1], depth: end }
}

/**
 * Account of an address according to its proof; nonce and balance are 0 if the state has no such account.
 *
 * **Errors**
 * - A text: why the nodes prove nothing under this root.
 */
export const account = (
  stateRoot: string,
  address: string,
  nodes: ReadonlyArray<string>,
): Result.Result<Account, string> => {
  if (stateRoot === TrieRoot.empty) return Result.succeed(absent)
  if (nodes.length > maxNodes) return Result.fail(`it has ${nodes.length} nodes, and at most ${maxNodes} are possible`)
  // Sound: the caller passes an address, which is hex.
  const path = nibblesOf(Hash.keccak256(address as Hex.Hex))
  let [reference, depth, used]: [Item, number, number] = [stateRoot as Hex.Hex, 0, 0]
  for (;;) {
    let node: Item | null = reference
    if (typeof reference === "string") {
      const text = nodes[used]
      if (text === undefined) return Result.fail("a node is missing")
      node = decode(text)
      if (node === null) return Result.fail(`node ${used} is not a trie node`)
      if (reference.length !== hashLength || Hash.keccak256(text as Hex.Hex) !== reference) {
        return Result.fail(
          used === 0 ? "its first node is not the state root" : `node ${used} is not the referenced one`,
        )
      }
      used += 1
    }
    const next = follow(node, path, depth)
    if (next === null) return Result.fail(`node ${used - 1} is not a trie node`)
    if (next === "nothing") return Result.succeed(absent)
    if ("value" in next) return accountIn(next.value)
    reference = next.node
    depth = next.depth
  }
}
