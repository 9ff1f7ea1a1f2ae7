import { hash } from "node:crypto"
import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as Cursor from "../../../src/server/rest/Cursor.ts"
import * as Rows from "../rows.ts"

const cursor: Cursor.Cursor = {
  list: "direct",
  chainId: 1,
  wallet: Rows.alice,
  order: "DESC",
  range: { from: { _tag: "Block", block: 5 }, to: { _tag: "Date", date: -62_198_755_200_000 } },
  filter: {},
  page: 3,
  continuation: {
    from: 5,
    to: 20_000_000,
    after: { block: 19_000_000, index: 300, part: undefined },
    afterHash: Rows.hashOf("a"),
    top: { number: 20_000_000, hash: Rows.hashOf("b") },
    serial: 1_763_800_000_123,
  },
}

const failure = (text: string): string | undefined => {
  const result = Cursor.fromText(text)
  return result._tag === "Failure" ? result.failure.message : undefined
}

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 20 - 1 }))
const Hex = (digits: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })).pipe((schema) =>
    Schema.Array(schema).check(Schema.isMinLength(digits), Schema.isMaxLength(digits)),
  )
const Millis = Schema.Int.check(Schema.isBetween({ minimum: -8.64e15, maximum: 8.64e15 }))
const RequestedBound = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Open") }),
  Schema.Struct({ _tag: Schema.Literal("Block"), block: Count }),
  Schema.Struct({ _tag: Schema.Literal("Date"), date: Millis }),
])
const hex = (bytes: ReadonlyArray<number>) => `0x${Buffer.from(bytes).toString("hex")}`

