/**
 * The operator's knowledge of contracts: names and ABIs, for addresses or for any contract of a chain, and the implementations of proxies.
 *
 * Source: decision 0059.
 */
import type * as Effect from "effect/Effect"
import type { ChainRef } from "./ChainRef.ts"
import type { StoreError } from "./StoreError.ts"

/** The implementation of a proxy from a block on. */
export interface Implementation {
  readonly from: number
  /** Lower case. */
  readonly address: string
}

/** A contract, or an ABI for any contract. */
export interface Contract {
  /** Lower case; `null` for a pack, an ABI that is tried for every contract of the chain. */
  readonly address: string | null
  readonly name: string
  /** Who described it: `command`, `upload`, or the folder of a project. */
  readonly source: string
  /** JSON text of its ABI, as `ContractAbi` writes it; `[]` for none. */
  readonly abi: string
  /** Where it is a proxy, its implementations, the earliest first. */
  readonly implementations: ReadonlyArray<Implementation>
}

/** How much is stored of the contracts of a chain. */
export interface Usage {
  readonly contracts: number
  /** Characters of all ABIs. */
  readonly characters: number
}

/** The contracts of a database. */
export interface Contracts {
  /** All of a chain, by key; none where the table does not exist yet. */
  readonly list: (chain: ChainRef) => Effect.Effect<ReadonlyArray<Contract>, StoreError>
  /** A number that grows with each change of a chain's contracts. */
  readonly revision: (chain: ChainRef) => Effect.Effect<number, StoreError>
  /** How much of a chain is stored. */
  readonly usage: (chain: ChainRef) => Effect.Effect<Usage, StoreError>
  /** Adds contracts, or replaces those with the same key, in one transaction. */
  readonly put: (chain: ChainRef, contracts: ReadonlyArray<Contract>) => Effect.Effect<void, StoreError>
  /** Removes contracts by key; gives the keys that were there. */
  readonly remove: (chain: ChainRef, keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, StoreError>
}

/** The key of a contract among those of a chain: its address, or `pack` and its name. */
export const keyOf = ({ address, name }: Pick<Contract, "address" | "name">): string => address ?? `pack ${name}`

/** The columns of a row. */
export type Columns = readonly [key: string, name: string, source: string, abi: string, implementations: string]

/** The columns of a contract. */
export const toColumns = (contract: Contract): Columns => [
  keyOf(contract),
  contract.name,
  contract.source,
  contract.abi,
  JSON.stringify(contract.implementations),
]

/** The contract of a row. */
export const fromColumns = ([key, name, source, abi, implementations]: Columns): Contract => ({
  address: key.startsWith("0x") ? key : null,
  name,
  source,
  abi,
  // Sound: `toColumns` has written it.
  implementations: JSON.parse(implementations) as ReadonlyArray<Implementation>,
})
