/**
 * The chains of the interface: names, identifiers and a few facts of each. Adding a chain is adding one row of `all`.
 */

/**
 * A chain of the interface.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2.
 */
export interface Chain {
  /** Name as the `chain` parameter of the wallet operation spells it. */
  readonly name: string
  /** Identifier as listed for the `chain` parameter, in hex; `null` where only the RPC operations have the chain. */
  readonly identifier: string | null
  /** Name as the path of the RPC operations spells it; `null` where they do not list the chain. */
  readonly rpcName: string | null
  /** The chain's true id. Source: EIP-155. */
  readonly id: bigint
  /** Symbol of the coin that pays for gas. Source: EIP-155 chain list. */
  readonly symbol: string
  /** Usual time between two blocks, in milliseconds; decides how often a node is polled. */
  readonly blockTimeMillis: number
}

const row = (
  name: string,
  identifier: string | null,
  rpcName: string | null,
  symbol: string,
  blockTimeMillis: number,
  id: bigint = BigInt(identifier ?? 0),
): Chain => ({ name, identifier, rpcName, id, symbol, blockTimeMillis })

/**
 * Every chain of the interface, in its order; `arbitrum sepolia` is listed for the RPC operations only.
 *
 * **Gotchas**
 *
 * `linea` and `linea sepolia` are listed under one identifier. It is the id of `linea sepolia`; `linea` is truly 59144.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2; decision 0005.
 */
export const all: ReadonlyArray<Chain> = [
  row("eth", "0x1", "eth", "ETH", 12_000),
  row("sepolia", "0xaa36a7", null, "ETH", 12_000),
  row("holesky", "0x4268", "holesky", "ETH", 12_000),
  row("polygon", "0x89", "polygon", "POL", 2_000),
  row("polygon amoy", "0x13882", "amoy", "POL", 2_000),
  row("bsc", "0x38", "bsc", "BNB", 750),
  row("bsc testnet", "0x61", "bsc testnet", "tBNB", 750),
  row("avalanche", "0xa86a", null, "AVAX", 2_000),
  row("fantom", "0xfa", null, "FTM", 1_000),
  row("palm", "0x2a15c308d", null, "PALM", 2_000),
  row("cronos", "0x19", null, "CRO", 1_000),
  row("arbitrum", "0xa4b1", "arbitrum", "ETH", 250),
  row("gnosis", "0x64", null, "xDAI", 5_000),
  row("gnosis testnet", "0x27d8", null, "xDAI", 5_000),
  row("chiliz", "0x15b38", null, "CHZ", 3_000),
  row("chiliz testnet", "0x15b32", null, "CHZ", 3_000),
  row("base", "0x2105", "base", "ETH", 2_000),
  row("base sepolia", "0x14a34", "base sepolia", "ETH", 2_000),
  row("optimism", "0xa", "optimism", "ETH", 2_000),
  row("optimism sepolia", "0xaa37dc", "optimism testnet", "ETH", 2_000),
  row("linea", "0xe705", null, "ETH", 2_000, 59_144n),
  row("linea sepolia", "0xe705", null, "ETH", 2_000, 59_141n),
  row("moonbeam", "0x504", null, "GLMR", 6_000),
  row("moonriver", "0x505", null, "MOVR", 6_000),
  row("moonbase", "0x507", null, "DEV", 6_000),
  row("arbitrum sepolia", null, "arbitrum sepolia", "ETH", 250, 421_614n),
]

/**
 * The form in which names of chains are compared: lower case, with hyphens, underscores and runs of spaces as one space.
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
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")

const byName = new Map<string, Chain>()
for (const chain of all) {
  byName.set(normalizeName(chain.name), chain)
  if (chain.rpcName !== null) byName.set(normalizeName(chain.rpcName), chain)
}

/**
 * The chain of a name; `undefined` when there is none.
 *
 * **Details**
 *
 * Takes the spelling of both operations, any case, and hyphens or underscores for spaces.
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
export const fromName = (name: string): Chain | undefined => byName.get(normalizeName(name))

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
  const text = id
    .trim()
    .toLowerCase()
    .replace(/^eip155:/, "")
  return /^(0x[0-9a-f]{1,64}|[0-9]{1,78})$/.test(text) ? BigInt(text) : undefined
}

/**
 * The chains that have an identifier, either the listed or the true one: none, one, or two where identifiers clash.
 *
 * **Details**
 *
 * Takes a number, a bigint, hex or decimal text, and CAIP-2 (`eip155:1`).
 *
 * **Example** (Seeing a clash)
 *
 * ```ts
 * import * as Chain from "@daybook/schema/Chain"
 *
 * console.log(Chain.fromId("0xe705").map((chain) => chain.name)) // [ 'linea', 'linea sepolia' ]
 * ```
 *
 * Source: docs/interface.md#4.1.1; CAIP-2; decision 0005.
 */
export const fromId = (id: bigint | number | string): ReadonlyArray<Chain> => {
  const wanted = parseId(id)
  if (wanted === undefined) return []
  return all.filter(
    (chain) => chain.id === wanted || (chain.identifier !== null && BigInt(chain.identifier) === wanted),
  )
}

/**
 * The chains that a text may mean: by name if it is one, else by identifier.
 *
 * Source: docs/interface.md#4.1.1; decision 0005.
 */
export const fromText = (text: string): ReadonlyArray<Chain> => {
  const named = fromName(text)
  return named === undefined ? fromId(text) : [named]
}

/**
 * The chain's identifier in the form of CAIP-2, by its true id.
 *
 * Source: CAIP-2.
 */
export const toCaip2 = (chain: Chain): `eip155:${bigint}` => `eip155:${chain.id}`

/**
 * The chain's identifier in hex, by its true id, as `eth_chainId` answers.
 *
 * Source: EIP-695.
 */
export const toHexId = (chain: Chain): `0x${string}` => `0x${chain.id.toString(16)}`
