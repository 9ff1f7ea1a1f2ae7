/**
 * Readiness: whether the service can answer, or whether the index of one chain follows its node.
 */
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import type { DatabaseUrl } from "../../config/DatabaseUrl.ts"
import * as NodeConfig from "../../config/NodeConfig.ts"
import type { ApiKeys } from "../../store/ApiKeys.ts"
import type { Webhooks } from "../../store/Webhooks.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as Response from "../http/Response.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as UnavailableLog from "../http/UnavailableLog.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as HostNames from "./HostNames.ts"
import * as Status from "./Status.ts"

/** Dependencies of readiness. */
export interface Options {
  readonly chains: ReadonlyArray<IndexedChain>
  /** The configured database, whose place is not shown. */
  readonly database: DatabaseUrl
  /** Folder to which a relative path of the database refers. */
  readonly baseFolder: string
  readonly keys: Pick<ApiKeys, "ready">
  /** The webhooks; `null` if none are sent. */
  readonly webhooks: Pick<Webhooks, "counts"> | null
  /** Whether the indexer runs in this process, or was started beside it by the same command. */
  readonly isIndexing: boolean
}

/** Makes the handler of `/ready`: 200 when the service can answer; with a chain, when the index of that chain follows its node. */
export const ready = ({ baseFolder, chains, database, isIndexing, keys, webhooks }: Options) => {
  const nodes = chains.flatMap(({ config }) => config.rpc.map((node) => NodeConfig.toOptions(node).url))
  const hide = HostNames.hider({ nodes, database, baseFolder })
  const show = (_: string, value: unknown): unknown => (typeof value === "string" ? hide(value) : value)
  /** Writes a body that anyone may read, and thus without the names of nodes and of the database. */
  const respond = (isReady: boolean, body: unknown): HttpServerResponse =>
    Response.json(JSON.stringify(body, show), { status: isReady ? 200 : 503 })
  /** Absent if they cannot be read. */
  const webhookCounts =
    webhooks === null ? Effect.succeed(undefined) : Effect.orElseSucceed(webhooks.counts, () => undefined)
  const ofService = Effect.gen(function* () {
    // Concurrently, so that an unresponsive database takes as long for one chain as for all.
    const [canAnswer, statuses, counts] = yield* Effect.all(
      [
        // The body does not name the database: the log does.
        Effect.isSuccess(Effect.tapError(keys.ready, UnavailableLog.write)),
        Effect.forEach(chains, (chain) => Status.read(chain, { isIndexing }), { concurrency: "unbounded" }),
        webhookCounts,
      ],
      { concurrency: "unbounded" },
    )
    return respond(canAnswer, { ready: canAnswer, chains: statuses, webhooks: counts })
  })
  const ofChain = Effect.fnUntraced(function* (
    name: string,
  ): Effect.fn.Return<HttpServerResponse, ErrorResponse.ErrorResponse> {
    const chain = yield* Effect.fromResult(ChainRegistry.find(chains, name)).pipe(
      Effect.catch((error) => ErrorResponse.badRequest(InvalidParameter.fromChain(error))),
    )
    const status = yield* Status.read(chain, { isIndexing })
    return respond(status.ready, status)
  })

  return (chain: string | undefined): Effect.Effect<HttpServerResponse> =>
    chain === undefined ? ofService : ErrorResponse.answer(ofChain(chain))
}
