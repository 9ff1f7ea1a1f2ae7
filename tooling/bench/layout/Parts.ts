/** Bytes of each part of a chain's file, for each transaction. */
import { DatabaseSync } from "node:sqlite"
import type { BlockRows } from "../../../packages/service/src/store/BlockRows.ts"
import * as Frame from "../../../packages/service/src/store/rows/Frame.ts"
import type * as Figures from "../Figures.ts"

/** The parts by the tables and indexes of the file. */
const parts: ReadonlyArray<readonly [name: string, tables: ReadonlyArray<string>]> = [
  ["long documents and internal calls", ["large_document", "large_internal"]],
  ["histories and their copies", ["history", "history_copy"]],
  ["blocks: hashes, times, checksums", ["block"]],
  ["index of block times", ["block_timestamp"]],
  ["facts of blocks", ["facts"]],
]

/** Bytes of the frame of a row that its internal calls add. */
const internalBytes = ({ transactions }: BlockRows): number =>
  transactions.reduce((sum, { body, internal }) => {
    const whole = Frame.pack(body, internal, "zstd")
    return whole.form.isInternalApart ? sum : sum + whole.frame.length - Frame.pack(body, null, "zstd").frame.length
  }, 0)

/** Reads the parts of a file whose log is written back. `blocks` are those that it holds, or those that they repeat. */
export const measure = (
  figures: Figures.Figures,
  subject: string,
  file: string,
  transactions: number,
  blocks: ReadonlyArray<BlockRows>,
): void => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const sizes = database.prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name").all()
    const bytes = new Map(sizes.map(({ bytes, name }) => [String(name), Number(bytes)]))
    const add = (part: string, size: number) => figures.add(subject, part, size / transactions)
    const of = (names: ReadonlyArray<string>) => names.reduce((sum, name) => sum + (bytes.get(name) ?? 0), 0)
    const frames = Number(database.prepare("SELECT sum(octet_length(frame)) AS n FROM document").get()?.["n"])
    const hashes = Number(
      database.prepare("SELECT sum(octet_length(hash) + octet_length(addresses)) AS n FROM document").get()?.["n"],
    )
    const count = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
    const internal = (blocks.reduce((sum, block) => sum + internalBytes(block), 0) / count) * transactions
    add("documents", frames - internal)
    add("internal calls", internal)
    add("hashes and wallets that a document does not name", hashes)
    add("other columns of rows, and free space", of(["document"]) - frames - hashes)
    for (const [name, tables] of parts) add(name, of(tables))
    const all = [...bytes.values()].reduce((sum, size) => sum + size, 0)
    const named = of(["document", ...parts.flatMap(([, tables]) => tables)])
    add("everything else", all - named)
    add("together", all)
  } finally {
    database.close()
  }
}
