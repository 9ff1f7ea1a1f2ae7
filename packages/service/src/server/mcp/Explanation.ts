/**
 * Explains a transaction: its decoded call and events, token transfers, the user operations that it carried, and the movements of its
 * sender, its recipient and a given wallet.
 *
 * Source: decision 0074.
 */
import type * as RestClient from "@daybook/rest/RestClient"
import type { RestError } from "@daybook/rest/RestError"
import type * as RpcClient from "@daybook/rpc/RpcClient"
import type { DecodedItem } from "@daybook/schema/DecodedItem"
import type { Movement } from "@daybook/schema/Movement"
import * as RowId from "@daybook/schema/RowId"
import * as TokenTransfer from "@daybook/schema/TokenTransfer"
import * as UserOperation from "@daybook/schema/UserOperation"
import { visibleStart } from "@daybook/schema/VisibleText"
import type { WalletTransaction } from "@daybook/schema/WalletTransaction"
import * as Effect from "effect/Effect"
import * as EtherFlows from "../../ledger/EtherFlows.ts"
import * as ToolResult from "./ToolResult.ts"
import { failed, ToolFailed } from "./Tools.ts"

/** Clients used to read a transaction. */
export interface Clients {
  readonly rest: RestClient.Client
  readonly rpc: (chain: string) => Effect.Effect<RpcClient.Client, { readonly message: string }>
}

/** Maximum number of pages of a block read for one wallet. */
const maxPages = 5

const maxValueCharacters = 512

/** A decoded call or event with its first parameters. */
const itemOf = (item: DecodedItem | null, count: number) =>
  item === null
    ? null
    : {
        untrusted_signature: visibleStart(item.signature, 1_000),
        params: item.params.length,
        untrusted_params: item.params.slice(0, count).map(({ name, type, value }) => ({
          name: visibleStart(name, 64),
          type: visibleStart(type, 256),
          value: visibleStart(value, maxValueCharacters),
          characters: value.length,
        })),
      }

/** Matching rows of a wallet in a block, until `isEnough`; `isWhole` is false if pages are left. */
const rowsOf = Effect.fnUntraced(function* <Row, E>(
  read: (
    cursor: string | null,
  ) => Effect.Effect<{ readonly result: ReadonlyArray<Row>; readonly cursor: string | null }, E>,
  fits: (row: Row) => boolean,
  isEnough: (rows: ReadonlyArray<Row>) => boolean,
) {
  const rows: Array<Row> = []
  let cursor: string | null = null
  for (let pages = 0; pages < maxPages; pages++) {
    const page: { readonly result: ReadonlyArray<Row>; readonly cursor: string | null } = yield* read(cursor)
    rows.push(...page.result.filter(fits))
    cursor = page.cursor
    if (cursor === null || isEnough(rows)) return { rows, isWhole: cursor === null }
  }
  return { rows, isWhole: false }
})

/** What the index has for a party of a transaction, and a sentence if it is incomplete. */
interface PartyMovements {
  readonly party: string
  readonly rows: ReadonlyArray<Movement>
  readonly lack: string | undefined
}

const movementsOf = (
  { rest }: Clients,
  chain: string,
  party: string,
  { block_number: block, hash }: WalletTransaction,
): Effect.Effect<PartyMovements> => {
  const query = { address: party, chain, from_block: block, to_block: block }
  return rowsOf(
    (cursor) => rest.movements({ ...query, cursor }),
    (row) => row.transaction_hash === hash,
    () => false,
  ).pipe(
    Effect.map(({ isWhole, rows }) => ({
      party,
      rows,
      lack: isWhole ? undefined : `Further movements of ${party} in this block were not read.`,
    })),
    Effect.catch(({ message }) =>
      Effect.succeed({ party, rows: [], lack: `No movements of ${party}: ${visibleStart(message, 300)}` }),
    ),
  )
}

/** Position of a transaction, from the node. */
const locate = Effect.fnUntraced(function* ({ rpc }: Clients, hash: string, chain: string) {
  const client = yield* Effect.mapError(rpc(chain), failed)
  const found = yield* Effect.mapError(client.eth_getTransactionByHash(hash.toLowerCase()), failed)
  if (found === null) {
    return yield* new ToolFailed({
      message: `No transaction ${visibleStart(hash, 66)} on ${chain}. Check the hash and the chain.`,
    })
  }
  const { blockNumber: block, from } = found
  if (block !== null && block !== undefined) return { hash: found.hash, from, block }
  return yield* new ToolFailed({
    message: `The transaction ${found.hash} is pending in the pool of the node. Ask again once it is in a block.`,
  })
})

/** The question; the wallet in whose history the transaction is, if that is not its sender. */
export interface Question {
  readonly hash: string
  readonly chain: string
  readonly address?: string | undefined
}

/** A page of a history, read for a record. */
type HistoryPage = Effect.Success<ReturnType<Clients["rest"]["walletTransactions"]>>

/** Why a history cannot be read, with advice if an index of watched wallets lacks the sender. */
const unreadable = (error: RestError, { address }: Question): ToolFailed => {
  const isUnwatched = error._tag === "BadRequest" && error.code === "address_not_watched"
  const advice = 'Give "address": the wallet in whose history the transaction was found.'
  return isUnwatched && address === undefined ? failed({ message: `${error.message} ${advice}` }) : failed(error)
}

