/**
 * The operator's knowledge of contracts: names and ABIs, for addresses or for any contract of a chain, and the implementations of proxies.
 *
 * Source: decision 0059.
 */
import type * as Effect from "effect/Effect"
import type { ChainRef } from "./ChainRef.ts"
import type { StoreError } from "./StoreError.ts"

/** Implementation of a proxy from a block on. */
export interface Implementation {
  readonly from: number
  /** Address in lower case. */
  readonly address: string
}

/** A contract, or an ABI for any contract. */
export interface Contract {
  /** Address in lower case; `null` for a pack, an ABI that is tried for every contract of the chain. */
  readonly address: string | null
  readonly name: string
  /** Origin of the description: `command`, `upload`, or the folder of a project. */
  readonly source: string
  /** JSON text of its ABI, as written by `ContractAbi`; `[]` if there is none. */
  readonly abi: string
  /** Implementations if it is a proxy, the earliest first. */
  readonly implementations: ReadonlyArray<Implementation>
}

/** How much is stored for the contracts of a chain. */
export interface Usage {
  readonly contracts: number
  /** Total characters of all ABIs. */
  readonly characters: number
}

/** Contracts of a database. */
export interface Contracts {
  /** All contracts of a chain, by key; empty if the table does not exist yet. */
  readonly list: (chain: ChainRef) => Effect.Effect<ReadonlyArray<Contract>, StoreError>
  /** A number that increases with each change of a chain's contracts. */
  readonly revision: (chain: ChainRef) => Effect.Effect<number, StoreError>
  /** How much is stored for a chain. */
  readonly usage: (chain: ChainRef) => Effect.Effect<Usage, StoreError>
  /** Adds contracts, or replaces those with the same key, in one transaction. */
  readonly put: (chain: ChainRef, contracts: ReadonlyArray<Contract>) => Effect.Effect<void, StoreError>
  /** Removes contracts by key; returns the keys that existed. */
  readonly remove: (chain: ChainRef, keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, StoreError>
}

/** Key of a contract within its chain: its address, or `pack` and its name. */
export const keyOf = ({ address, name }: Pick<Contract, "address" | "name">): string => address ?? `pack ${name}`

/** Columns of a row. */
export type Columns = readonly [key: string, name: string, source: string, abi: string, implementations: string]

/** Columns of a contract. */
export const toColumns = (contract: Contract): Columns => [
  keyOf(contract),
  contract.name,
  contract.source,
  contract.abi,
  JSON.stringify(contract.implementations),
]

/** Contract of a row. */
export const fromColumns = ([key, name, source, abi, implementations]: Columns): Contract => ({
  address: key.startsWith("0x") ? key : null,
  name,
  source,
  abi,
  // Sound: `toColumns` wrote it.
  implementations: JSON.parse(implementations) as ReadonlyArray<Implementation>,
})
