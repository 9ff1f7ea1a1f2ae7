/**
 * The wallet operation: `GET /api/v2.2/<address>/verbose`. Everything that a page needs of the database is read in one snapshot;
 * the body is spliced from stored texts.
 *
 * Source: docs/interface.md#4.1; decisions 0005 to 0014.
 */
import type * as Address from "@daybook/schema/Address"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { Config } from "../../config/Config.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { Decoder } from "../../decode/Decoder.ts"
import { redecode } from "../../decode/Redecode.ts"
import * as Projection from "../../projection/WalletTransactions.ts"
import type { BlockRef, Checkpoint } from "../../store/BlockRows.ts"
import type { ChainReader, PageRow, Snapshot } from "../../store/ChainReader.ts"
import type { ReportedStatus } from "../../store/StatusBoard.ts"
import type { StoreError } from "../../store/StoreError.ts"
import * as Authentication from "../Authentication.ts"
import * as Response from "../Response.ts"
import * as Chains from "../../config/ChainRegistry.ts"
import * as Cursor from "./Cursor.ts"
import type { Request } from "../Request.ts"
import * as Parameters from "./Parameters.ts"
import type { Issue } from "../Issue.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import * as PageWriter from "./PageWriter.ts"

/** A chain and what is kept of it. */
export interface IndexedChain extends ServedChain {
  readonly reader: ChainReader
  /** Status of the chain's indexer; `null` when none has written one. */
  readonly status: Effect.Effect<ReportedStatus | null, StoreError>
}

/** What the operation works with. */
export interface Options {
  readonly config: Pick<Config, "maxLimit" | "empty" | "rateLimit">
  readonly chains: ReadonlyArray<IndexedChain>
  readonly authentication: Authentication.Authentication
  readonly decoder: Decoder
}

/** How far the index reaches, in headers. Source: decision 0013. */
export const indexCoverage = (checkpoint: Checkpoint | null): ErrorResponse.Headers => {
  if (checkpoint === null) return {}
  const { finalized, first, head } = checkpoint
  return {
    "daybook-indexed-from": String(first),
    "daybook-indexed-to": String(head.number),
    ...(finalized === null ? {} : { "daybook-finalized-to": String(finalized) }),
  }
}

/** A page's worth of rows, and where the walk goes on. */
interface Found {
  readonly checkpoint: Checkpoint | null
  readonly rows: ReadonlyArray<PageRow>
  readonly page: number
  readonly next: Cursor.Cursor | null
}

interface Walk {
  readonly chain: IndexedChain
  readonly wallet: Address.Address
  readonly cursor: Cursor.Cursor | undefined
  readonly parameters: Parameters.Parameters
}

const empty = (checkpoint: Checkpoint | null, page = 0): Found => ({ checkpoint, rows: [], page, next: null })

/** The first block of a range, inclusive; null where it begins after everything that is indexed. */
const firstOf = (snapshot: Snapshot, asked: Cursor.RequestedBound, first: number) => {
  if (asked._tag === "Open") return Effect.succeed(first)
  if (asked._tag === "Block") return Effect.succeed(Math.max(first, asked.block))
  return snapshot.firstAtOrAfter(Math.ceil(asked.date / 1000))
}

/** The last block of a range, inclusive; null where it ends before everything that is indexed. */
const lastOf = (snapshot: Snapshot, asked: Cursor.RequestedBound, head: number) => {
  if (asked._tag === "Open") return Effect.succeed(head)
  if (asked._tag === "Block") return Effect.succeed(Math.min(head, asked.block))
  return snapshot.lastAtOrBefore(Math.floor(asked.date / 1000))
}

/** Where a walk must be taken up again, or null while both its blocks are ours. Source: decision 0011. */
const staleFrom = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  { position, top }: Cursor.Cursor,
): Effect.fn.Return<number | null, StoreError> {
  const refs: ReadonlyArray<BlockRef> = [{ number: position.block, hash: position.hash }, top]
  const gone: Array<BlockRef> = []
  for (const ref of refs) if ((yield* snapshot.block(ref.number))?.hash !== ref.hash) gone.push(ref)
  if (gone.length === 0) return null
  const remembered: Array<number> = []
  for (const ref of gone) {
    const from = yield* snapshot.lowestReorgedBlock(ref)
    if (from !== null) remembered.push(from)
  }
  if (remembered.length === gone.length) return Math.min(...remembered)
  const checkpoint = yield* snapshot.checkpoint
  const lowest = Math.min(...gone.map(({ number }) => number), ...remembered)
  const afterFinal = (checkpoint?.finalized ?? -1) + 1
  return afterFinal > 0 && afterFinal <= lowest ? afterFinal : Math.min(lowest, checkpoint?.first ?? 0)
})

/** An index of some wallets knows nothing of the others, rather than that they have no history. */
const isWatched = (chain: IndexedChain, checkpoint: Checkpoint | null, wallet: string): boolean => {
  const watch = checkpoint === null ? chain.config.watch?.map((address) => address.toLowerCase()) : checkpoint.watch
  return watch === undefined || watch.includes(wallet)
}

/** Rows above the limit that tell whether there is a next page. */
const lookahead = 1