/** Record of a transaction in the history of a given wallet, or else of its sender. */
const recordOf = Effect.fnUntraced(function* (clients: Clients, question: Question) {
  const { address, chain, hash } = question
  const place = yield* locate(clients, hash, chain)
  const { block } = place
  const wallet = address?.toLowerCase() ?? place.from
  // The sender's history has it in each scope; another wallet may only appear in calls and logs.
  const scope = address === undefined ? "direct" : "all"
  const query = { address: wallet, chain, scope, from_block: block, to_block: block } as const
  const { isWhole, rows } = yield* rowsOf(
    (cursor): Effect.Effect<HistoryPage, ToolFailed> =>
      Effect.mapError(clients.rest.walletTransactions({ ...query, cursor }), (error) => unreadable(error, question)),
    (row) => row.hash === place.hash,
    ({ length }) => length > 0,
  )
  const [record] = rows
  if (record !== undefined) return record
  if (!isWhole) {
    const message = `Block ${block} of ${chain} has more transactions of ${wallet} than were read, and ${place.hash} is not among them.`
    return yield* new ToolFailed({ message: `${message} Give "address": another wallet in whose history it is.` })
  }
  if (address !== undefined) {
    const message = `The history of ${visibleStart(wallet, 66)} in block ${block} of ${chain} does not have ${place.hash}.`
    return yield* new ToolFailed({
      message: `${message} Give a wallet of the transaction, or call "chains" for the indexed blocks.`,
    })
  }
  return yield* new ToolFailed({
    message: `Block ${block} of ${chain} is not in the index. Call "chains" for the indexed blocks.`,
  })
})

/** Maximum number of characters of a shown reason. */
const maxReasonCharacters = 522

/** A user operation; its revert reason was chosen by the called contract. */
const operationOf = (one: UserOperation.LoggedOperation) => ({
  hash: one.hash,
  sender: one.sender,
  paymaster: one.paymaster,
  factory: one.factory,
  nonce: one.nonce.toString(),
  outcome: one.isSuccess ? "succeeded" : "failed",
  untrusted_revert_reason: one.revertReason?.slice(0, maxReasonCharacters) ?? null,
  cost: one.actualGasCost.toString(),
  gas: one.actualGasUsed.toString(),
  entry_point: one.entryPoint,
  entry_point_version: UserOperation.entryPoints[one.entryPoint] ?? null,
})

const costOfOperations =
  "The cost of a user operation is part of the movements: never add it to them. Without entry_point_version, the contract may have logged an operation that did not happen."

/** Outcome of a transaction; `null` for some before Byzantium, whose receipts do not contain it. */
const outcomeOf = ({ gas, receipt_gas_used: gasUsed, receipt_status: status }: WalletTransaction) => {
  const isSuccess = EtherFlows.succeeded({ gas, gasUsed, status })
  if (isSuccess === null) return null
  return isSuccess ? "succeeded" : "failed"
}

const resultOf = (chain: string, record: WalletTransaction, moved: ReadonlyArray<PartyMovements>) => {
  const transfers = TokenTransfer.transfers(record)
  const operations = UserOperation.userOperations(record)
  const { decoded_call: call, logs } = record
  const outcome = outcomeOf(record)
  const rowCounts = moved.map(({ rows }) => rows.length)
  const make = (count: number): ToolResult.ToolResult => ({
    answer: {
      hash: record.hash,
      row: RowId.rowId(record),
      time: record.block_timestamp.toISOString(),
      block: record.block_number.toString(),
      outcome,
      from: record.from_address,
      to: record.to_address,
      created: record.receipt_contract_address,
      value: record.value.toString(),
      call: itemOf(call, count),
      events: logs.slice(0, count).map((log) => ({
        index: log.log_index,
        contract: log.address,
        event: itemOf(log.decoded_event, count),
      })),
      token_transfers: transfers.slice(0, count).map((one) => ({
        standard: one.standard,
        contract: one.token,
        from: one.from,
        to: one.to,
        amount: one.amount.toString(),
        token_id: one.tokenId?.toString() ?? null,
      })),
      user_operations: operations.slice(0, count).map(operationOf),
      movements: Object.fromEntries(
        moved.map(({ party, rows }) => [party, rows.slice(0, count).map(ToolResult.movementOf)]),
      ),
    },
    coverage: ToolResult.rangeOf(chain, [record.block_number, record.block_number]),
    not_covered: [
      ...ToolResult.leftOut(count, logs.length, "events"),
      ...ToolResult.leftOut(count, transfers.length, "token transfers"),
      ...ToolResult.leftOut(count, operations.length, "user operations"),
      ...(operations.length === 0 ? [] : [costOfOperations]),
      ...moved.flatMap(({ party, rows }) => ToolResult.leftOut(count, rows.length, `movements of ${party}`)),
      ...moved.flatMap(({ lack }) => lack ?? []),
      ...(outcome === null
        ? ["Whether the transaction failed is not known: its receipt does not state it, and it used all of its gas."]
        : []),
      ...(call === null && record.input !== "0x"
        ? ["The call could not be decoded, because its function is not known."]
        : []),
      "Movements are those of the sender, the recipient and the given wallet; token transfers are read from events and include all parties.",
    ],
    proof: null,
  })
  const counts = [...rowCounts, logs.length, transfers.length, operations.length, call?.params.length ?? 0]
  return ToolResult.fitting(make, Math.max(...counts))
}

/** Explains a transaction. */
export const explain = Effect.fn("Explanation.explain")(function* (clients: Clients, question: Question) {
  const { address, chain } = question
  const record = yield* recordOf(clients, question)
  const named = [record.from_address, record.to_address, address?.toLowerCase()]
  const parties = new Set(named.filter((party) => party != null))
  const moved = yield* Effect.forEach(parties, (party) => movementsOf(clients, chain, party, record))
  return resultOf(chain, record, moved)
})
