/**
 * Handles tool calls with the clients of the service.
 *
 * Source: decision 0074.
 */
import * as ExplorerClient from "@daybook/rest/ExplorerClient"
import * as RestClient from "@daybook/rest/RestClient"
import * as RpcClient from "@daybook/rpc/RpcClient"
import * as ApiHeader from "@daybook/schema/ApiHeader"
import type { Movement } from "@daybook/schema/Movement"
import { visibleStart } from "@daybook/schema/VisibleText"
import type { InvalidOption } from "@daybook/transport/ClientError"
import type { Fetch } from "@daybook/transport/Fetch"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as McpServer from "effect/ai/McpServer"
import * as CompleteRange from "../../query/CompleteRange.ts"
import * as Explanation from "./Explanation.ts"
import * as MovementTable from "./MovementTable.ts"
import * as Resources from "./Resources.ts"
import * as ToolResult from "./ToolResult.ts"
import { failed, type ToolFailed, toolkit } from "./Tools.ts"

/** The clients of a service. */
export interface Service extends Explanation.Clients {
  readonly explorer: ExplorerClient.ExplorerClient
}

const promised = <A>(call: () => Promise<A>): Effect.Effect<A, ToolFailed> =>
  Effect.tryPromise({
    try: call,
    catch: (cause) => failed(cause instanceof Error ? cause : { message: String(cause) }),
  })

interface Page {
  readonly rows: ReadonlyArray<Movement>
  readonly answer: ToolResult.ToolResult
}

const inAsset = '; name assets in "asset" to get them'

type MovementArguments = Parameters<RestClient.Client["movements"]>[0] & {
  readonly chain: string
  readonly limit?: number
}

/** How a tool lists movements. */
interface Listing {
  readonly tool: string
  /** Arguments that the next call repeats. Default: those of the page. */
  readonly repeated?: object
  readonly answerOf: (rows: ReadonlyArray<Movement>) => unknown
}

const wholeRows: Listing = { tool: "wallet_movements", answerOf: (rows) => rows.map(ToolResult.movementOf) }

/** The next page is requested again with a smaller limit until its rows fit, so that the cursor is that of the last row shown. */
const movements = Effect.fnUntraced(function* (
  { rest }: Service,
  args: MovementArguments,
  { answerOf, repeated = args, tool }: Listing = wholeRows,
) {
  const read = Effect.fnUntraced(function* (limit: number): Effect.fn.Return<Page, ToolFailed> {
    const { indexCoverage, page } = yield* Effect.mapError(rest.movementsWithResponse({ ...args, limit }), failed)
    const lacking = page.result.some((row) => row.incomplete)
    const answer: ToolResult.ToolResult = {
      answer: answerOf(page.result),
      coverage: ToolResult.coverageOf(args.chain, indexCoverage),
      not_covered: [
        ...CompleteRange.directOnlySentences(indexCoverage.directOnlyTo),
        ...CompleteRange.untracedSentences(indexCoverage.untracedTo),
        ...CompleteRange.unstatedSentences(indexCoverage.unstatedTo),
        ...(lacking ? ["Rows with incomplete: true may lack other movements of the wallet in that block."] : []),
      ],
      proof: null,
    }
    if (page.cursor === null) return { rows: page.result, answer }
    const next = { tool, arguments: { ...repeated, limit, cursor: page.cursor } }
    return { rows: page.result, answer: { ...answer, next_call: next } }
  })
  let limit = args.limit ?? 50
  let found = yield* read(limit)
  while (ToolResult.bytesOf(found.answer) > ToolResult.maxBytes && limit > 1) {
    limit = Math.max(1, Math.floor(Math.min(limit, found.rows.length) / 2))
    found = yield* read(limit)
  }
  return found.answer
})

type ExportArguments = MovementArguments & { readonly format?: "csv" | "json" }

/** Oldest first, so that what is indexed meanwhile comes after the pieces already made. The first piece has the column names. */
const exportPiece = (service: Service, { format = "csv", ...args }: ExportArguments) => {
  const repeated = { ...args, format }
  return movements(
    service,
    { ...args, limit: args.limit ?? 100, order: "ASC" },
    {
      tool: "export_wallet",
      repeated,
      answerOf: (rows) => ({
        format,
        rows: rows.length,
        piece:
          format === "csv" ? MovementTable.lines(rows, args.cursor === undefined) : rows.map(ToolResult.movementOf),
      }),
    },
  )
}

const hashForm = /^0x[0-9a-fA-F]{64}$/
const addressForm = /^0x[0-9a-fA-F]{40}$/

