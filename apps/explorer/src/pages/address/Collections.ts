/** What an address holds of collections, apart from what can be divided. Pure. */
import type { Balance } from "@daybook/rest/promise"

/** The items of one collection. */
export interface Collection {
  /** Address of the contract. */
  readonly asset: string
  readonly items: ReadonlyArray<Balance>
}

/** Balances by what they are: each collection once, in the order of its first item. */
export interface Holdings {
  readonly fungible: ReadonlyArray<Balance>
  readonly collections: ReadonlyArray<Collection>
}

/** Sorts balances into collections and the others. */
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
