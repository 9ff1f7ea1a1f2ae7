/**
 * The story of one wallet, told through the two clients against any provider of the interface: its newest transactions,
 * one of them in full, the next page, the node behind the relay, errors, and how far the index reaches.
 */
import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Address, type WalletPage, type WalletTransaction } from "@daybook/schema"
import { Effect, Redacted } from "effect"
import { Screen } from "./Screen.ts"
import * as Table from "./Table.ts"
import * as Words from "./Words.ts"

/** A provider of the interface, and the wallet to tell about. */
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
  { heading: "dir", align: "left" },
  { heading: "counterparty", align: "left" },
  { heading: "ether", align: "right" },
  { heading: "call", align: "left" },
  { heading: "logs", align: "right" },
  { heading: "inner", align: "right" },
  { heading: "status", align: "left" },
]

const row = (wallet: Address.Address) => (transaction: WalletTransaction.WalletTransaction) => [
  Words.time(transaction.block_timestamp),
  Words.direction(wallet, transaction),
  Words.counterparty(wallet, transaction),
  Words.shortEther(transaction.value),
  Words.call(transaction),
  String(transaction.logs.length),
  transaction.internal_transactions === undefined ? "-" : String(transaction.internal_transactions.length),
  Words.status(transaction),
]

const tellPage = Effect.fn("Story.tellPage")(function* (wallet: Address.Address, page: WalletPage.WalletPage) {
  const screen = yield* Screen
  const [headings = "", ...lines] = Table.layout(columns, page.result.map(row(wallet)))
  yield* screen.line(`   ${screen.dim(headings)}`)
  for (const [at, line] of lines.entries()) {
    const isBad = page.result[at]?.receipt_status === 0
    yield* screen.line(`   ${isBad ? screen.bad(line) : line}`)
  }
})

/** What is asked: with internal transactions, unless the provider does not index any. */
const question = Effect.fn("Story.question")(function* (provider: Provider) {
  const rest = yield* RestClient.RestClient
  const query = { address: provider.address, chain: provider.chain, limit: pageSize }
  const whole = { ...query, include: "internal_transactions" as const }
  return yield* rest.walletTransactions({ ...whole, limit: 1 }).pipe(
    Effect.as(whole),
    Effect.catchTag("BadRequest", (error) =>
      error.code === "traces_not_indexed" ? Effect.succeed(query) : Effect.fail(error),
    ),
  )
})

/** The transaction to show in full: the newest swap of the page, else the one with the most events. */
const chosen = (page: WalletPage.WalletPage): WalletTransaction.WalletTransaction | undefined => {
  const events = (transaction: WalletTransaction.WalletTransaction) =>
    transaction.logs.flatMap((log) => log.decoded_event?.label ?? [])
  return (
    page.result.find((transaction) => events(transaction).includes("Swap")) ??
    page.result.toSorted((one, other) => events(other).length - events(one).length)[0]
  )
}

const tellOne = Effect.fn("Story.tellOne")(function* (transaction: WalletTransaction.WalletTransaction) {
  const screen = yield* Screen
  const write = (name: string, text: string) => screen.line(`   ${screen.dim(name.padEnd(9))} ${text}`)
  yield* write("hash", transaction.hash)
  yield* write("block", `${transaction.block_number}, position ${transaction.transaction_index}`)
  yield* write("from", Address.checksum(transaction.from_address))
  yield* write("to", transaction.to_address === null ? "a new contract" : Address.checksum(transaction.to_address))
  yield* write("value", `${Words.ether(transaction.value)} ether`)
  const fee = transaction.receipt_gas_used * transaction.gas_price
  yield* write("fee", `${Words.ether(fee)} ether (${transaction.receipt_gas_used} gas at ${transaction.gas_price} wei)`)
  yield* write(
    "call",
    transaction.decoded_call === null ? Words.call(transaction) : Words.decoded(transaction.decoded_call),
  )
  for (const log of transaction.logs) {
    const what =
      log.decoded_event === null ? `${log.topic0 ?? "no topic"} (not known)` : Words.decoded(log.decoded_event)
    yield* write("event", `${Words.shortAddress(log.address)} ${what}`)
  }
  for (const inner of transaction.internal_transactions ?? []) yield* write("inner", Words.internalCall(inner))
  yield* write("status", Words.status(transaction))
})

