/**
 * Walk-through of one wallet with both clients, against any provider of the interface. It shows its latest transactions, one of them in
 * detail, the next page, the same transaction over JSON-RPC, its ledger, typed errors, and the indexed range.
 */
import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Address, type WalletPage, type WalletTransaction, Wei } from "@daybook/schema"
import { Effect, Redacted, Stream } from "effect"
import * as Format from "./Format.ts"
import * as LedgerTour from "./LedgerTour.ts"
import { Screen } from "./Screen.ts"
import * as Table from "./Table.ts"

/** A provider of the interface, and the wallet to show. */
export interface Provider {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly apiKey: Redacted.Redacted<string>
  readonly address: Address.Address
  readonly chain: string
}

const pageSize = 10

const columns: ReadonlyArray<Table.Column> = [
  { heading: "time (UTC)", align: "left" },
  { heading: "direction", align: "left" },
  { heading: "counterparty", align: "left" },
  { heading: "ether", align: "right" },
  { heading: "call", align: "left" },
  { heading: "logs", align: "right" },
  { heading: "internal", align: "right" },
  { heading: "status", align: "left" },
]

const row = (wallet: Address.Address) => (transaction: WalletTransaction.WalletTransaction) => [
  Format.time(transaction.block_timestamp),
  Format.direction(wallet, transaction),
  Format.counterparty(wallet, transaction),
  Format.shortEther(transaction.value),
  Format.call(transaction),
  String(transaction.logs.length),
  transaction.internal_transactions == null ? "-" : String(transaction.internal_transactions.length),
  Format.status(transaction),
]

const showPage = Effect.fn("WalkThrough.showPage")(function* (wallet: Address.Address, page: WalletPage.WalletPage) {
  const screen = yield* Screen
  const [headings = "", ...lines] = Table.layout(columns, page.result.map(row(wallet)))
  yield* screen.line(`   ${screen.dim(headings)}`)
  for (const [at, line] of lines.entries()) {
    const isBad = page.result[at]?.receipt_status === 0
    yield* screen.line(`   ${isBad ? screen.bad(line) : line}`)
  }
})

/** The query, with internal transactions if the provider indexes them. */
const queryOf = Effect.fn("WalkThrough.queryOf")(function* (provider: Provider) {
  const rest = yield* RestClient.RestClient
  const query = { address: provider.address, chain: provider.chain, limit: pageSize }
  const complete = { ...query, include: "internal_transactions" as const }
  return yield* rest.walletTransactions({ ...complete, limit: 1 }).pipe(
    Effect.as(complete),
    Effect.catchTag("BadRequest", (error) =>
      error.code === "traces_not_indexed" ? Effect.succeed(query) : Effect.fail(error),
    ),
  )
})

/** The transaction to show in detail: the latest swap on the page, otherwise the one with the most events. */
const choose = (page: WalletPage.WalletPage): WalletTransaction.WalletTransaction | undefined => {
  const events = (transaction: WalletTransaction.WalletTransaction) =>
    transaction.logs.flatMap((log) => log.decoded_event?.label ?? [])
  return (
    page.result.find((transaction) => events(transaction).includes("Swap")) ??
    page.result.toSorted((one, other) => events(other).length - events(one).length)[0]
  )
}

const showTransaction = Effect.fn("WalkThrough.showTransaction")(function* (
  transaction: WalletTransaction.WalletTransaction,
) {
  const screen = yield* Screen
  const write = (name: string, text: string) => screen.line(`   ${screen.dim(name.padEnd(9))} ${text}`)
  yield* write("hash", transaction.hash)
  yield* write("block", `${transaction.block_number}, position ${transaction.transaction_index}`)
  yield* write("from", Address.checksum(transaction.from_address))
  yield* write("to", transaction.to_address === null ? "a new contract" : Address.checksum(transaction.to_address))
  yield* write("value", `${Wei.formatEther(transaction.value)} ether`)
  const fee = transaction.receipt_gas_used * transaction.gas_price
  yield* write(
    "fee",
    `${Wei.formatEther(fee)} ether (${transaction.receipt_gas_used} gas at ${transaction.gas_price} wei)`,
  )
  yield* write(
    "call",
    transaction.decoded_call === null ? Format.call(transaction) : Format.decoded(transaction.decoded_call),
  )
  for (const log of transaction.logs) {
    const event =
      log.decoded_event === null ? `${log.topic0 ?? "no topic"} (not decoded)` : Format.decoded(log.decoded_event)
    yield* write("event", `${Format.shortAddress(log.address)} ${event}`)
  }
  for (const internal of transaction.internal_transactions ?? []) {
    yield* write("internal", Format.internalCall(internal))
  }
  yield* write("status", Format.status(transaction))
})

