/**
 * Routes for the explorer's pages: names of addresses, functions and errors, search by name, and contract ABIs. They share the knowledge of
 * each chain's contracts. Tools for models use the search too.
 *
 * Source: decision 0058.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { ServedChain } from "../../config/ServedChain.ts"
import { Engine } from "../../store/Engine.ts"
import { Authentication } from "../admission/Authentication.ts"
import { ChainContracts } from "../chain/ChainContracts.ts"
import { ChainEns } from "../chain/ChainEns.ts"
import * as IndexedChain from "../../query/IndexedChain.ts"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import * as ContractView from "./ContractView.ts"
import * as NameLookup from "./NameLookup.ts"
import * as NameSearch from "./NameSearch.ts"
import type { PageContext } from "./PageContext.ts"

/** What to serve. */
export interface Options {
  readonly chains: ReadonlyArray<ServedChain>
  /** Whether to serve only the search, because there are no pages. */
  readonly isSearchAlone: boolean
}

/** The routes for these chains. */
export const layer = ({ chains, isSearchAlone }: Options) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const database = yield* Engine
      const parts: PageContext = {
        authentication: yield* Authentication,
        chainOf: ChainRegistry.finderWithDefault(chains.map(IndexedChain.fromDatabase(database))),
        contracts: yield* ChainContracts,
        ensOf: yield* ChainEns,
      }
      yield* router.addAll([NameSearch.route(parts)])
      if (!isSearchAlone) yield* router.addAll([NameLookup.route(parts), ContractView.route(parts)])
    }),
  )
