/** Wallet histories in the form of the interface: generated from a seed, and served in pages with cursors. */
import type { IndexCoverage } from "../src/Client.ts"
import type { Handler } from "@daybook/harness/ScriptedServer"

export const wallet = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

/** Index coverage of a server that sends none of the headers. */
export const noCoverage: IndexCoverage = {
  indexedFrom: null,
  indexedTo: null,
  finalizedTo: null,
  missingTransactions: null,
  reconciledTo: null,
  searchedTo: null,
  directOnlyTo: null,
  untracedTo: null,
  unstatedTo: null,
}

export type Row = Readonly<Record<string, unknown>> & { readonly hash: string; readonly block_number: string }

const hex = (value: number, bytes: number) => `0x${value.toString(16).padStart(bytes * 2, "0")}`

/** One row in the form of the interface: numbers as text, missing values as empty text. */
export const row = (block: number, index: number, options: { readonly atMillis?: number } = {}): Row => ({
  hash: hex(block * 1_000_000 + index + 1, 32),
  nonce: String(index),
  transaction_index: String(index),
  from_address: wallet,
  to_address: "0x00000000000000000000000000000000000000aa",
  from_address_label: null,
  to_address_label: null,
  value: String(block * 1_000_000_007),
  gas: "21000",
  gas_price: "1000000007",
  input: "0x",
  receipt_cumulative_gas_used: "21000",
  receipt_gas_used: "21000",
  receipt_contract_address: "",
  receipt_root: "",
  receipt_status: "1",
  block_timestamp: new Date(options.atMillis ?? 1_600_000_000_000 + block * 12_000).toISOString(),
  block_number: String(block),
  block_hash: hex(block + 1, 32),
  logs: [],
  decoded_call: null,
})

/** A seeded generator of numbers from 0 to below a limit. */
export const random = (seed: number) => {
  let state = seed >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A history with this many rows, oldest first: one to four rows per block, with gaps between the blocks. */
export const history = (seed: number, rows: number): ReadonlyArray<Row> => {
  const next = random(seed)
  const created: Array<Row> = []
  for (let block = 1 + next(5); created.length < rows; block += 1 + next(9)) {
    const inBlock = Math.min(1 + next(4), rows - created.length)
    for (let index = 0; index < inBlock; index++) created.push(row(block, index))
  }
  return created
}

export const page = (result: unknown, cursor: string | null = null, more: object = {}): string =>
  JSON.stringify({ cursor, page: "0", page_size: "100", result, ...more })

export const sendPage =
  (result: unknown, cursor: string | null = null, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers })
    response.end(page(result, cursor))
  }

/** Serves a history according to the interface: order, limit, block bounds and a cursor that contains the position. */
export const servePages =
  (oldestFirst: ReadonlyArray<Row>): Handler =>
  (request, response) => {
    const url = new URL(request.url ?? "", "http://test")
    const [limit, order, from, to] = ["limit", "order", "from_block", "to_block"].map((name) =>
      url.searchParams.get(name),
    )
    const size = Number(limit ?? 100)
    const inRange = oldestFirst.filter(
      ({ block_number }) => Number(block_number) >= Number(from ?? 0) && Number(block_number) <= Number(to ?? Infinity),
    )
    const rows = order === "ASC" ? inRange : inRange.toReversed()
    const start = Number(url.searchParams.get("cursor") ?? 0)
    const end = start + size
    response.writeHead(200, { "content-type": "application/json" })
    response.end(page(rows.slice(start, end), end < rows.length ? String(end) : null))
  }
