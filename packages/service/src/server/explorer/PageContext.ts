/** Context shared by the routes for the explorer's pages. */
import type { Authentication } from "../admission/Authentication.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import type { ChainEns } from "../chain/ChainEns.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { ChainOf } from "../rest/OperationRoute.ts"

/** Context shared by the routes for the explorer's pages. */
export interface PageContext {
  readonly authentication: Authentication["Service"]
  /** Finds a chain by the parameter `chain`. */
  readonly chainOf: ChainOf<IndexedChain>
  readonly contracts: ChainContracts["Service"]
  readonly ensOf: ChainEns["Service"]
}
