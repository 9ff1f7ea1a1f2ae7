/**
 * Routes of the webhook operations, authenticated by API key.
 *
 * Source: decision 0073.
 */
import * as WebhookOperation from "@daybook/schema/WebhookOperation"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { NameLookups } from "../../push/NameLookups.ts"
import type * as WebhookKey from "../../push/WebhookKey.ts"
import * as IndexedChain from "../../query/IndexedChain.ts"
import { Engine } from "../../store/Engine.ts"
import { Authentication } from "../admission/Authentication.ts"
import { Bounds } from "../admission/Bounds.ts"
import * as KeyScope from "../admission/KeyScope.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as OperationRoute from "../rest/OperationRoute.ts"
import * as WebhookOperations from "./WebhookOperations.ts"

const notConfigured = () =>
  ErrorResponse.notOffered('Webhooks are not configured on this server. Its operator can set "webhooks".')

type Handlers = ReturnType<typeof WebhookOperations.make>

/** Routes of the webhook operations. */
export const layer = (options: {
  /** `null` if webhooks are not configured. */
  readonly settings: WebhookKey.Settings | null
  readonly lookups: NameLookups
  readonly chains: ReadonlyArray<ServedChain>
}) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const authentication = yield* Authentication
      const bounds = yield* Bounds
      const database = yield* Engine
      const chains = options.chains.map(IndexedChain.fromDatabase(database))
      const { lookups, settings } = options
      const handlers: Partial<Handlers> =
        settings === null
          ? {}
          : WebhookOperations.make({ authentication, bounds, chains, lookups, settings, webhooks: database.webhooks })
      const route = <N extends WebhookOperation.Name>(name: N) =>
        OperationRoute.makeChainless<WebhookOperation.All[N]>(
          WebhookOperation.all[name],
          handlers[name] ?? notConfigured,
          authentication,
          KeyScope.webhooksIssue,
        )
      // Sound: `Object.keys` returns the names of the record.
      const names = Object.keys(WebhookOperation.all) as ReadonlyArray<WebhookOperation.Name>
      yield* router.addAll(names.map(route))
    }),
  )
