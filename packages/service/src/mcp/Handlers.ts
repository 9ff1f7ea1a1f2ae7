/**
 * Answers the calls of tools by the clients of the service.
 *
 * Source: decision 0074.
 */
import type * as ExplorerClient from "@daybook/rest/ExplorerClient"
import type * as RestClient from "@daybook/rest/RestClient"
import * as RpcClient from "@daybook/rpc/RpcClient"
import type { Movement } from "@daybook/schema/Movement"
import * as RowId from "@daybook/schema/RowId"
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import { visibleStart } from "@daybook/schema/VisibleText"
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import * as Effect from "effect/Effect"
import * as ToolResult from "./ToolResult.ts"
import { ToolFailed, toolkit } from "./Tools.ts"

/** The clients of a service, and its key. */
export interface Service {
  readonly rest: RestClient.Client
  readonly explorer: ExplorerClient.ExplorerClient
  readonly rpc: (chain: string) => Effect.Effect<RpcClient.Client, { readonly message: string }>
}

/** A failure of a client, as a model reads it. */
const failed = (error: { readonly message: string }): ToolFailed =>
  new ToolFailed({ message: visibleStart(error.message, 1_000) })

const promised = <A>(call: () => Promise<A>): Effect.Effect<A, ToolFailed> =>
  Effect.tryPromise({
    try: call,
    catch: (cause) => failed(cause instanceof Error ? cause : { message: String(cause) }),
  })

/** A list cut to the rows that fit into an answer, with a sentence where rows are left out. */
const fitting = (make: (count: number) => ToolResult.ToolResult, count: number): ToolResult.ToolResult => {
  let kept = count
  let answer = make(kept)
  while (ToolResult.bytesOf(answer) > ToolResult.maxBytes && kept > 0) {
    kept = Math.floor(kept / 2)
    answer = make(kept)
  }
  return answer
}

const leftOut = (kept: number, all: number, what: string): ReadonlyArray<string> =>
  kept === all ? [] : [`${all - kept} of ${all} ${what} are left out; name assets in "asset" for them.`]

interface Page {
  readonly rows: ReadonlyArray<Movement>
  readonly answer: ToolResult.ToolResult
}

