/** The columns of each tab's files. Values are those of the interface, in the smallest unit. */
import type { Balance, InternalTransaction, Movement, Sum, WalletTransaction } from "@daybook/rest/promise"
import type { Cell } from "./Csv.ts"

/** Columns by name, each with a function that reads its value from a row. */
type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>

/** An internal transaction with the time of its block. */
export interface InternalRow {
  readonly call: InternalTransaction
  /** Position in the transaction, from 0. */
  readonly index: number
  readonly transaction: WalletTransaction
}

/** Row types by table. */
export interface Rows {
  readonly transactions: WalletTransaction
  readonly movements: Movement
  readonly internal: InternalRow
  readonly balances: Balance
  readonly sums: Sum
}

export const tables: { readonly [Name in keyof Rows]: Columns<Rows[Name]> } = {
  transactions: {
    block_number: (row) => row.block_number,
    block_timestamp: (row) => row.block_timestamp.toISOString(),
    transaction_index: (row) => row.transaction_index,
    hash: (row) => row.hash,
    from_address: (row) => row.from_address,
    from_address_label: (row) => row.from_address_label,
    to_address: (row) => row.to_address,
    to_address_label: (row) => row.to_address_label,
    receipt_contract_address: (row) => row.receipt_contract_address,
    value: (row) => row.value,
    method: (row) => row.decoded_call?.signature,
    nonce: (row) => row.nonce,
    gas: (row) => row.gas,
    gas_price: (row) => row.gas_price,
    receipt_gas_used: (row) => row.receipt_gas_used,
    receipt_status: (row) => row.receipt_status,
    block_hash: (row) => row.block_hash,
  },
  movements: {
    block_number: (row) => row.block_number,
    block_timestamp: (row) => row.block_timestamp.toISOString(),
    transaction_hash: (row) => row.transaction_hash,
    transaction_index: (row) => row.transaction_index,
    log_index: (row) => row.log_index,
    movement_index: (row) => row.movement_index,
    kind: (row) => row.kind,
    asset: (row) => row.asset,
    symbol: (row) => row.token?.symbol,
    decimals: (row) => row.token?.decimals,
    token_id: (row) => row.token_id,
    amount: (row) => row.amount,
    counterparty: (row) => row.counterparty,
    counterparty_label: (row) => row.counterparty_label,
    failed: (row) => row.failed,
    incomplete: (row) => row.incomplete,
    flags: (row) => row.flags?.join(" "),
    block_hash: (row) => row.block_hash,
  },
  internal: {
    block_number: ({ transaction }) => transaction.block_number,
    block_timestamp: ({ transaction }) => transaction.block_timestamp.toISOString(),
    transaction_hash: ({ transaction }) => transaction.hash,
    index: ({ index }) => index,
    type: ({ call }) => call.type,
    from: ({ call }) => call.from,
    to: ({ call }) => call.to,
    value: ({ call }) => call.value,
    gas: ({ call }) => call.gas,
    gas_used: ({ call }) => call.gas_used,
    error: ({ call }) => call.error,
  },
  balances: {
    asset: (row) => row.asset,
    symbol: (row) => row.token?.symbol,
    decimals: (row) => row.token?.decimals,
    token_id: (row) => row.token_id,
    balance: (row) => row.balance,
    proved_at_block: (row) => row.proved_at_block,
  },
  sums: {
    asset: (row) => row.asset,
    symbol: (row) => row.token?.symbol,
    decimals: (row) => row.token?.decimals,
    token_id: (row) => row.token_id,
    kind: (row) => row.kind,
    count: (row) => row.count,
    in: (row) => row.in,
    out: (row) => row.out,
    amount: (row) => row.amount,
  },
}
