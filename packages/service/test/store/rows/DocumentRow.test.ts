import { describe, it } from "@effect/vitest"
import { expect } from "vitest"
import * as DocumentRow from "../../../src/store/rows/DocumentRow.ts"
import { apartBytes } from "../../../src/store/rows/Frame.ts"

const hash = `0x${"ab".repeat(32)}`
const wallet = `0x${"cd".repeat(20)}`

/** A document that names its transaction, with a text in it. */
const named = (text: string): string =>
  `{"hash":"${hash}","from_address":"${wallet}","to_address":"${wallet}","receipt_contract_address":"","text":"${text}"}`

const prepared = (body: string, codec: "plain" | "zstd", internal: string | null = null) =>
  DocumentRow.prepare(7, { index: 3, hash, body, internal, addresses: [wallet], decoderRevision: 1 }, codec)

/** Reads separately stored frames. */
const readApart =
  ({ largeDocument, largeInternal }: DocumentRow.Prepared): DocumentRow.ReadApart =>
  (part) => {
    const row = part === "document" ? largeDocument : largeInternal
    return row === null ? undefined : [row[1], row[2]]
  }

const bodies = {
  "a document that names it": named("short"),
  "a document that lies apart": named("x".repeat(apartBytes)),
  "a document of another form": '{"text":"é"}',
}

describe("DocumentRow", () => {
  for (const [name, body] of Object.entries(bodies)) {
    it(`hashUnsafe: returns the hash of ${name}, plain or compressed, with or without internal transactions`, () => {
      for (const codec of ["plain", "zstd"] as const) {
        for (const internal of [null, '[{"type":"CALL"}]']) {
          const row = prepared(body, codec, internal)

          expect(DocumentRow.hashUnsafe("file", row.columns, readApart(row))).toBe(hash)
        }
      }
    })
  }

  it("hashUnsafe: fails for a frame that differs in a byte after the hash", () => {
    const row = prepared(named("short"), "plain")
    const columns = row.columns.map((value) => (value instanceof Uint8Array ? Uint8Array.from(value) : value))
    const frame = columns[7] as Uint8Array
    frame[frame.length - 3] = 0

    const read = () => DocumentRow.hashUnsafe("file", columns as unknown as DocumentRow.Columns, readApart(row))
    expect(read).toThrow("Stored block damaged: block 7 of file, transaction 3 does not match its checksum")
  })
})