describe("Cursor", () => {
  describe("toText and fromText", () => {
    it.prop(
      "fromText inverts toText with a part and a filter",
      {
        part: Schema.UndefinedOr(Count),
        filter: Schema.Record(Schema.Literals(["asset", "kind", "direction"]), Schema.String),
      },
      ({ filter, part }) => {
        // As UTF-8 encodes them: lone surrogates have no encoding.
        const texts = Object.entries(filter).map(([name, text]) => [name, Buffer.from(text.slice(0, 100)).toString()])
        const any: Cursor.Cursor = {
          ...cursor,
          list: "movements",
          filter: Object.fromEntries(texts),
          continuation: {
            ...cursor.continuation,
            after: { ...cursor.continuation.after, part: part === Number.MAX_SAFE_INTEGER ? undefined : part },
          },
        }
        expect(Cursor.fromText(Cursor.toText(any))).toMatchObject({ success: any })
      },
    )

    it.prop(
      "fromText inverts toText",
      {
        numbers: Schema.Tuple([Count, Count, Count, Count, Count, Index, Count, Count]),
        wallet: Hex(20),
        hashes: Schema.Tuple([Hex(32), Hex(32)]),
        order: Schema.Literals(["ASC", "DESC"]),
        list: Schema.Literals(["direct", "all", "movements"]),
        asked: Schema.Tuple([RequestedBound, RequestedBound]),
      },
      ({ asked, hashes, list, numbers, order, wallet }) => {
        const [chainId, from, to, page, block, index, number, serial] = numbers
        const any: Cursor.Cursor = {
          list,
          chainId,
          wallet: hex(wallet),
          order,
          range: { from: asked[0], to: asked[1] },
          filter: {},
          page,
          continuation: {
            from,
            to,
            after: { block, index, part: undefined },
            afterHash: hex(hashes[0]),
            top: { number, hash: hex(hashes[1]) },
            serial,
          },
        }

        const text = Cursor.toText(any)

        expect(text).toMatch(/^[\w-]+$/)
        expect(Cursor.fromText(text)).toMatchObject({ _tag: "Success", success: any })
      },
    )

    it.prop(
      "fromText: rejects a cursor with any bit flipped",
      { bit: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8 * 100 - 1 })) },
      ({ bit }) => {
        const bytes = Buffer.from(Cursor.toText(cursor), "base64url")
        bytes[bit >> 3]! ^= 1 << (bit & 7)

        expect(failure(bytes.toString("base64url"))).toMatch(/^Invalid query parameter "cursor": /)
      },
    )

    it("fromText: rejects a position that no row has, which a program may write into a cursor", () => {
      const { after } = cursor.continuation
      const textAt = (index: number) =>
        Cursor.toText({ ...cursor, continuation: { ...cursor.continuation, after: { ...after, index } } })

      expect(failure(textAt(2 ** 20 - 1))).toBe(undefined)
      expect(failure(textAt(2 ** 20))).toMatch(/^Invalid query parameter "cursor": /)
    })

    it.prop("fromText: rejects any other text and never throws", { text: Schema.String }, ({ text }) => {
      expect(failure(text)).toMatch(/^Invalid query parameter "cursor": /)
    })

    it("toText: the wire form of a cursor does not change, so that none expires", () => {
      const text = Cursor.toText(cursor)
      expect(text).toBe(Cursor.toText(cursor))
      expect(text.length).toBeLessThan(220)
      expect(text).toBe(
        "AQABAQUDgJjWtZySDgEFgNrECQPA1YcJrAKA2sQJqqqqqqqqqqqqqqqqqqqqqqqqqqrKl4ESyhu9yvrCMbOaI9xNp4bv-BR8TnK5gHeFr-5Iuz4j6BYAOVlKM4lPZWThsTSLvXoAiNQsSstz7q7VnACdAAD7zLDVqjOW9SHN0zA4aw",
      )
    })

    it("toText: writes a number up to 127 as one byte", () => {
      const bytesOf = (page: number) => Buffer.from(Cursor.toText({ ...cursor, page }), "base64url").length

      expect([127, 128].map(bytesOf)).toEqual([bytesOf(1), bytesOf(1) + 1])
    })

    it("fromText: rejects a cursor of another version, and of an unknown list", () => {
      const bytes = Buffer.from(Cursor.toText(cursor), "base64url")
      const sealed = (...start: ReadonlyArray<number>) => {
        const body = Buffer.concat([Buffer.from(start), bytes.subarray(2, -8)])
        const sum = hash("sha256", Buffer.concat([Buffer.from("daybook cursor "), body]), "buffer")
        return Buffer.concat([body, sum.subarray(0, 8)]).toString("base64url")
      }
      expect(failure(sealed(1, 0))).toBeUndefined()
      for (const text of [sealed(0, 0), sealed(2, 0), sealed(255, 0), sealed(1, 4)]) {
        expect(failure(text)).toContain("received a cursor of another version of the service")
      }
    })

    it("fromText: rejects inexact numbers, including in a bound", () => {
      const { continuation, range } = cursor
      const cursors: ReadonlyArray<Cursor.Cursor> = [
        { ...cursor, range: { ...range, from: { _tag: "Block", block: 2 ** 53 } } },
        { ...cursor, range: { ...range, from: { _tag: "Date", date: -(2 ** 53) } } },
        { ...cursor, range: { ...range, to: { _tag: "Block", block: 2 ** 53 } } },
        { ...cursor, range: { ...range, to: { _tag: "Date", date: 2 ** 53 } } },
        { ...cursor, page: 2 ** 53 },
        { ...cursor, continuation: { ...continuation, serial: 2 ** 53 } },
      ]

      for (const one of cursors) {
        expect(failure(Cursor.toText(one))).toContain("received a cursor of another version of the service")
      }
    })

    it("fromText: rejects a text with a changed character, and one that is shorter or longer", () => {
      const text = Cursor.toText(cursor)
      for (let at = 0; at < text.length; at++) {
        const other = text[at] === "A" ? "B" : "A"
        expect(`${at}: ${failure(text.slice(0, at) + other + text.slice(at + 1))}`).toMatch(
          /^\d+: Invalid query parameter "cursor": /,
        )
        expect(`${at}: ${failure(text.slice(0, at))}`).toMatch(/^\d+: Invalid query parameter "cursor": /)
      }
      for (const longer of [`${text}A`, `${text}=`, `${text} `, text + text]) {
        expect(failure(longer)).toMatch(/^Invalid query parameter "cursor": /)
      }
    })

    it("fromText: rejects text that is not a cursor", () => {
      for (const text of ["", "0", "null", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "..", "\u0000", "a".repeat(100_000)]) {
        expect(failure(text)).toMatch(
          /^Invalid query parameter "cursor": expected the cursor of the previous page, unchanged, received .+\.$/,
        )
      }
    })
  })

  describe("match", () => {
    const walk: Cursor.Query = {
      list: "direct",
      chainId: 1,
      wallet: Rows.alice,
      order: "DESC",
      range: cursor.range,
    }

    it("match: accepts the query that made the cursor, and one that omits parameters", () => {
      expect(Cursor.match(cursor, walk)._tag).toBe("Success")
      const bare = { ...walk, order: undefined, range: { from: { _tag: "Open" }, to: { _tag: "Open" } } } as const
      expect(Cursor.match(cursor, bare)._tag).toBe("Success")
    })

    it("match: takes an omitted filter from the cursor, and rejects a different one", () => {
      const filtered = { ...cursor, filter: { kind: "fee" } }
      expect(Cursor.match(filtered, walk)._tag).toBe("Success")
      expect(Cursor.match(filtered, { ...walk, filter: { kind: "fee" } })._tag).toBe("Success")
      expect(Cursor.match(filtered, { ...walk, filter: { kind: "value" } })._tag).toBe("Failure")
      expect(Cursor.match(cursor, { ...walk, filter: { kind: "fee" } })._tag).toBe("Failure")
    })

    it("match: rejects another list, chain, wallet, order or range", () => {
      const others: ReadonlyArray<Partial<Cursor.Query>> = [
        { list: "all" },
        { list: "movements" },
        { chainId: 2 },
        { wallet: Rows.bob },
        { order: "ASC" },
        { range: { ...cursor.range, from: { _tag: "Block", block: 6 } } },
        { range: { ...cursor.range, from: { _tag: "Date", date: 5 } } },
        { range: { ...cursor.range, to: { _tag: "Date", date: 0 } } },
        { range: { ...cursor.range, to: { _tag: "Block", block: 20_000_000 } } },
      ]
      for (const other of others) expect(Cursor.match(cursor, { ...walk, ...other })._tag).toBe("Failure")
    })

    it("match: names a bound that the list of the cursor leaves open", () => {
      const open = { ...cursor, range: { from: { _tag: "Open" }, to: { _tag: "Open" } } } as const
      const range = { ...open.range, from: { _tag: "Block", block: 6 } } as const

      expect(Cursor.match(open, { ...walk, range })).toMatchObject({
        failure: {
          message:
            'Invalid query parameter "cursor": expected a cursor of lower bound block 6, received one of lower bound none.',
        },
      })
    })
  })
})
