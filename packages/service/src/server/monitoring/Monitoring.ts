/**
 * The paths for operators and machines, without an API key: `/health`, `/ready`, `/metrics` and `/openapi.json`.
 *
 * Source: decision 0012.
 */
import * as RestApi from "@daybook/schema/RestApi"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type { Config } from "../../config/Config.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import { Engine } from "../../store/Engine.ts"
import * as IndexedChain from "../../query/IndexedChain.ts"
import * as InvalidRequest from "../http/InvalidRequest.ts"
import * as Response from "../http/Response.ts"
import * as Health from "./Health.ts"
import * as Metrics from "./Metrics.ts"

const api = HttpApi.make("daybook-service").add(RestApi.Service).middleware(InvalidRequest.InvalidRequest)

/** The routes for operators and machines. */
export const layer = (options: {
  readonly config: Pick<Config, "database" | "maxLimit" | "webhooks">
  /** Folder to which relative paths of the configuration refer. */
  readonly baseFolder: string
  readonly chains: ReadonlyArray<ServedChain>
  /** Whether the indexer runs in this process, or was started beside it by the same command. */
  readonly isIndexing: boolean
}) => {
  const { baseFolder, isIndexing } = options
  const openApi = JSON.stringify(RestApi.openApi({ maxLimit: options.config.maxLimit }))
  const service = HttpApiBuilder.group(
    api,
    "service",
    Effect.fnUntraced(function* (handlers) {
      const database = yield* Engine
      const metrics = yield* Metrics.Metrics
      const chains = options.chains.map(IndexedChain.fromDatabase(database))
      const webhooks = options.config.webhooks === undefined ? null : database.webhooks
      const ready = Health.ready({
        chains,
        database: options.config.database,
        baseFolder,
        keys: database.apiKeys,
        webhooks,
        isIndexing,
      })
      const scrape = Metrics.make(metrics, { chains, isIndexing, webhooks })
      return handlers.handleAll({
        health: () => Effect.succeed({ status: "ok" } as const),
        ready: ({ query }) => ready(query.chain),
        metrics: () => scrape,
        openApi: () => Effect.succeed(Response.json(openApi)),
      })
    }),
  )
  return HttpApiBuilder.layer(api).pipe(Layer.provide(service), Layer.provide(InvalidRequest.layer))
}