/** Finds a text that is a position on the chain; `null` if it can only be a name. */
const locate = Effect.fnUntraced(function* ({ rpc }: Service, text: string, chain: string) {
  const client = yield* Effect.mapError(rpc(chain), failed)
  if (/^\d{1,15}$/.test(text)) {
    const block = yield* Effect.mapError(client.eth_getBlockByNumber(BigInt(text), false), failed)
    return block === null ? null : { is: "block", number: text, hash: block.hash }
  }
  if (addressForm.test(text)) {
    const code = yield* Effect.mapError(client.eth_getCode(text.toLowerCase(), "latest"), failed)
    return { is: code === "0x" ? "wallet" : "contract", address: text.toLowerCase() }
  }
  if (!hashForm.test(text)) return null
  const transaction = yield* Effect.mapError(client.eth_getTransactionByHash(text.toLowerCase()), failed)
  if (transaction !== null) return { is: "transaction", hash: transaction.hash }
  const block = yield* Effect.mapError(client.eth_getBlockByHash(text.toLowerCase(), false), failed)
  return block === null ? { is: "a hash that this chain does not have" } : { is: "block", number: String(block.number) }
})

const find = Effect.fnUntraced(function* (service: Service, text: string, chain: string) {
  const place = yield* locate(service, text.trim(), chain)
  const names = yield* promised(() => service.explorer.search({ q: text.trim().slice(0, 100), chain })).pipe(
    Effect.map(({ result }) => ({ result, notSearched: [] })),
    // What a text is on the chain is a valid answer even without names.
    Effect.catch((error) =>
      place === null
        ? Effect.fail(error)
        : Effect.succeed({ result: [], notSearched: [`Names were not searched: ${error.message}`] }),
    ),
  )
  return {
    answer: {
      place,
      names: names.result.map(({ address, kind, name, symbol }) => ({
        kind,
        address,
        untrusted_name: visibleStart(name, 100),
        untrusted_symbol: symbol === null ? null : visibleStart(symbol, 32),
      })),
    },
    coverage: null,
    not_covered: ["Anyone can give a token the name of another one: compare addresses.", ...names.notSearched],
    proof: null,
  } satisfies ToolResult.ToolResult
})

const chains = Effect.fnUntraced(function* ({ explorer }: Service) {
  const status = yield* promised(() => explorer.ready({}))
  const all = "chains" in status ? status.chains : [status]
  const make = (count: number): ToolResult.ToolResult => ({
    answer: all.slice(0, count).map((one) => ({
      chain: one.chain,
      id: one.chainId,
      state: one.state,
      from_block: one.indexed?.from ?? null,
      to_block: one.indexed?.to ?? null,
      final_to: one.finalized,
      head: one.head,
      message: one.message,
    })),
    coverage: null,
    not_covered: ToolResult.leftOut(count, all.length, "chains"),
    proof: null,
  })
  return ToolResult.fitting(make, all.length)
})

type StatementQuery = Parameters<RestClient.Client["statement"]>[0] & { readonly chain: string }

/** A statement, with `more` before its sums, and with as many rows of each list as fit. */
const statement = Effect.fnUntraced(function* ({ rest }: Service, args: StatementQuery, more: object = {}) {
  const { indexCoverage, page: found } = yield* Effect.mapError(rest.statementWithResponse(args), failed)
  const { closing, opening, proof, sums } = found
  const lists = [sums, closing.result, opening.result, proof?.differences ?? [], proof?.not_compared ?? []]
  const make = (count: number): ToolResult.ToolResult => ({
    answer: {
      address: found.address,
      ...more,
      opening: {
        after_block: opening.block_number?.toString() ?? null,
        balances: opening.result.slice(0, count).map(ToolResult.balanceOf),
      },
      sums: sums.slice(0, count).map(ToolResult.sumOf),
      closing: closing.result.slice(0, count).map(ToolResult.balanceOf),
      time: found.block_timestamp.toISOString(),
    },
    coverage: ToolResult.rangeOf(args.chain, [found.from_block, found.block_number], indexCoverage),
    not_covered: [
      ...ToolResult.lackOf(found.incomplete),
      ...ToolResult.leftOut(count, sums.length, "sums", inAsset),
      ...ToolResult.leftOut(count, closing.result.length, "balances", inAsset),
      ...ToolResult.leftOut(count, opening.result.length, "opening balances", inAsset),
    ],
    proof: ToolResult.proofOf(found, count),
  })
  return ToolResult.fitting(make, Math.max(...lists.map(({ length }) => length)))
})

const summary = Effect.fnUntraced(function* (service: Service, address: string, chain: string) {
  const edge = (order: "ASC" | "DESC") =>
    service.rest.movements({ address, chain, order, limit: 1 }).pipe(
      Effect.map(({ result: [row] }) => (row === undefined ? null : ToolResult.movementOf(row))),
      Effect.mapError(failed),
    )
  const edges = { first_movement: yield* edge("ASC"), last_movement: yield* edge("DESC") }
  return yield* statement(service, { address, chain }, edges)
})

