/**
 * The routes for the explorer's pages: names of addresses, functions and errors, the search by name, and the ABIs of contracts. They share
 * what is known of the contracts of each chain. Tools for models search too.
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

/** What is served. */
export interface Options {
  readonly chains: ReadonlyArray<ServedChain>
  /** The search alone, where there are no pages. */
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
