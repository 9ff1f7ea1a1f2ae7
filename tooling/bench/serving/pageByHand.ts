/**
 * A handwritten first page of a wallet with node:http and node:sqlite, from the service's own file. It does no more than that: a key looked
 * up by its hash, one prepared statement, texts decompressed and joined, the same headers and bytes. `node pageByHand.ts <file> <key>`
 * prints its port.
 */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { DatabaseSync } from "node:sqlite"
import * as Cursor from "../../../packages/service/src/server/rest/Cursor.ts"
import * as Frame from "../../../packages/service/src/store/rows/Frame.ts"
import * as KeyRanges from "../../../packages/service/src/store/rows/KeyRanges.ts"
import * as RowId from "../../../packages/service/src/store/rows/RowId.ts"
import * as WalletKey from "../../../packages/service/src/store/rows/WalletKey.ts"

/** Serial of a list that is final. */
const finalSerial = Number.MAX_SAFE_INTEGER

const [file = "", key = ""] = process.argv.slice(2)
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")
const keys = new Set([hashOf(key)])
const database = new DatabaseSync(file, { readOnly: true })
database.exec("PRAGMA query_only=1; PRAGMA cache_size=-8000; PRAGMA mmap_size=268435456")
const chain = 31337
const checkpoint = database.prepare("SELECT first, number, hash, finalized, serial FROM checkpoint WHERE chain = ?")
const blockHash = database.prepare("SELECT hash FROM block WHERE chain = ? AND number = ?")
const rows = database.prepare(
  `SELECT d.id, d.form, d.size, d.internal_size, d.frame FROM history h JOIN document d ON d.id = h.id
   WHERE h.range = ? AND h.key = ? AND h.id < ? AND h.id >= ? ORDER BY h.id DESC LIMIT ?`,
)
rows.setReturnArrays(true)
const ranges = KeyRanges.numbersOf(
  // Sound: the store wrote it.
  KeyRanges.parse(database.prepare("SELECT ranges FROM key_range").get()!["ranges"] as string)!,
).toReversed()
const hex = (bytes: unknown) => `0x${Buffer.from(bytes as Uint8Array).toString("hex")}`
const open = { _tag: "Open" } as const

type Row = readonly [block: number, index: number, body: string]

type StoredRow = readonly [id: number, form: number, size: number, internalSize: number | null, frame: Uint8Array]

const rowOf = ([id, form, size, internalSize, frame]: StoredRow): Row => {
  const { block, index } = RowId.toPosition(id)
  return [block, index, Frame.unpack({ form: Frame.fromNumber(form), size, internalSize, frame }, false).body]
}

interface Checkpoint {
  readonly first: number
  readonly number: number
  readonly hash: Uint8Array
  readonly finalized: number | null
  readonly serial: number
}

const cursorAfter = (wallet: string, [block, index]: Row, checkpoint: Checkpoint): string => {
  const { finalized, first, hash, number, serial } = checkpoint
  const row = blockHash.get(chain, block) as { readonly hash: Uint8Array }
  return Cursor.toText({
    list: "direct",
    chainId: chain,
    wallet,
    order: "DESC",
    range: { from: open, to: open },
    filter: {},
    page: 1,
    continuation: {
      from: first,
      to: number,
      after: { block, index },
      afterHash: hex(row.hash),
      top: { number, hash: hex(hash) },
      serial: finalized !== null && number <= finalized ? finalSerial : serial,
    },
  })
}

const page = (wallet: string, limit: number) => {
  const top = checkpoint.get(chain) as unknown as Checkpoint
  const first = RowId.make(top.first, 0)
  const stored: Array<StoredRow> = []
  for (const range of ranges) {
    const left = limit + 1 - stored.length
    if (left === 0) break
    const part = rows.all(range, WalletKey.fromAddress(wallet), RowId.make(top.number + 1, 0), first, left)
    stored.push(...(part as unknown as ReadonlyArray<StoredRow>))
  }
  const found = stored.map(rowOf)
  const shown = found.slice(0, limit)
  const cursor = found.length > limit ? `"${cursorAfter(wallet, shown.at(-1)!, top)}"` : "null"
  const records = shown.map(([, , body]) => `${body.slice(0, -1)},"from_address_label":null,"to_address_label":null}`)
  return {
    text: `{"cursor":${cursor},"page":"0","page_size":"${limit}","result":[${records.join(",")}]}`,
    headers: {
      "daybook-indexed-from": String(top.first),
      "daybook-indexed-to": String(top.number),
      "daybook-finalized-to": top.finalized?.toString() ?? "",
    },
  }
}

const server = createServer((message, response) => {
  const url = new URL(message.url ?? "/", "http://localhost")
  const wallet = /^\/api\/v2\.2\/(0x[0-9a-fA-F]{40})\/verbose$/.exec(url.pathname)?.[1]?.toLowerCase()
  const given = message.headers["x-api-key"]
  if (typeof given !== "string" || !keys.has(hashOf(given))) return response.writeHead(401).end()
  if (wallet === undefined) return response.writeHead(404).end()
  database.exec("BEGIN")
  const { headers, text } = page(wallet, Number(url.searchParams.get("limit") ?? 100))
  database.exec("COMMIT")
  const bytes = Buffer.from(text)
  return response
    .writeHead(200, { "content-type": "application/json", "content-length": bytes.length, ...headers })
    .end(bytes)
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
