/**
 * Shows the ledger of a wallet: a statement of its ether compared with the node's balances, and a wallet that only contracts ever paid.
 */
import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Address, type Statement, type WalletTransaction, Wei } from "@daybook/schema"
import { Effect } from "effect"
import * as Format from "./Format.ts"
import { Screen } from "./Screen.ts"
import * as Table from "./Table.ts"

/** A wallet of a chain. */
export interface Wallet {
  readonly address: Address.Address
  readonly chain: string
}

const columns: ReadonlyArray<Table.Column> = [
  { heading: "ether", align: "left" },
  { heading: "movements", align: "right" },
  { heading: "in", align: "right" },
  { heading: "out", align: "right" },
]

const sumRow = ({ count, in: received, kind, out }: Statement.Sum): ReadonlyArray<string> => [
  kind,
  String(count),
  Format.shortEther(received),
  Format.shortEther(out),
]

/** Servers of other providers, and indexes that are still being filled, have no ledger. */
const withoutLedger = Effect.fn("LedgerTour.withoutLedger")(function* (message: string) {
  const screen = yield* Screen
  yield* screen.line(`   not available here: ${message}`)
})

const showSums = Effect.fn("LedgerTour.showSums")(function* ({ address, chain }: Wallet, from: bigint) {
  const screen = yield* Screen
  const rest = yield* RestClient.RestClient
  const rpc = yield* RpcClient.RpcClient
  const statement = yield* rest.statement({ address, chain, asset: "native", from_block: from })
  const { block_number: last, sums } = statement
  const opening = yield* rpc.eth_getBalance(address, from - 1n)
  const moved = sums.reduce((sum, { amount }) => sum + amount, 0n)
  const node = yield* rpc.eth_getBalance(address, last)
  for (const line of Table.layout(columns, sums.map(sumRow))) yield* screen.line(`   ${line}`)
  yield* screen.line(`   opening  ${Wei.formatEther(opening)} at the end of block ${from - 1n}`)
  yield* screen.line(`   closing  ${Wei.formatEther(opening + moved)} at the end of block ${last}`)
  const compared = node === opening + moved ? screen.good("equal") : screen.bad("DIFFERENT")
  yield* screen.line(`   the node ${Wei.formatEther(node)}, ${compared}`)
})

/** Wallets that contracts paid in transactions, without duplicates. */
const paidByContracts = (
  transactions: ReadonlyArray<WalletTransaction.WalletTransaction>,
): ReadonlyArray<Address.Address> => [
  ...new Set(
    transactions
      .flatMap((transaction) => transaction.internal_transactions ?? [])
      .flatMap(({ to, value }) => (to === null || value === 0n ? [] : [to])),
  ),
]

/** Maximum number of wallets examined to find one without transactions of its own. */
const maxSearched = 50

/** Shows a wallet that contracts paid and that has no transactions of its own, found in the history of contracts. */
const showPaid = Effect.fn("LedgerTour.showPaid")(function* (
  chain: string,
  transactions: ReadonlyArray<WalletTransaction.WalletTransaction>,
) {
  const screen = yield* Screen
  const rest = yield* RestClient.RestClient
  for (const address of paidByContracts(transactions).slice(0, maxSearched)) {
    const direct = yield* rest.walletTransactions({ address, chain, limit: 1 })
    if (direct.result.length > 0) continue
    const all = yield* rest.walletTransactions({ address, chain, scope: "all" })
    const paid = yield* rest.movements({ address, chain, kind: "internal", direction: "in" })
    const sum = paid.result.reduce((total, { amount }) => total + amount, 0n)
    yield* screen.line(`   ${Address.checksum(address)} has no transactions of its own`)
    yield* screen.line(
      `   scope=all: ${all.result.length} transactions; movements: ${Wei.formatEther(sum)} ether from contracts`,
    )
    return
  }
  yield* screen.line("   no such wallet in this part of the history")
})

/** Number of blocks in the statement: nodes keep the state of recent blocks only. */
const blocks = 30n

/** Runs the ledger part of the walk-through over the last indexed blocks. */
export const run = Effect.fn("LedgerTour.run")(function* (
  wallet: Wallet,
  { indexedFrom, indexedTo }: RestClient.IndexCoverage,
  transactions: ReadonlyArray<WalletTransaction.WalletTransaction>,
) {
  if (indexedFrom === null || indexedTo === null || indexedTo === indexedFrom) return
  const from = indexedTo - indexedFrom > blocks ? indexedTo - blocks : indexedFrom + 1n
  const screen = yield* Screen
  const skip = (error: { readonly message: string }) => withoutLedger(error.message)
  yield* screen.title(`Ether statement from block ${from}`)
  yield* showSums(wallet, from).pipe(Effect.catchTags({ BadRequest: skip, NotFound: skip, Unavailable: skip }))
  yield* screen.title("A wallet paid only by contracts")
  yield* showPaid(wallet.chain, transactions).pipe(
    Effect.catchTags({ BadRequest: skip, NotFound: skip, Unavailable: skip }),
  )
})