const balances = Effect.fnUntraced(function* (
  { rest }: Service,
  args: Parameters<RestClient.Client["balances"]>[0] & { readonly chain: string },
) {
  const { indexCoverage, page: found } = yield* Effect.mapError(rest.balancesWithResponse(args), failed)
  const make = (count: number): ToolResult.ToolResult => ({
    answer: {
      after_block: found.block_number.toString(),
      balances: found.result.slice(0, count).map(ToolResult.balanceOf),
    },
    coverage: { ...ToolResult.coverageOf(args.chain, indexCoverage), to_block: found.block_number.toString() },
    not_covered: [
      ...ToolResult.lackOf(found.incomplete),
      ...ToolResult.leftOut(count, found.result.length, "balances", inAsset),
    ],
    proof: null,
  })
  return ToolResult.fitting(make, found.result.length)
})

const prove = Effect.fnUntraced(function* ({ rest }: Service, address: string, chain: string) {
  const { indexCoverage, page: found } = yield* Effect.mapError(rest.statementWithResponse({ address, chain }), failed)
  const { differences = [], not_compared: notCompared = [] } = found.proof ?? {}
  const make = (count: number): ToolResult.ToolResult => ({
    answer: found.proof === null ? "The wallet has not been compared with the chain yet." : "See proof.",
    coverage: ToolResult.rangeOf(chain, [found.from_block, found.block_number], indexCoverage),
    not_covered: ToolResult.lackOf(found.incomplete),
    proof: ToolResult.proofOf(found, count),
  })
  return ToolResult.fitting(make, Math.max(differences.length, notCompared.length))
})

/** The service that answers the calls of a request; each request has its own. */
export const CurrentService = Context.Reference<Service | undefined>("@daybook/service/server/mcp/CurrentService", {
  defaultValue: () => undefined,
})

/** The service of the current request. */
export const current: Effect.Effect<Service> = Effect.flatMap(CurrentService, (service) =>
  service === undefined ? Effect.die(new Error("A tool was called without a service")) : Effect.succeed(service),
)

/** The handlers of all tools, for a service. */
export const layer = (service: Effect.Effect<Service>) => {
  const by = <A, E>(answer: (own: Service) => Effect.Effect<A, E>) => Effect.flatMap(service, answer)
  return toolkit.toLayer({
    chains: () => by(chains),
    wallet_summary: ({ address, chain }) => by((own) => summary(own, address, chain)),
    wallet_movements: (args) => by((own) => movements(own, args as Parameters<typeof movements>[1])),
    wallet_statement: (args) => by((own) => statement(own, args)),
    wallet_balances_at: (args) => by((own) => balances(own, args)),
    explain_transaction: (question) => by((own) => Explanation.explain(own, question)),
    prove_wallet: ({ address, chain }) => by((own) => prove(own, address, chain)),
    export_wallet: (args) => by((own) => exportPiece(own, args as ExportArguments)),
    find: ({ chain, text }) => by((own) => find(own, text, chain)),
  })
}

/** The resources that have URIs, for a service. */
const resources = (service: Effect.Effect<Service>) =>
  Resources.layer({
    statement: (wallet) => Effect.flatMap(service, (own) => statement(own, wallet)),
    balances: (wallet) => Effect.flatMap(service, (own) => balances(own, wallet)),
    movements: (wallet) => Effect.flatMap(service, (own) => movements(own, wallet)),
  })

/** What a server of the protocol registers: the tools and the resources, for a service. */
export const registrations = (service: Effect.Effect<Service>) =>
  Layer.merge(McpServer.toolkit(toolkit).pipe(Layer.provide(layer(service))), resources(service))

/** Where a service is, and how it is called. */
export interface Access {
  readonly url: string
  readonly key: string
  /** Default: that of the clients. */
  readonly fetch?: Fetch
}

/** Time limit for a client call. */
const timeout = "60 seconds"

/** A request is only retried once: the model learns when to call again, instead of waiting for minutes. */
const retry = { maxAttempts: 2 } as const

/** Makes the clients of a service. */
export const connect = Effect.fnUntraced(function* ({
  fetch,
  key,
  url,
}: Access): Effect.fn.Return<Service, InvalidOption> {
  const options = { baseUrl: url, apiKey: key, timeout, fetch, retry } as const
  return {
    rest: yield* RestClient.make(options),
    explorer: ExplorerClient.createExplorerClient({ ...options, timeout: 60_000 }),
    rpc: (chain) =>
      RpcClient.make({
        url: `${url}/rpc/${encodeURIComponent(chain)}`,
        headers: { [ApiHeader.apiKey]: key },
        timeout,
        fetch,
        retry,
      }),
  }
})
