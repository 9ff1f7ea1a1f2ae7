/**
 * Handler of `RestOperation.walletTransactions`: pages of a wallet's transactions. The body of a page is joined from stored texts.
 *
 * Source: docs/interface.md#4.1; decisions 0005, 0008, 0009 and 0011 to 0014.
 */
import type * as ApiHeader from "@daybook/schema/ApiHeader"
import type * as RestOperation from "@daybook/schema/RestOperation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Config } from "../../config/Config.ts"
import type { ContractDecoder } from "../../contract/ContractDecoder.ts"
import type { Decoder } from "@daybook/abi/Decoder"
import { roleBits } from "../../ledger/UserOperations.ts"
import { redecode } from "../../projection/Redecode.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { Page } from "../../query/WalletPage.ts"
import * as Wallet from "../../query/WalletTransactions.ts"
import type { PageRow } from "../../store/ChainReader.ts"
import type { ChainContracts, Described } from "../chain/ChainContracts.ts"
import type * as ErrorResponse from "../http/ErrorResponse.ts"
import * as IndexCoverage from "./IndexCoverage.ts"
import type { InvalidParameter } from "../http/InvalidParameter.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as PageRequest from "./PageRequest.ts"
import * as PageLifetime from "./PageLifetime.ts"
import type * as PageResponse from "./PageResponse.ts"
import * as PageWriter from "./PageWriter.ts"
import * as UserOperationText from "./UserOperationText.ts"

/** Dependencies of the handler. */
export interface Options {
  readonly config: Pick<Config, "maxLimit" | "empty" | "limits">
  readonly decoder: Decoder
  readonly contracts: ChainContracts["Service"]
  /** Sends a page within the bounds of the process. */
  readonly send: ReturnType<typeof PageResponse.make>
}

/** A decoded request. */
export type Request = OperationRoute.Request<typeof RestOperation.walletTransactions, IndexedChain>

const wording: OperationError.Wording = {
  what: "Scope all",
  whenNotDerived: "Retry later, or use scope=direct.",
}

/** Scope of a request, or else of its cursor. */
const scopeOf = ({ cursor, query: { scope } }: Request): Wallet.Scope =>
  scope ?? (cursor?.list === "all" ? "all" : "direct")

/** Returns rows as currently decoded; one that is too large is left as stored. */
export const rowDecoder =
  (decoder: Decoder, maxBytes: number) =>
  (row: PageRow, contractDecoder: ContractDecoder): PageRow => {
    if (row.body.length > maxBytes) return row
    const body = row.revision === decoder.revision ? row.body : redecode(row.body, decoder)
    const decodedBody = contractDecoder.decode(body, row.block)
    return decodedBody === row.body ? row : { ...row, body: decodedBody, stored: undefined }
  }

/** A row with the text of the user operations in which the wallet has a role, as its roles indicate. */
const withOperations = (row: PageRow, wallet: string): PageWriter.Row =>
  ((row.roles ?? 0) & roleBits) === 0 ? row : { ...row, operations: UserOperationText.ofDocument(row, wallet) }

/** Makes the handler. */
export const make = ({ config, contracts, decoder, send }: Options) => {
  const { maxLimit } = config
  const maxBytes = config.limits.pageBytes

  const resolve = (request: Request) => {
    const { include: _, scope: __, ...query } = request.query
    const { chain, cursor, params } = request
    return PageRequest.resolve(query, { chain, cursor, wallet: params.address, list: scopeOf(request), maxLimit })
  }

  const decoded = rowDecoder(decoder, config.limits.pageBytes)

  const write = (
    { decoder: contractDecoder, label }: Described,
    resolved: PageRequest.PageRequest,
    page: Page<PageRow>,
    coverage: typeof ApiHeader.IndexCoverage.Type,
    { caller: { grant, headers }, params, query }: Request,
  ): PageResponse.Body => {
    const { isFixed, rows: stored } = page
    const empty = grant.empty ?? config.empty
    const cursor = PageRequest.nextCursor(resolved, page)
    const fields = { cursor, page: resolved.page, pageSize: resolved.query.limit }
    const options = { label, include: query.include !== undefined, empty }
    const rows = stored.map((row) => withOperations(decoded(row, contractDecoder), params.address))
    const isWhole = !options.include || stored.every(({ internal }) => internal !== null)
    const isKept = isFixed && isWhole && !stored.some(({ body }) => contractDecoder.isConcerned(body))
    const lifetime = isKept ? PageLifetime.headersOf(grant) : {}
    return {
      size: PageWriter.sizeOf(rows, options),
      write: (memory) => PageWriter.page(rows, fields, options, memory),
      chunks: () => PageWriter.chunks(rows, fields, options),
      headers: { ...coverage, ...headers, ...lifetime },
    }
  }

  const read = Effect.fnUntraced(function* (
    request: Request,
  ): Effect.fn.Return<PageResponse.Body, InvalidParameter | Wallet.ReadError> {
    const resolved = yield* Effect.fromResult(resolve(request))
    const selection = { internal: request.query.include !== undefined }
    const scope = scopeOf(request)
    const page = yield* Wallet.read(scope, { ...resolved.query, maxBytes, selection })
    const coverage =
      scope === "direct"
        ? IndexCoverage.headers(page.coverage)
        : yield* IndexCoverage.ofTracedRoles(request.chain, page.coverage)
    return write(yield* contracts.find(request.chain), resolved, page, coverage, request)
  })

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse, HttpServerRequest> =>
    OperationError.answer(send(request.caller.grant, read(request)), wording)
}
