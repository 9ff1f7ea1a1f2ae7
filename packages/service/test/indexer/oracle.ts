/** Transactions of a chain, read from the node block by block. It shares no code with the service. */
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import type { Anvil } from "@daybook/chain"
import * as InternalTransaction from "@daybook/schema/InternalTransaction"
import * as WalletTransaction from "@daybook/schema/WalletTransaction"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import type { ChainReader, PageRow } from "../../src/store/ChainReader.ts"
import { below, type RawFrame } from "../node/callFrames.ts"

interface RawReceipt {
  readonly contractAddress: string | null
  readonly status: string
  readonly logs: ReadonlyArray<unknown>
}

/** A transaction as returned by the node. */
export interface ChainTransaction {
  readonly block: number
  readonly index: number
  readonly hash: string
  readonly addresses: ReadonlyArray<string>
  readonly status: string
  readonly logs: number
  /** Internal calls that transfer value: type, from, to, value, failed. */
  readonly internal: ReadonlyArray<readonly [type: string, from: string, to: string, value: string, failed: boolean]>
}

const hex = (number: number) => `0x${number.toString(16)}`

const internalOf = (root: RawFrame): ChainTransaction["internal"] =>
  below(root)
    .filter(({ type }) => type !== "STATICCALL" && type !== "DELEGATECALL")
    .map(({ from, isFailed, to = "", type, value = "0x0" }) => [type, from, to, BigInt(value).toString(), isFailed])

/** All transactions of a block. */
export const scanBlock = Effect.fnUntraced(function* (node: Anvil.Node, block: number) {
  const all: Array<ChainTransaction> = []
  const { transactions } = yield* node.call<{
    readonly transactions: ReadonlyArray<{ readonly hash: string; readonly from: string; readonly to: string | null }>
  }>("eth_getBlockByNumber", [hex(block), true])
  if (transactions.length === 0) return all
  const receipts = yield* node.call<ReadonlyArray<RawReceipt>>("eth_getBlockReceipts", [hex(block)])
  const traces = yield* node.call<ReadonlyArray<{ readonly result: RawFrame }>>("debug_traceBlockByNumber", [
    hex(block),
    { tracer: "callTracer" },
  ])
  for (const [index, { hash, from, to }] of transactions.entries()) {
    const { contractAddress, status, logs } = receipts[index]!
    const addresses = [from, to, contractAddress].filter((address) => address !== null)
    all.push({
      block,
      index,
      hash,
      addresses: [...new Set(addresses)],
      status: BigInt(status).toString(),
      logs: logs.length,
      internal: internalOf(traces[index]!.result),
    })
  }
  return all
})

/** All transactions of the blocks from 0 to `last`. */
export const scan = Effect.fnUntraced(function* (node: Anvil.Node, last: number) {
  const all: Array<ChainTransaction> = []
  for (let block = 0; block <= last; block++) all.push(...(yield* scanBlock(node, block)))
  return all
})

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(WalletTransaction.WalletTransaction))

/** All rows of a wallet in the store, lowest first, each with the transaction hash of its document. */
export const wallet = (store: ChainReader, address: string) =>
  Effect.map(
    store.snapshot((snapshot) =>
      snapshot.page(WalletTransactions.projection, {
        key: address,
        from: 0,
        to: Number.MAX_SAFE_INTEGER,
        order: "ASC",
        after: null,
        limit: 10_000,
      }),
    ),
    // The stored form is omitted, because compression depends on neighbouring rows.
    ({ rows }) => rows.map((row) => ({ ...row, stored: undefined, hash: String(decodeBody(row.body).hash) })),
  )

/** The rows of a wallet according to the node. */
export const walletOf = (all: ReadonlyArray<ChainTransaction>, address: string) =>
  all.filter(({ addresses }) => addresses.includes(address)).map(({ block, index, hash }) => ({ block, index, hash }))

const decodeInternal = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(InternalTransaction.InternalTransaction)),
)

/** Summary of a stored row, in the form of the oracle. */
const summaryOf = ({ body, internal }: PageRow) => {
  const { logs, receipt_status } = decodeBody(body)
  return {
    status: String(receipt_status),
    logs: logs.length,
    internal: decodeInternal(internal ?? "null").map(
      ({ type, from, to, value, error }): ChainTransaction["internal"][number] => [
        type,
        from,
        to ?? "",
        value.toString(),
        error !== undefined,
      ],
    ),
  }
}

/**
 * Compares the rows of every wallet with all transactions of the chain, including outcomes and internal calls. Returns the numbers of
 * compared transactions and rows. `wallets` are compared in addition to those on the chain.
 */
export const expectWallets = Effect.fnUntraced(function* (
  store: ChainReader,
  all: ReadonlyArray<ChainTransaction>,
  wallets: Iterable<string> = [],
) {
  const byHash = new Map(all.map((transaction) => [transaction.hash, transaction]))
  const byWallet = new Map<string, Array<ChainTransaction>>([...wallets].map((address) => [address, []]))
  for (const transaction of all) {
    for (const address of transaction.addresses) {
      byWallet.set(address, [...(byWallet.get(address) ?? []), transaction])
    }
  }
  const seen = new Set<string>()
  let rows = 0
  for (const [address, expectedRows] of byWallet) {
    const stored = yield* wallet(store, address)
    expect(stored.map(({ block, index, hash }) => ({ block, index, hash }))).toEqual(
      expectedRows.map(({ block, index, hash }) => ({ block, index, hash })),
    )
    rows += stored.length
    for (const row of stored) {
      if (seen.has(row.hash)) continue
      seen.add(row.hash)
      const { internal, logs, status } = byHash.get(row.hash)!
      expect(summaryOf(row)).toEqual({ internal, logs, status })
    }
  }
  expect(seen.size).toBe(all.length)
  return { wallets: byWallet.size, transactions: seen.size, rows }
})
