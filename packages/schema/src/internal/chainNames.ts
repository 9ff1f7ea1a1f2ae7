/**
 * Names and identifiers of the chains of the interface, one row each. Other facts of a chain are in `chains.ts`.
 */

/**
 * The names and identifiers of a chain.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2.
 */
export interface Identity {
  /** Name in the `chain` parameter of the REST operations. */
  readonly name: string
  /** Identifier listed for the `chain` parameter, in hex; `null` if only the RPC operations have the chain. */
  readonly identifier: string | null
  /** Name in the path of the RPC operations; `null` if they do not list the chain. */
  readonly rpcName: string | null
  /** Chain id. Source: EIP-155. */
  readonly id: bigint
  /** Symbol of the native currency. Source: EIP-155 chain list. */
  readonly symbol: string
}

/** A row whose id equals its identifier unless another one is given. Its names stay literal types. */
const identity = <const Name extends string, const RpcName extends string | null>({
  id,
  ...names
}: Omit<Identity, "id"> & { readonly name: Name; readonly rpcName: RpcName; readonly id?: bigint }): Identity & {
  readonly name: Name
  readonly rpcName: RpcName
} => ({ ...names, id: id ?? BigInt(names.identifier ?? 0) })

/** The rows, in the order of the interface. */
export const identities = [
  identity({ name: "eth", identifier: "0x1", rpcName: "eth", symbol: "ETH" }),
  identity({ name: "sepolia", identifier: "0xaa36a7", rpcName: null, symbol: "ETH" }),
  identity({ name: "holesky", identifier: "0x4268", rpcName: "holesky", symbol: "ETH" }),
  identity({ name: "polygon", identifier: "0x89", rpcName: "polygon", symbol: "POL" }),
  identity({ name: "polygon amoy", identifier: "0x13882", rpcName: "amoy", symbol: "POL" }),
  identity({ name: "bsc", identifier: "0x38", rpcName: "bsc", symbol: "BNB" }),
  identity({ name: "bsc testnet", identifier: "0x61", rpcName: "bsc testnet", symbol: "tBNB" }),
  identity({ name: "avalanche", identifier: "0xa86a", rpcName: null, symbol: "AVAX" }),
  identity({ name: "fantom", identifier: "0xfa", rpcName: null, symbol: "FTM" }),
  identity({ name: "palm", identifier: "0x2a15c308d", rpcName: null, symbol: "PALM" }),
  identity({ name: "cronos", identifier: "0x19", rpcName: null, symbol: "CRO" }),
  identity({ name: "arbitrum", identifier: "0xa4b1", rpcName: "arbitrum", symbol: "ETH" }),
  identity({ name: "gnosis", identifier: "0x64", rpcName: null, symbol: "xDAI" }),
  identity({ name: "gnosis testnet", identifier: "0x27d8", rpcName: null, symbol: "xDAI" }),
  identity({ name: "chiliz", identifier: "0x15b38", rpcName: null, symbol: "CHZ" }),
  identity({ name: "chiliz testnet", identifier: "0x15b32", rpcName: null, symbol: "CHZ" }),
  identity({ name: "base", identifier: "0x2105", rpcName: "base", symbol: "ETH" }),
  identity({ name: "base sepolia", identifier: "0x14a34", rpcName: "base sepolia", symbol: "ETH" }),
  identity({ name: "optimism", identifier: "0xa", rpcName: "optimism", symbol: "ETH" }),
  identity({ name: "optimism sepolia", identifier: "0xaa37dc", rpcName: "optimism testnet", symbol: "ETH" }),
  // Listed under the id of linea sepolia.
  identity({ name: "linea", identifier: "0xe705", rpcName: null, id: 59_144n, symbol: "ETH" }),
  identity({ name: "linea sepolia", identifier: "0xe705", rpcName: null, symbol: "ETH" }),
  identity({ name: "moonbeam", identifier: "0x504", rpcName: null, symbol: "GLMR" }),
  identity({ name: "moonriver", identifier: "0x505", rpcName: null, symbol: "MOVR" }),
  identity({ name: "moonbase", identifier: "0x507", rpcName: null, symbol: "DEV" }),
  identity({ name: "arbitrum sepolia", identifier: null, rpcName: "arbitrum sepolia", id: 421_614n, symbol: "ETH" }),
]

type Row = (typeof identities)[number]

/**
 * A name of a chain in the REST or RPC operations.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2.
 */
export type Name = Row["name"] | NonNullable<Row["rpcName"]>
