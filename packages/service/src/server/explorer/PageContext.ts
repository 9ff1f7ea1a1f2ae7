/** What the routes for the explorer's pages share. */
import type { Authentication } from "../Authentication.ts"
import type { ChainContracts } from "../ChainContracts.ts"
import type { IndexedChain } from "../IndexedChain.ts"
import type * as PagedQuery from "../rest/PagedQuery.ts"

/** What the routes for the explorer's pages share. */
export interface PageContext {
  readonly authentication: Authentication["Service"]
  /** Finds a chain by the parameter `chain`. */
  readonly chainOf: ReturnType<typeof PagedQuery.chainFinder<IndexedChain>>
  readonly known: ChainContracts
}