/** Rows of the next page are asked for again with a smaller limit until they fit, so that the cursor is that of the last row shown. */
const movements = Effect.fnUntraced(function* (
  { rest }: Service,
  args: Parameters<RestClient.Client["movements"]>[0] & { readonly chain: string; readonly limit?: number },
) {
  const read = Effect.fnUntraced(function* (limit: number): Effect.fn.Return<Page, ToolFailed> {
    const { indexCoverage, page } = yield* Effect.mapError(rest.movementsWithResponse({ ...args, limit }), failed)
    const lacking = page.result.some((row) => row.incomplete)
    const answer: ToolResult.ToolResult = {
      answer: page.result.map(ToolResult.movementOf),
      coverage: ToolResult.coverageOf(args.chain, indexCoverage),
      not_covered: lacking ? ["Rows with incomplete: true may lack other movements of the wallet in that block."] : [],
      proof: null,
    }
    if (page.cursor === null) return { rows: page.result, answer }
    const next = { tool: "wallet_movements", arguments: { ...args, limit, cursor: page.cursor } }
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

const itemOf = (item: DecodedItem | null) =>
  item === null
    ? null
    : {
        signature: item.signature,
        untrusted_params: item.params.map(({ name, type, value }) => {
          const param = { name: visibleStart(name, 64), type, value: visibleStart(value, 512) }
          return value.length > 512 ? { ...param, characters: value.length } : param
        }),
      }

/** The record of a transaction in the history of its sender, where that is indexed. */
const recordOf = Effect.fnUntraced(function* (
  { rest }: Service,
  chain: string,
  place: { readonly hash: string; readonly from: string; readonly block: bigint },
) {
  const query = { address: place.from, chain, from_block: place.block, to_block: place.block }
  let cursor: string | null = null
  for (let pages = 0; pages < 5; pages++) {
    const page: { readonly result: ReadonlyArray<WalletTransaction>; readonly cursor: string | null } =
      yield* Effect.mapError(rest.walletTransactions({ ...query, cursor }), failed)
    const found = page.result.find(({ hash }) => hash === place.hash)
    if (found !== undefined) return found
    cursor = page.cursor
    if (cursor === null) break
  }
  return null
})

/** Movements of a party in a transaction; none where the index does not have its wallet. */
const movementsOf = ({ rest }: Service, chain: string, party: string, record: WalletTransaction) =>
  rest.movements({ address: party, chain, from_block: record.block_number, to_block: record.block_number }).pipe(
    Effect.map(({ result }) => result.filter((row) => row.transaction_hash === record.hash).map(ToolResult.movementOf)),
    Effect.orElseSucceed(() => null),
  )

const explain = Effect.fnUntraced(function* (service: Service, hash: string, chain: string) {
  const rpc = yield* Effect.mapError(service.rpc(chain), failed)
  const found = yield* Effect.mapError(rpc.eth_getTransactionByHash(hash.toLowerCase()), failed)
  if (found === null) {
    return yield* new ToolFailed({
      message: `No transaction ${visibleStart(hash, 66)} on ${chain}. Check hash and chain.`,
    })
  }
  if (found.blockNumber === null || found.blockNumber === undefined) {
    return yield* new ToolFailed({
      message: `The transaction ${found.hash} waits in the pool of the node. Ask again once it is in a block.`,
    })
  }
  const record = yield* recordOf(service, chain, { hash: found.hash, from: found.from, block: found.blockNumber })
  if (record === null) {
    return yield* new ToolFailed({
      message: `Block ${found.blockNumber} of ${chain} is not in the index. Call "chains" for the blocks that are.`,
    })
  }
  const parties = [record.from_address, record.to_address].filter((party) => party !== null)
  const moved: Record<string, unknown> = {}
  for (const party of new Set(parties)) moved[party] = yield* movementsOf(service, chain, party, record)
  const transfers = TokenTransfer.transfers(record)
  const make = (count: number): ToolResult.ToolResult => ({
    answer: {
      hash: record.hash,
      row: RowId.rowId(record),
      time: record.block_timestamp.toISOString(),
      block: record.block_number.toString(),
      outcome: record.receipt_status === 0 ? "failed" : "succeeded",
      from: record.from_address,
      to: record.to_address,
      created: record.receipt_contract_address,
      value: record.value.toString(),
      call: itemOf(record.decoded_call),
      events: record.logs.slice(0, count).map((log) => ({
        index: log.log_index,
        contract: log.address,
        event: itemOf(log.decoded_event),
      })),
      token_transfers: transfers.slice(0, count).map((one) => ({
        standard: one.standard,
        contract: one.token,
        from: one.from,
        to: one.to,
        amount: one.amount.toString(),
        token_id: one.tokenId?.toString() ?? null,
      })),
      movements: moved,
    },
    coverage: ToolResult.rangeOf(chain, record.block_number, record.block_number),
    not_covered: [
      ...(record.logs.length > count
        ? [`${record.logs.length - count} of ${record.logs.length} events are left out.`]
        : []),
      ...(record.decoded_call === null && record.input !== "0x"
        ? ["The call could not be decoded: its function is not known."]
        : []),
      "Movements are those of sender and recipient; token transfers are those of events, of all parties.",
    ],
    proof: null,
  })
  return fitting(make, Math.min(record.logs.length, 100))
})

const hashForm = /^0x[0-9a-fA-F]{64}$/
const addressForm = /^0x[0-9a-fA-F]{40}$/

/** Answers where a text is a place on the chain; `null` where it can only be a name. */
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
  const names = yield* promised(() => service.explorer.search({ q: text.trim().slice(0, 100), chain }))
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
    not_covered: ["Anyone may give a token the name of another one: compare addresses."],
    proof: null,
  } satisfies ToolResult.ToolResult
})

const chains = ({ explorer }: Service): Effect.Effect<ToolResult.ToolResult, ToolFailed> =>
  Effect.map(
    promised(() => explorer.ready({})),
    (status): ToolResult.ToolResult => ({
      answer: ("chains" in status ? status.chains : [status]).map((one) => ({
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
      not_covered: [],
      proof: null,
    }),
  )

type StatementQuery = Parameters<RestClient.Client["statement"]>[0] & { readonly chain: string }

const statement = Effect.fnUntraced(function* ({ rest }: Service, args: StatementQuery) {
  const found = yield* Effect.mapError(rest.statement(args), failed)
  const { closing, opening, sums } = found
  const all = Math.max(sums.length, closing.result.length, opening.result.length)
  const make = (count: number): ToolResult.ToolResult => ({
    answer: {
      address: found.address,
      opening: {
        after_block: opening.block_number?.toString() ?? null,
        balances: opening.result.slice(0, count).map(ToolResult.balanceOf),
      },
      sums: sums.slice(0, count).map(ToolResult.sumOf),
      closing: closing.result.slice(0, count).map(ToolResult.balanceOf),
      time: found.block_timestamp.toISOString(),
    },
    coverage: ToolResult.rangeOf(args.chain, found.from_block, found.block_number),
    not_covered: [
      ...ToolResult.lackOf(found.incomplete),
      ...leftOut(Math.min(count, sums.length), sums.length, "sums"),
      ...leftOut(Math.min(count, closing.result.length), closing.result.length, "balances"),
    ],
    proof: ToolResult.proofOf(found),
  })
  return { found, answer: fitting(make, all) }
})

const summary = Effect.fnUntraced(function* (service: Service, address: string, chain: string) {
  const { answer } = yield* statement(service, { address, chain })
  const edge = (order: "ASC" | "DESC") =>
    Effect.mapError(service.rest.movements({ address, chain, order, limit: 1 }), failed)
  const [first, last] = [yield* edge("ASC"), yield* edge("DESC")]
  const edgeOf = (row: Movement | undefined) => (row === undefined ? null : ToolResult.movementOf(row))
  return {
    ...answer,
    answer: {
      first_movement: edgeOf(first.result[0]),
      last_movement: edgeOf(last.result[0]),
      // The opening of a summary is what was before the index, which `not_covered` states.
      ...(answer.answer as object),
    },
  } satisfies ToolResult.ToolResult
})

const balances = Effect.fnUntraced(function* (
  { rest }: Service,
  args: Parameters<RestClient.Client["balances"]>[0] & { readonly chain: string },
) {
  const found = yield* Effect.mapError(rest.balances(args), failed)
  const make = (count: number): ToolResult.ToolResult => ({
    answer: {
      after_block: found.block_number.toString(),
      balances: found.result.slice(0, count).map(ToolResult.balanceOf),
    },
    coverage: ToolResult.rangeOf(args.chain, null, found.block_number),
    not_covered: [
      ...ToolResult.lackOf(found.incomplete),
      ...leftOut(Math.min(count, found.result.length), found.result.length, "balances"),
    ],
    proof: null,
  })
  return fitting(make, found.result.length)
})

const prove = Effect.fnUntraced(function* (service: Service, address: string, chain: string) {
  const { found } = yield* statement(service, { address, chain })
  return {
    answer: found.proof === null ? "The wallet was not compared with the chain yet." : "See proof.",
    coverage: ToolResult.rangeOf(chain, found.from_block, found.block_number),
    not_covered: [...ToolResult.lackOf(found.incomplete), ...(found.proof?.not_compared ?? [])],
    proof: ToolResult.proofOf(found),
  } satisfies ToolResult.ToolResult
})

/** The handlers of all tools, for a service. */
export const layer = (service: Service) =>
  toolkit.toLayer({
    chains: () => chains(service),
    wallet_summary: ({ address, chain }) => summary(service, address, chain),
    wallet_movements: (args) => movements(service, args as Parameters<typeof movements>[1]),
    wallet_statement: (args) => Effect.map(statement(service, args), ({ answer }) => answer),
    wallet_balances_at: (args) => balances(service, args),
    explain_transaction: ({ chain, hash }) => explain(service, hash, chain),
    prove_wallet: ({ address, chain }) => prove(service, address, chain),
    find: ({ chain, text }) => find(service, text, chain),
  })

/** Makes the clients of a service. */
export const rpcOf =
  (origin: string, apiKey: string) =>
  (chain: string): ReturnType<typeof RpcClient.make> =>
    RpcClient.make({ rpcUrl: `${origin}/rpc`, chain, apiKey })
