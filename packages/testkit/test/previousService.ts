/**
 * Requests of a program to a service: every read operation, its errors, and calls to a node. They are recorded with a service, and every
 * later version of the clients runs them against the recording.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { gunzipSync, gzipSync } from "node:zlib"
import { createRestClient, isRestError, rowId } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"
import * as Recorder from "../src/Recorder.ts"
import type { FakeFetch } from "../src/FakeService.ts"

/** Connection settings of a service. */
export interface Service {
  readonly baseUrl: string
  readonly apiKey: string
  readonly address: string
  readonly fetch: FakeFetch
}

/** A recorded service: its responses, and the results of the clients. */
export interface PreviousService {
  /** Commit of the service. */
  readonly commit: string
  readonly address: string
  readonly recording: Recorder.Recording
  /** Response to an operation that the service does not have. */
  readonly missing: { readonly status: number; readonly body: unknown }
  readonly outcome: unknown
}

const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (error: unknown) => (isRestError(error) ? error._tag : String(Reflect.get(error as object, "_tag"))),
  )

const sum = (amounts: ReadonlyArray<bigint>): string => String(amounts.reduce((all, one) => all + one, 0n))

/** Calls a service; returns the results of the clients as JSON. */
export const outcomeOf = async ({ address, apiKey, baseUrl, fetch }: Service): Promise<unknown> => {
  const rest = createRestClient({ baseUrl, apiKey, fetch, retry: { maxAttempts: 1 } })
  const rpc = createRpcClient({ rpcUrl: `${baseUrl}/rpc`, chain: "eth", apiKey, fetch, retry: { maxAttempts: 1 } })
  const range = { address, from_block: 4, to_block: 30 } as const
  const page = await rest.walletTransactions({ ...range, limit: 3, include: "internal_transactions" })
  const next = await page.next()
  const { indexCoverage } = await rest.walletTransactionsWithResponse({ ...range, limit: 1, scope: "all" })
  const transactions: Array<string> = []
  for await (const row of rest.walletTransactionsStream({ ...range, order: "ASC", limit: 5 }))
    transactions.push(rowId(row))
  const movements: Array<bigint> = []
  for await (const { amount, asset } of rest.movementsStream({ ...range, limit: 50 })) {
    if (asset === "native") movements.push(amount)
  }
  const balances = await rest.balances({ address, to_block: 30 })
  const statement = await rest.statement({ ...range, asset: "native" })
  const block = await rpc.eth_getBlockByNumber(5, true)
  const receipts = await rpc.eth_getBlockReceipts(5)
  const outcome = {
    pages: [page, next].map((one) =>
      one?.result.map(({ hash, internal_transactions, logs, value }) => [
        hash,
        String(value),
        logs.length,
        internal_transactions?.length ?? null,
      ]),
    ),
    decoded: page.result.flatMap(({ logs }) => logs.map(({ decoded_event }) => decoded_event?.label ?? null)),
    coverage: [indexCoverage.indexedFrom, indexCoverage.indexedTo],
    transactions,
    movements: [movements.length, sum(movements)],
    balances: balances.result.map(({ asset, balance, token_id }) => [asset, token_id, balance]),
    statement: [sum(statement.sums.map(({ amount }) => amount)), statement.incomplete, statement.proof],
    block: [block?.hash, block?.timestamp, block?.transactions.length, receipts?.map(({ gasUsed }) => gasUsed)],
    calls: [
      await rpc.eth_chainId(),
      await rpc.eth_getBalance(address, 5),
      (await rpc.eth_getLogs({ fromBlock: 4, toBlock: 9 })).length,
    ],
    errors: [
      await errorOf(rest.walletTransactions({ address, chain: "polygon" })),
      await errorOf(rest.walletTransactions({ address, limit: 1_000 })),
      await errorOf(rest.movements({ address, from_block: 1_000_000_000 })),
      await errorOf(rest.balances({ address, to_date: "1970-01-02" })),
      await errorOf(rest.signedStatement({ address })),
      await errorOf(rpc.request({ method: "eth_noSuchMethod", params: [] })),
    ],
  }
  return JSON.parse(JSON.stringify(outcome, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value)))
}

const file = new URL("fixtures/previous-service.json.gz", import.meta.url)

export const read = (): PreviousService => JSON.parse(gunzipSync(readFileSync(file)).toString())

/** Records the service at DAYBOOK_BASE_URL, and its response to an operation that a later version adds. */
const record = async (commit: string): Promise<void> => {
  const { DAYBOOK_ADDRESS: address = "", DAYBOOK_API_KEY: apiKey = "", DAYBOOK_BASE_URL: baseUrl = "" } = process.env
  const recorder = Recorder.make({ secrets: [apiKey] })
  const outcome = await outcomeOf({ address, apiKey, baseUrl, fetch: recorder.fetch })
  const response = await fetch(`${baseUrl}/api/v2.2/${address}/none-of-this-version`, {
    method: "PUT",
    headers: { "x-api-key": apiKey },
  })
  const missing = { status: response.status, body: await response.json() }
  const recorded: PreviousService = { commit, address, recording: recorder.recording(), missing, outcome }
  writeFileSync(file, gzipSync(JSON.stringify(recorded), { level: 9 }))
}

if (process.argv[1] === import.meta.filename) await record(process.argv[2] ?? "")
