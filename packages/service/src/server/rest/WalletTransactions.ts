/**
 * The handler of `RestOperation.walletTransactions`: pages of a wallet's transactions. The body of a page is joined from stored texts.
 *
 * Source: docs/interface.md#4.1; decisions 0005 to 0014.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Config } from "../../config/Config.ts"
import type { Decoder } from "../../decode/Decoder.ts"
import { redecode } from "../../decode/Redecode.ts"
import * as AppliedSettings from "../../store/AppliedSettings.ts"
import { projection } from "../../projection/WalletTransactions.ts"
import type { Checkpoint } from "../../store/BlockRows.ts"
import type { PageRow } from "../../store/ChainReader.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import type { IndexedChain } from "../IndexedChain.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import { InvalidParameter } from "./InvalidParameter.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PagedQuery from "./PagedQuery.ts"
import type * as PageResponse from "./PageResponse.ts"
import * as PageWriter from "./PageWriter.ts"

/** What the handler needs. */
export interface Options {
  readonly config: Pick<Config, "maxLimit" | "empty" | "limits">
  readonly chains: ReadonlyArray<IndexedChain>
  readonly decoder: Decoder
  /** Sends a page within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
}

/** A decoded request. */
export type Request = OperationRoute.Request<typeof RestOperation.walletTransactions>

/** Refuses a wallet that the index does not cover, for which an empty page would be wrong. */
const guard =
  (wallet: string) =>
  (chain: IndexedChain, checkpoint: Checkpoint | null): Effect.Effect<void, InvalidParameter> => {
    const watch = checkpoint === null ? chain.config.watch?.map((address) => address.toLowerCase()) : checkpoint.watch
    if (watch === undefined || watch.includes(wallet)) return Effect.void
    const message = `Wallet not indexed: ${wallet} on ${chain.name}. Use a wallet that this service indexes.`
    return Effect.fail(new InvalidParameter({ parameter: "address", code: "address_not_watched", message }))
  }

/**
 * Whether the page cannot show internal transactions, because no stored block has traces. Where some have, as after traces were turned
 * on or off, a row without has `null`.
 */
const lacksTraces = Effect.fnUntraced(function* ({
  chain,
  checkpoint,
  rows,
}: PagedQuery.Page): Effect.fn.Return<boolean, StoreError> {
  if (rows.some(({ internal }) => internal !== null)) return false
  if (checkpoint === null) return chain.config.traces === "off"
  const status = yield* chain.status
  const stored = { from: checkpoint.first, to: checkpoint.head.number }
  if (AppliedSettings.lastTraced(status?.settings ?? [], stored) !== null) return false
  if (chain.config.traces === "off") return true
  // While the indexer waits for its node, it does not know what the node provides.
  return status?.traces === "off" && (status.state === "backfill" || status.state === "synced")
})

const refuseInclude = (chain: string) =>
  new InvalidParameter({
    parameter: "include",
    code: "traces_not_indexed",
    message: `Traces not indexed: ${chain}. Send the request without "include".`,
  })

/** Makes the handler. */
export const make = ({ chains, config, decoder, send }: Options) => {
  const readPage = PagedQuery.make({ chains, maxLimit: config.maxLimit, maxBytes: config.limits.pageBytes, projection })

  const read = ({ params: { address: wallet }, query: { include, ...query } }: Request) =>
    readPage(query, { key: wallet, internal: include !== undefined, guard: guard(wallet) })

  const isCurrent = ({ body, revision }: PageRow): boolean =>
    revision === decoder.revision || body.length > config.limits.pageBytes

  const write = (
    { chain, checkpoint, cursor, missing, number, rows: stored, size }: PagedQuery.Page,
    { caller: { grant, headers }, params, query }: Request,
  ): PageResponse.Body => {
    const empty = grant.empty ?? config.empty
    const place = { cursor, page: number, pageSize: size }
    const options = { label: chain.label, wallet: params.address, include: query.include !== undefined, empty }
    const rows = stored.map((row) => (isCurrent(row) ? row : { ...row, body: redecode(row.body, decoder) }))
    return {
      size: PageWriter.sizeOf(rows, options),
      bytes: (memory) => PageWriter.page(rows, place, options, memory),
      chunks: () => PageWriter.chunks(rows, place, options),
      headers: { ...IndexCoverage.headers(checkpoint, missing), ...headers },
    }
  }

  const readBody = Effect.fnUntraced(function* (
    request: Request,
  ): Effect.fn.Return<PageResponse.Body, InvalidParameter | PagedQuery.StaleCursor | StoreError> {
    const page = yield* read(request)
    if (request.query.include !== undefined && (yield* lacksTraces(page))) return yield* refuseInclude(page.chain.name)
    return write(page, request)
  })

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    Effect.catchTags(send(request.caller.grant, readBody(request)), {
      InvalidParameter: ErrorResponse.badRequest,
      StaleCursor: ({ checkpoint, resumeFromBlock }) =>
        ErrorResponse.staleCursor(resumeFromBlock, IndexCoverage.headers(checkpoint)),
      StoreError: ErrorResponse.fromStore,
    })
}