const read = Effect.fnUntraced(function* (
  snapshot: Snapshot,
  requestId: string,
  { chain, cursor, parameters, wallet }: Walk,
): Effect.fn.Return<Found, StoreError | ErrorResponse.ErrorResponse> {
  const checkpoint = yield* snapshot.checkpoint
  if (!isWatched(chain, checkpoint, wallet)) {
    const message = `address is ${wallet}, which is not among the wallets that are indexed of ${chain.name} here; accepted: one of these.`
    return yield* ErrorResponse.badRequest(requestId, { parameter: "address", message }, "address_not_watched")
  }
  if (cursor !== undefined) {
    const resume = yield* staleFrom(snapshot, cursor)
    if (resume !== null) return yield* ErrorResponse.staleCursor(requestId, resume, indexCoverage(checkpoint))
  }
  if (checkpoint === null) return empty(null)
  const { first, head } = checkpoint
  const from = cursor?.from ?? (yield* firstOf(snapshot, parameters.from, first))
  const to = cursor?.to ?? (yield* lastOf(snapshot, parameters.to, head.number))
  const page = cursor?.page ?? 0
  if (from === null || to === null || from > to) return empty(checkpoint, page)
  const order = cursor?.order ?? parameters.order ?? "DESC"
  const { include, limit } = parameters
  const after = cursor?.position ?? null
  const query = { key: wallet, from, to, order, after, limit: limit + lookahead, internal: include }
  const found = yield* snapshot.page(Projection.projection, query)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (found.length <= limit || last === undefined) return { checkpoint, rows, page, next: null }
  const top = cursor?.top ?? (to === head.number ? head : yield* snapshot.block(to))
  const lastBlock = yield* snapshot.block(last.block)
  if (top === null || lastBlock === null) return yield* Effect.die(new Error("A block of a page is not stored."))
  return {
    checkpoint,
    rows,
    page,
    next: {
      chainId: chain.id,
      wallet,
      order,
      askedFrom: cursor?.askedFrom ?? parameters.from,
      askedTo: cursor?.askedTo ?? parameters.to,
      from,
      to,
      page: page + 1,
      position: { block: last.block, index: last.index, hash: lastBlock.hash },
      top: { number: top.number, hash: top.hash },
    },
  }
})

/** Makes the handler of the operation; `segment` is the wallet's part of the path. */
export const make = (options: Options) => {
  const { authentication, chains, config, decoder } = options
  const find = Chains.finder(chains)
  const readParameters = Parameters.reader(config.maxLimit)

  const chainOf = (parameters: Parameters.Parameters, cursor: Cursor.Cursor | undefined) => {
    if (parameters.chain !== undefined) return find(parameters.chain)
    if (cursor !== undefined) return find(String(cursor.chainId))
    return Result.mapError(find(Chains.defaultName), () => Chains.defaultNotServed(chains))
  }

  /** Refuses internal transactions where there are none, rather than showing none. */
  const tracesMissing = Effect.fnUntraced(function* (
    chain: IndexedChain,
    { checkpoint, rows }: Found,
  ): Effect.fn.Return<boolean, StoreError> {
    if (rows.length > 0) return rows.some(({ internal }) => internal === null)
    if (chain.config.traces === "off") return true
    if (checkpoint === null) return false
    // An indexer that waits for its node does not know yet what the node has.
    const status = yield* chain.status
    return status?.traces === "off" && (status.state === "backfill" || status.state === "synced")
  })

  return Effect.fnUntraced(function* (
    request: Request,
    segment: string,
  ): Effect.fn.Return<HttpServerResponse, ErrorResponse.ErrorResponse> {
    const { id } = request
    const accept = <A>(result: Result.Result<A, Issue>) =>
      Effect.mapError(Effect.fromResult(result), (issue) => ErrorResponse.badRequest(id, issue))
    const stored = <A>(effect: Effect.Effect<A, StoreError | ErrorResponse.ErrorResponse>) =>
      Effect.catchTag(effect, "StoreError", ErrorResponse.ofStore(id))

    const key = request.header("x-api-key")
    const grant = yield* stored(authentication.grant(key))
    if (grant === null) {
      const what = key === undefined ? "No key came" : "The key is not known"
      return yield* ErrorResponse.unauthorized(id, `${what}; accepted: a key of this service in the header X-API-Key.`)
    }
    const decision = yield* authentication.take(grant, 1)
    if (!decision.isAllowed) {
      const message = Authentication.limitMessage(config.rateLimit, decision.retryAfterSeconds)
      return yield* ErrorResponse.rateLimited(id, message, decision.headers)
    }
    const wallet = yield* accept(Parameters.readAddress(segment))
    const parameters = yield* accept(readParameters(request.query))
    const given = parameters.cursor === undefined ? undefined : yield* accept(Cursor.fromText(parameters.cursor))
    const chain = yield* Effect.mapError(Effect.fromResult(chainOf(parameters, given)), ({ code, message }) =>
      ErrorResponse.badRequest(id, { parameter: "chain", message }, code),
    )
    const { from, order, to } = parameters
    const cursor = given && (yield* accept(Cursor.fit(given, { chainId: chain.id, wallet, order, from, to })))

    const found = yield* stored(
      chain.reader.snapshot((snapshot) => read(snapshot, id, { chain, wallet, cursor, parameters })),
    )
    if (parameters.include && (yield* stored(tracesMissing(chain, found)))) {
      const message = `include is "internal_transactions", but the traces of ${chain.name} are not indexed here; accepted: no include.`
      return yield* ErrorResponse.badRequest(id, { parameter: "include", message }, "traces_not_indexed")
    }
    const rows = found.rows.map((row) =>
      row.revision === decoder.revision ? row : { ...row, body: redecode(row.body, decoder) },
    )
    const bytes = PageWriter.page(
      rows,
      {
        cursor: found.next === null ? null : Cursor.toText(found.next),
        page: found.page,
        pageSize: parameters.limit,
      },
      { label: chain.label, wallet, include: parameters.include, empty: grant.empty ?? config.empty },
    )
    return Response.jsonBytes(bytes, { ...indexCoverage(found.checkpoint), ...decision.headers })
  })
}
