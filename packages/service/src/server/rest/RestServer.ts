/**
 * The REST operations: each endpoint of the contract with its handler, behind the API key.
 *
 * Source: docs/interface.md#4.1; decision 0019.
 */
import * as RestApi from "@daybook/schema/RestApi"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as Decoder from "../../decode/Decoder.ts"
import { Engine } from "../../store/Engine.ts"
import * as Authentication from "../Authentication.ts"
import * as IndexedChain from "../IndexedChain.ts"
import * as InvalidRequest from "../InvalidRequest.ts"
import * as WalletTransactions from "./WalletTransactions.ts"

/** Unknown query parameters are refused. Source: decision 0008. */
const api = HttpApi.make("daybook")
  .add(RestApi.Wallets)
  .middleware(InvalidRequest.InvalidRequest)
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })

/** The routes of the REST operations. */
export const layer = (options: {
  readonly config: WalletTransactions.Options["config"]
  readonly chains: ReadonlyArray<ServedChain>
}) => {
  const wallets = HttpApiBuilder.group(
    api,
    "wallets",
    Effect.fnUntraced(function* (handlers) {
      const chains = options.chains.map(IndexedChain.fromDatabase(yield* Engine))
      const { config } = options
      return handlers.handleAll({
        walletTransactions: WalletTransactions.make({ config, chains, decoder: Decoder.make() }),
      })
    }),
  )
  return HttpApiBuilder.layer(api).pipe(
    Layer.provide(wallets),
    Layer.provide([Authentication.layerApiKey, InvalidRequest.layer]),
  )
}