const showRpc = Effect.fn("WalkThrough.showRpc")(function* (transaction: WalletTransaction.WalletTransaction) {
  const screen = yield* Screen
  const rpc = yield* RpcClient.RpcClient
  const block = yield* rpc.eth_getBlockByNumber(transaction.block_number, false)
  if (block === null) return yield* screen.line("   the node no longer has this block")
  yield* screen.line(
    `   block ${block.number}: ${block.transactions.length} transactions, ${block.gasUsed} of ${block.gasLimit} gas, ${new Date(Number(block.timestamp) * 1000).toISOString()}`,
  )
  const same = yield* rpc.eth_getTransactionByBlockHashAndIndex(transaction.block_hash, transaction.transaction_index)
  if (same === null) return yield* screen.line("   the node no longer has this transaction")
  const agree = same.hash === transaction.hash ? screen.good("same transaction") : screen.bad("DIFFERENT transaction")
  yield* screen.line(`   position ${transaction.transaction_index}: ${same.hash}, type ${same.type ?? 0}, ${agree}`)
})

const showErrors = Effect.fn("WalkThrough.showErrors")(function* (provider: Provider) {
  const screen = yield* Screen
  const unauthorized = yield* RestClient.make({ baseUrl: provider.baseUrl, apiKey: Redacted.make("not-a-key") })
  const query = { address: provider.address, chain: provider.chain, limit: 1 }
  yield* unauthorized.walletTransactions(query).pipe(
    Effect.andThen(screen.line("   a wrong key was accepted")),
    Effect.catchTag("Unauthorized", (error) => screen.line(`   ${screen.bad(error._tag)} ${error.message}`)),
  )
  const rest = yield* RestClient.RestClient
  yield* rest.walletTransactions({ ...query, from_date: "the day before yesterday" }).pipe(
    Effect.andThen(screen.line("   an invalid date was accepted")),
    Effect.catchTag("BadRequest", (error) => screen.line(`   ${screen.bad(error._tag)}   ${error.message}`)),
  )
})

/** Runs the walk-through with the clients of the surrounding program. */
export const run = Effect.fn("WalkThrough.run")(function* (provider: Provider) {
  const screen = yield* Screen
  const rest = yield* RestClient.RestClient

  yield* screen.title(`Latest transactions of ${Address.checksum(provider.address)} on ${provider.chain}`)
  const query = yield* queryOf(provider)
  const first = yield* rest.walletTransactionsWithResponse(query)
  yield* showPage(provider.address, first.page)
  if (first.page.result.length === 0) yield* screen.line("   no transactions in the indexed range")

  const one = choose(first.page)
  if (one !== undefined) {
    yield* screen.title("One transaction in detail, with decoded events and internal transactions")
    yield* showTransaction(one)
  }

  if (first.page.cursor !== null) {
    yield* screen.title("Next page")
    const { cursor } = first.page
    yield* showPage(provider.address, yield* rest.walletTransactions({ ...query, cursor }))
  }

  if (one !== undefined) {
    yield* screen.title("The same transaction over JSON-RPC")
    yield* showRpc(one)
  }

  const rows = yield* Stream.runCollect(rest.walletTransactionsStream({ ...query, limit: 100 }, { maxRows: 300 }))
  yield* LedgerTour.run(provider, first.indexCoverage, rows)

  yield* screen.title("Typed errors")
  yield* showErrors(provider)

  yield* screen.title("Indexed range")
  const { indexedFrom, indexedTo, finalizedTo } = first.indexCoverage
  yield* screen.line(
    indexedTo === null
      ? "   none: nothing is indexed yet, or this provider does not report it"
      : `   blocks ${indexedFrom} to ${indexedTo}, finalized up to ${finalizedTo ?? "none"}`,
  )
})
