import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import * as Hash from "../src/Hash.ts"
import { rowId } from "../src/RowId.ts"

const hash = (digit: string) => Schema.decodeUnknownSync(Hash.Hash)(`0x${digit.repeat(64)}`)
const [block, one, other] = [hash("a"), hash("b"), hash("c")]
const movement = { kind: "value", transaction_hash: one, movement_index: 0, block_hash: block }

describe("rowId", () => {
  it("rowId: of a transaction, has the hashes of its block and of itself", () => {
    expect(rowId({ hash: one, block_hash: block })).toBe(`${block}-${one}`)
  })

  it("rowId: differs by transaction, index and block, and between a movement by a block and one before the first block", () => {
    const rows = [
      movement,
      { ...movement, movement_index: 1 },
      { ...movement, transaction_hash: other },
      { ...movement, block_hash: other },
      { ...movement, kind: "withdrawal", transaction_hash: null },
      { ...movement, kind: "genesis", transaction_hash: null },
    ]

    expect(rowId(movement)).toBe(`${block}-${one}-0`)
    expect(new Set(rows.map(rowId)).size).toBe(rows.length)
  })
})
