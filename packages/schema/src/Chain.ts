/**
 * Chains of the interface: lookup by name and identifier, and the facts of each. To add a chain, add a row to `internal/chainNames.ts` and
 * its facts to `internal/chains.ts`.
 */
import { identities, type Identity, type Name } from "./internal/chainNames.ts"
import { all, type Chain, type HashRules } from "./internal/chains.ts"

export type { Identity, Name } from "./internal/chainNames.ts"
export { all, type Chain, type HashRules, type HashRulesRange } from "./internal/chains.ts"

/**
 * Normalizes the name of a chain for comparison: lower case, with each run of spaces, hyphens and underscores as one space, trimmed.
 *
 * **Example** (Comparing two spellings)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.normalizeName(" Polygon-Amoy")) // polygon amoy
 * ```
 *
 * Source: docs/interface.md#4.1.1; decision 0005.
 */
export const normalizeName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim()

const byName = new Map<string, Identity>()
for (const chain of identities) {
  byName.set(normalizeName(chain.name), chain)
  if (chain.rpcName !== null) byName.set(normalizeName(chain.rpcName), chain)
}

/** Chains with these names, with their facts. */
const withFacts = (found: ReadonlyArray<Identity>): ReadonlyArray<Chain> =>
  found.flatMap(({ name }) => all.filter((chain) => chain.name === name))

/**
 * Finds a chain by name; `undefined` for an unknown name.
 *
 * **Details**
 *
 * Accepts the names of the REST and the RPC operations, in any case, with hyphens or underscores instead of spaces.
 *
 * **Example** (Finding a chain by its RPC name)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.fromName("Optimism-Testnet")?.name) // optimism sepolia
 * ```
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2; decision 0005.
 */
export const fromName = (name: string): Chain | undefined => {
  const found = typeof name === "string" ? byName.get(normalizeName(name)) : undefined
  return found && withFacts([found])[0]
}

/**
 * Parses a chain identifier: a number, a bigint, hex or decimal text, or CAIP-2 (`eip155:1`). `undefined` for anything else.
 *
 * **Example** (Parsing CAIP-2)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.parseId("eip155:137"), Chain.parseId("0x89")) // 137n 137n
 * ```
 *
 * Source: docs/interface.md#4.1.1; CAIP-2; decision 0005.
 */
export const parseId = (id: bigint | number | string): bigint | undefined => {
  if (typeof id === "bigint") return id >= 0n ? id : undefined
  if (typeof id === "number") return Number.isSafeInteger(id) && id >= 0 ? BigInt(id) : undefined
  if (typeof id !== "string") return undefined
  const text = id
    .trim()
    .toLowerCase()
    .replace(/^eip155:/, "")
  return /^(0x[0-9a-f]{1,64}|[0-9]{1,78})$/.test(text) ? BigInt(text) : undefined
}

const identitiesOf = (id: bigint | number | string): ReadonlyArray<Identity> => {
  const wanted = parseId(id)
  if (wanted === undefined) return []
  return identities.filter(
    (chain) => chain.id === wanted || (chain.identifier !== null && BigInt(chain.identifier) === wanted),
  )
}

/**
 * Finds the chains with an identifier, listed or EIP-155: none, one, or two if identifiers clash.
 *
 * **Details**
 *
 * Accepts what `parseId` accepts.
 *
 * **Example** (Finding two chains that share an identifier)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.fromId("0xe705").map((chain) => chain.name)) // [ 'linea', 'linea sepolia' ]
 * ```
 *
 * Source: docs/interface.md#4.1.1; CAIP-2; decision 0005.
 */
export const fromId = (id: bigint | number | string): ReadonlyArray<Chain> => withFacts(identitiesOf(id))

/**
 * Finds the chains with a name, or else with an identifier.
 *
 * **Example** (Reading a name or an identifier)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.fromText("eth").map(({ id }) => id), Chain.fromText("0x89").map(({ name }) => name))
 * // [ 1n ] [ 'polygon' ]
 * ```
 *
 * Source: docs/interface.md#4.1.1; decision 0005.
 */
export const fromText = (text: string): ReadonlyArray<Chain> => {
  const named = fromName(text)
  return named === undefined ? fromId(text) : [named]
}

const aliases = { ethereum: "eth", mainnet: "eth", matic: "polygon" } as const

const isAlias = (name: string): name is keyof typeof aliases => Object.hasOwn(aliases, name)

/**
 * A chain as callers of the clients name it: a name, a common alias, an identifier, or any other text.
 *
 * Source: docs/interface.md#4.1.1; decision 0005.
 */
export type Input = Name | keyof typeof aliases | (string & {}) | number | bigint

/**
 * Names of the chains that an input may refer to: none, one, or two if identifiers clash.
 *
 * **Example** (Finding a chain by an alias)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.fromInput("ethereum").map(({ name }) => name)) // [ 'eth' ]
 * ```
 *
 * Source: docs/interface.md#4.1.1; decision 0005.
 */
export const fromInput = (input: Input): ReadonlyArray<Identity> => {
  if (typeof input !== "string") return identitiesOf(input)
  const name = normalizeName(input)
  const named = byName.get(isAlias(name) ? aliases[name] : name)
  return named === undefined ? identitiesOf(input) : [named]
}

/**
 * Returns the CAIP-2 identifier of a chain.
 *
 * **Example** (Writing a CAIP-2 identifier)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.toCaip2(Chain.fromName("polygon")!)) // eip155:137
 * ```
 *
 * Source: CAIP-2.
 */
export const toCaip2 = (chain: Chain): `eip155:${bigint}` => `eip155:${chain.id}`

/**
 * Returns the chain id in hex, as `eth_chainId` does.
 *
 * **Example** (Comparing with `eth_chainId`)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.toHexId(Chain.fromName("polygon")!)) // 0x89
 * ```
 *
 * Source: EIP-695.
 */
export const toHexId = (chain: Chain): `0x${string}` => `0x${chain.id.toString(16)}`

/**
 * Returns the hash rules of a chain at a block.
 *
 * **Example** (Reading the rules of a block)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * const polygon = Chain.fromName("polygon")
 * console.log(polygon && Chain.hashRulesAt(polygon, 50_000_000n).headerHash) // true
 * ```
 *
 * Source: Ethereum yellow paper 4.4.
 */
export const hashRulesAt = ({ hashRules }: Pick<Chain, "hashRules">, block: bigint): HashRules =>
  hashRules.findLast(({ fromBlock }) => fromBlock <= block) ?? hashRules[0]
