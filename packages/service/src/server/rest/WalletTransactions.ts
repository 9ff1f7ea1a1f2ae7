/**
 * The handler of `RestOperation.walletTransactions`: pages of a wallet's transactions. The body of a page is joined from stored texts.
 *
 * Source: docs/interface.md#4.1; decisions 0005, 0008, 0009 and 0011 to 0014.
 */
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Config } from "../../config/Config.ts"
import type { ContractDecoder } from "../../contract/ContractDecoder.ts"
import type { Decoder } from "@daybook/abi/Decoder"
import { redecode } from "../../projection/Redecode.ts"
import * as AppliedSettings from "../../store/AppliedSettings.ts"
import * as WalletLedger from "../../projection/WalletLedger.ts"
import { projection } from "../../projection/WalletTransactions.ts"
import type { PageRow } from "../../store/ChainReader.ts"
import type { StoreError } from "../../store/StoreError.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import type { IndexedChain } from "../chain/IndexedChain.ts"
import * as Cursor from "./Cursor.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PagedQuery from "./PagedQuery.ts"
import * as PageLifetime from "./PageLifetime.ts"
import type * as PageResponse from "./PageResponse.ts"
import * as PageWriter from "./PageWriter.ts"
import * as WatchGuard from "./WatchGuard.ts"

/** What the handler needs. */
export interface Options {
  readonly config: Pick<Config, "maxLimit" | "empty" | "limits">
  readonly chains: ReadonlyArray<IndexedChain>
  readonly decoder: Decoder
  readonly contracts: ChainContracts["Service"]
  /** Sends a page within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
}

/** A decoded request. */
export type Request = OperationRoute.Request<typeof RestOperation.walletTransactions>

type Scope = NonNullable<Request["query"]["scope"]>

const sources: Readonly<Record<Scope, PagedQuery.Source<PageRow>>> = {
  direct: PagedQuery.sourceOf(projection),
  all: PagedQuery.sourceOf({ id: WalletLedger.id, kind: "ledger", revision: WalletLedger.revision }),
}

const other: Readonly<Record<Scope, Scope>> = { direct: "all", all: "direct" }

/** The scope of a request; one that it leaves out is that of its cursor. */
const scopeOf = ({ cursor, scope }: Request["query"]): Result.Result<Scope, InvalidParameter> => {
  const isOf = (scope: Scope) =>
    cursor !== undefined && Result.isSuccess(Cursor.fromText(sources[scope].cursor, cursor))
  if (scope === undefined) return Result.succeed(isOf("all") ? "all" : "direct")
  if (!isOf(other[scope])) return Result.succeed(scope)
  const expected = `a cursor of scope ${scope}`
  return Result.fail(InvalidParameter.fromIssue({ path: "cursor", expected, received: `one of scope ${other[scope]}` }))
}

const guardAll = WatchGuard.ledger("scope", "Scope all", "Use scope=direct.")

/**
 * Whether the page cannot show internal transactions, because no stored block has traces. Where some have, as after traces were turned
 * on or off, a row without has `null`.
 */
const lacksTraces = Effect.fnUntraced(function* ({
  chain,
  checkpoint,
  rows,
}: PagedQuery.Page<PageRow>): Effect.fn.Return<boolean, StoreError> {
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

const notComplete = { what: "Scope all", advice: "Retry later, or use scope=direct." }

/** Makes the handler. */
export const make = ({ chains, config, contracts, decoder, send }: Options) => {
  const bounds = { chains, maxLimit: config.maxLimit, maxBytes: config.limits.pageBytes }
  const readPage = {
    direct: PagedQuery.make({ ...bounds, source: sources.direct }),
    all: PagedQuery.make({ ...bounds, source: sources.all }),
  }

  const read = ({ params: { address: wallet }, query: all }: Request) => {
    const { include, scope: _, ...query } = all
    const guard = WatchGuard.wallet(wallet)
    return Effect.flatMap(Effect.fromResult(scopeOf(all)), (scope) =>
      readPage[scope](query, {
        key: wallet,
        internal: include !== undefined,
        guard: (chain, checkpoint) =>
          scope === "all"
            ? Effect.andThen(guard(chain, checkpoint), guardAll(chain, checkpoint))
            : guard(chain, checkpoint),
      }),
    )
  }

  /** The row as it is decoded now; one that is too large is left as it is stored. */
  const decoded = (row: PageRow, contractDecoder: ContractDecoder): PageRow => {
    if (row.body.length > config.limits.pageBytes) return row
    const body = row.revision === decoder.revision ? row.body : redecode(row.body, decoder)
    const decodedBody = contractDecoder.decode(body, row.block)
    return decodedBody === row.body ? row : { ...row, body: decodedBody }
  }

  const write = (
    contractDecoder: ContractDecoder,
    { chain, checkpoint, cursor, isFixed, missing, number, reconciledTo, rows: stored, size }: PagedQuery.Page<PageRow>,
    { caller: { grant, headers }, params, query }: Request,
  ): PageResponse.Body => {
    const empty = grant.empty ?? config.empty
    const place = { cursor, page: number, pageSize: size }
    const label = (address: string) => chain.label(address) ?? contractDecoder.nameOf(address)
    const options = { label, wallet: params.address, include: query.include !== undefined, empty }
    const rows = stored.map((row) => decoded(row, contractDecoder))
    const isWhole = !options.include || stored.every(({ internal }) => internal !== null)
    const isKept = isFixed && isWhole && !stored.some(({ body }) => contractDecoder.isConcerned(body))
    return {
      size: PageWriter.sizeOf(rows, options),
      bytes: (memory) => PageWriter.page(rows, place, options, memory),
      chunks: () => PageWriter.chunks(rows, place, options),
      headers: {
        ...IndexCoverage.headers(checkpoint, missing, reconciledTo),
        ...headers,
        ...(isKept ? PageLifetime.headersOf(grant) : {}),
      },
    }
  }

  const readBody = Effect.fnUntraced(function* (
    request: Request,
  ): Effect.fn.Return<
    PageResponse.Body,
    InvalidParameter | PagedQuery.StaleCursor | PagedQuery.NotDerived | StoreError
  > {
    const page = yield* read(request)
    if (request.query.include !== undefined && (yield* lacksTraces(page))) return yield* refuseInclude(page.chain.name)
    const { decoder: contractDecoder } = yield* contracts.find(page.chain)
    return write(contractDecoder, page, request)
  })

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    OperationError.answer(send(request.caller.grant, readBody(request)), notComplete)
}