const tellNode = Effect.fn("Story.tellNode")(function* (transaction: WalletTransaction.WalletTransaction) {
  const screen = yield* Screen
  const rpc = yield* RpcClient.RpcClient
  const block = yield* rpc.eth_getBlockByNumber(transaction.block_number, false)
  if (block === null) return yield* screen.line("   the node does not have this block any more")
  yield* screen.line(
    `   block ${block.number}: ${block.transactions.length} transactions, ${block.gasUsed} of ${block.gasLimit} gas, ${new Date(Number(block.timestamp) * 1000).toISOString()}`,
  )
  const same = yield* rpc.eth_getTransactionByBlockHashAndIndex(transaction.block_hash, transaction.transaction_index)
  if (same === null) return yield* screen.line("   the node does not have this transaction any more")
  const agree = same.hash === transaction.hash ? screen.good("the same transaction") : screen.bad("ANOTHER transaction")
  yield* screen.line(`   position ${transaction.transaction_index}: ${same.hash}, type ${same.type ?? 0}, ${agree}`)
})

const tellErrors = Effect.fn("Story.tellErrors")(function* (provider: Provider) {
  const screen = yield* Screen
  const stranger = yield* RestClient.make({ baseUrl: provider.baseUrl, apiKey: Redacted.make("not-a-key") })
  const query = { address: provider.address, chain: provider.chain, limit: 1 }
  yield* stranger.walletTransactions(query).pipe(
    Effect.andThen(screen.line("   a wrong key was accepted")),
    Effect.catchTag("Unauthorized", (error) => screen.line(`   ${screen.bad(error._tag)} ${error.message}`)),
  )
  const rest = yield* RestClient.RestClient
  yield* rest.walletTransactions({ ...query, from_date: "the day before yesterday" }).pipe(
    Effect.andThen(screen.line("   the provider takes any text for a date")),
    Effect.catchTag("BadRequest", (error) => screen.line(`   ${screen.bad(error._tag)}   ${error.message}`)),
  )
})

/** Tells the story; the clients are those of the surrounding program. */
export const tell = Effect.fn("Story.tell")(function* (provider: Provider) {
  const screen = yield* Screen
  const rest = yield* RestClient.RestClient

  yield* screen.title(`The newest transactions of ${Address.checksum(provider.address)} on ${provider.chain}`)
  const query = yield* question(provider)
  const first = yield* rest.walletTransactionsWithResponse(query)
  yield* tellPage(provider.address, first.page)
  if (first.page.result.length === 0) yield* screen.line("   none in the range that is indexed")

  const one = chosen(first.page)
  if (one !== undefined) {
    yield* screen.title("One of them in full: events and inner calls decoded")
    yield* tellOne(one)
  }

  if (first.page.cursor !== null) {
    yield* screen.title("The next page, by cursor")
    const { cursor } = first.page
    yield* tellPage(provider.address, yield* rest.walletTransactions({ ...query, cursor }))
  }

  if (one !== undefined) {
    yield* screen.title("The same block and transaction from the node, through the relay")
    yield* tellNode(one)
  }

  yield* screen.title("When something is wrong, the error says what and has a type")
  yield* tellErrors(provider)

  yield* screen.title('How far the index reaches, so that "empty" differs from "not indexed"')
  const { indexedFrom, indexedTo, finalizedTo } = first.indexCoverage
  yield* screen.line(
    indexedTo === null
      ? "   this provider does not say"
      : `   blocks ${indexedFrom} to ${indexedTo}; final up to ${finalizedTo ?? "no block yet"}`,
  )
})
