/**
 * The REST operations: a route for each operation of the contract.
 *
 * Source: docs/interface.md#4.1; decision 0032.
 */
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { Engine } from "../../store/Engine.ts"
import { Authentication } from "../admission/Authentication.ts"
import { Bounds } from "../admission/Bounds.ts"
import { ChainContracts } from "../chain/ChainContracts.ts"
import * as IndexedChain from "../../query/IndexedChain.ts"
import * as ContractChanges from "./ContractChanges.ts"
import * as EventSteps from "./EventSteps.ts"
import type { SigningKey } from "../../signed/SigningKey.ts"
import * as OperationRoute from "./OperationRoute.ts"
import * as PageResponse from "./PageResponse.ts"
import * as ProofJobs from "./ProofJobs.ts"
import * as SignedStatements from "./SignedStatements.ts"
import * as WalletEvents from "./WalletEvents.ts"
import * as WalletMovements from "./WalletMovements.ts"
import * as WalletProofs from "./WalletProofs.ts"
import * as WalletSums from "./WalletSums.ts"
import * as WalletUserOperations from "./WalletUserOperations.ts"
import * as WalletTransactions from "./WalletTransactions.ts"

/** A handler for each operation: an operation added to the contract does not compile without one. */
type Handlers = {
  readonly [N in RestOperation.Name]: OperationRoute.Handler<RestOperation.All[N], IndexedChain.IndexedChain>
}

/** The routes of the REST operations. */
export const layer = (options: {
  readonly config: WalletTransactions.Options["config"]
  readonly chains: ReadonlyArray<ServedChain>
  /** The key that signs statements; `null` for none. */
  readonly signingKey: SigningKey | null
}) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const authentication = yield* Authentication
      const database = yield* Engine
      const chains = options.chains.map(IndexedChain.fromDatabase(database))
      const chainOf = ChainRegistry.finderWithDefault(chains)
      const { config } = options
      const bounds = yield* Bounds
      const send = PageResponse.make(bounds)
      const decoder = KnownSignatures.decoder()
      const contracts = yield* ChainContracts
      const handlers: Handlers = {
        walletTransactions: WalletTransactions.make({ config, contracts, decoder, send }),
        movements: WalletMovements.make({ config, contracts, send }),
        userOperations: WalletUserOperations.make({ config, contracts, send }),
        ...WalletSums.make({ send, sumsOf: bounds.sums }),
        signedStatement: SignedStatements.make({ send, turns: bounds.turns, signingKey: options.signingKey }),
      }
      const walletEvents = WalletEvents.make(EventSteps.make({ bounds, config, contracts, decoder }))
      const changing = { authentication, bounds, contracts, database: database.contracts }
      const { putContract, removeContract } = ContractChanges.make(changing)
      const proveWallet = WalletProofs.make(yield* ProofJobs.make(database, bounds.turns))
      const { balances, movements, signedStatement, statement, userOperations, walletTransactions } = RestOperation.all
      yield* router.addAll([
        OperationRoute.make(walletTransactions, handlers.walletTransactions, authentication, chainOf),
        OperationRoute.make(movements, handlers.movements, authentication, chainOf),
        OperationRoute.make(userOperations, handlers.userOperations, authentication, chainOf),
        OperationRoute.make(balances, handlers.balances, authentication, chainOf),
        OperationRoute.make(statement, handlers.statement, authentication, chainOf),
        OperationRoute.make(signedStatement, handlers.signedStatement, authentication, chainOf),
        OperationRoute.make(RestOperation.walletEvents, walletEvents, authentication, chainOf),
        OperationRoute.make(ChangeOperation.putContract, putContract, authentication, chainOf),
        OperationRoute.make(ChangeOperation.removeContract, removeContract, authentication, chainOf),
        OperationRoute.make(ChangeOperation.proveWallet, proveWallet, authentication, chainOf),
      ])
    }),
  )
