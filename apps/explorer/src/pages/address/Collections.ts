/** Separates the collectibles that an address holds from its fungible assets. Pure. */
import type { Balance } from "@daybook/rest/promise"

/** The items of one collection. */
export interface Collection {
  /** Address of the contract. */
  readonly asset: string
  readonly items: ReadonlyArray<Balance>
}

/** Balances by type. Each collection appears once, in the order of its first item. */
export interface Holdings {
  readonly fungible: ReadonlyArray<Balance>
  readonly collections: ReadonlyArray<Collection>
}

/** Splits balances into collections and fungible assets. */
export const holdingsOf = (balances: ReadonlyArray<Balance>): Holdings => {
  const collections = new Map<string, Array<Balance>>()
  const fungible: Array<Balance> = []
  for (const balance of balances) {
    const items = collections.get(balance.asset)
    if (balance.token_id === null) fungible.push(balance)
    else if (items === undefined) collections.set(balance.asset, [balance])
    else items.push(balance)
  }
  return { fungible, collections: [...collections].map(([asset, items]) => ({ asset, items })) }
}
