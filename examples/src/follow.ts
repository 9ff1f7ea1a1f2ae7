/**
 * Maintains a file of a wallet's transactions across reorgs and restarts, and follows new ones until it is stopped.
 * With a database, write rows and position in one transaction.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRestClient } from "@daybook/rest/promise"

const { DAYBOOK_BASE_URL = "", DAYBOOK_API_KEY = "", DAYBOOK_ADDRESS: address = "" } = process.env
const [file = "history.json"] = process.argv.slice(2)
const rest = createRestClient({ baseUrl: DAYBOOK_BASE_URL, apiKey: DAYBOOK_API_KEY })

interface Kept {
  readonly position?: string | undefined
  readonly rows: ReadonlyArray<{ readonly hash: string; readonly block: number }>
}

let { position, rows }: Kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { rows: [] }
const pages = rest.walletPagesStream({ address }, { follow: "1 second", onStaleCursor: "restart", resume: position })
for await (const page of pages) {
  position = page.position
  if ("_tag" in page) rows = rows.filter(({ block }) => block < page.fromBlock)
  else rows = [...rows, ...page.page.result.map((row) => ({ hash: row.hash, block: Number(row.block_number) }))]
  writeFileSync(`${file}.new`, JSON.stringify({ position, rows } satisfies Kept))
  renameSync(`${file}.new`, file)
  console.log(rows.length)
}
