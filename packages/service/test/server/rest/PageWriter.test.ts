import { describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expect } from "vitest"
import * as Role from "../../../src/ledger/Role.ts"
import * as PageWriter from "../../../src/server/rest/PageWriter.ts"
import type { StoredForm } from "../../../src/store/ChainReader.ts"
import * as Frame from "../../../src/store/rows/Frame.ts"

const label = (address: string) => (address === "0xa" ? 'A "1"' : null)
const string = { label, include: false, empty: "string" } as const
const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes)
const row = (body: string, internal: string | null = "[]") => ({ body, internal })

describe("PageWriter", () => {
  it("hashOf: is the hash of the record, and not of one of its logs", () => {
    expect(PageWriter.hashOf('{"hash":"0x12","nonce":"7","logs":[{"hash":"0x3"}]}')).toBe("0x12")
  })

  describe("record", () => {
    it("record: appends labels to the stored text", () => {
      const body = '{"hash":"0x1","from_address":"0xa","to_address":"0xb","logs":[]}'
      expect(PageWriter.record(row(body), string)).toBe(
        '{"hash":"0x1","from_address":"0xa","to_address":"0xb","logs":[],"from_address_label":"A \\"1\\"","to_address_label":null}',
      )
    })

    it("record: does not use a later member as the recipient of a creation", () => {
      const body = '{"from_address":"0xb","to_address":null,"x":"\\"to_address\\":\\"0xa\\"","to_address":"0xa"}'
      expect(JSON.parse(PageWriter.record(row(body), string))).toMatchObject({ to_address_label: null })
    })

    it("record: appends internal transactions after the labels when they are included", () => {
      const body = '{"from_address":"0xb","to_address":"0xa"}'
      expect(PageWriter.record(row(body, '[{"a":1}]'), { ...string, include: true })).toBe(
        '{"from_address":"0xb","to_address":"0xa","from_address_label":null,"to_address_label":"A \\"1\\"","internal_transactions":[{"a":1}]}',
      )
    })

    it("record: appends the names of roles last, if a row has some", () => {
      const body = '{"from_address":"0xb","to_address":"0xa"}'
      const roles = Role.bits.sender | Role.bits.token_recipient | Role.incompleteBit
      expect(PageWriter.record({ ...row(body), roles }, { ...string, include: true })).toBe(
        '{"from_address":"0xb","to_address":"0xa","from_address_label":null,"to_address_label":"A \\"1\\"","internal_transactions":[],"roles":["sender","token_recipient"]}',
      )
    })

    it("record: writes empty values as null, and only for the keys that can be empty", () => {
      const params = [{ name: "", value: '"topic1":""', type: "string" }]
      const body = JSON.stringify({
        from_address: "0xa",
        to_address: "0xb",
        receipt_contract_address: "",
        receipt_root: "",
        receipt_status: "",
        logs: [{ topic0: "", topic1: "0x1", topic2: "", topic3: "", decoded_event: { params } }],
      })
      const { from_address_label, to_address_label, ...written } = JSON.parse(
        PageWriter.record(row(body), { ...string, empty: "null" }),
      )
      expect([from_address_label, to_address_label]).toEqual(['A "1"', null])
      expect(written).toEqual({
        from_address: "0xa",
        to_address: "0xb",
        receipt_contract_address: null,
        receipt_root: null,
        receipt_status: null,
        logs: [{ topic0: null, topic1: "0x1", topic2: null, topic3: null, decoded_event: { params } }],
      })
    })
  })

  describe("page", () => {
    it("page: writes numbers as text and a missing cursor as null", () => {
      const body = '{"from_address":"0xb","to_address":"0xb"}'
      const record = PageWriter.record(row(body), string)
      expect(
        text(PageWriter.page([row(body), row(body)], { cursor: "abc", page: 2, pageSize: 25 }, string).bytes),
      ).toBe(`{"cursor":"abc","page":"2","page_size":"25","result":[${record},${record}]}`)
      expect(text(PageWriter.page([], { cursor: null, page: 0, pageSize: 100 }, string).bytes)).toBe(
        '{"cursor":null,"page":"0","page_size":"100","result":[]}',
      )
    })

    it("page: writes into the given memory if the text certainly fits", () => {
      const rows = [row('{"from_address":"0xb","to_address":"0xb"}')]
      const place = { cursor: null, page: 0, pageSize: 2 }
      const { length } = PageWriter.page(rows, place, string).bytes
      // The texts have two units more than the page, of which each takes at most three bytes.
      const certain = 3 * (length + 2)
      const [large, small] = [Buffer.alloc(certain), Buffer.alloc(certain - 1)]
      expect(PageWriter.page(rows, place, string, large).bytes.buffer).toBe(large.buffer)
      expect(PageWriter.page(rows, place, string, small).bytes.buffer).not.toBe(small.buffer)
    })

    it("page: measures non-ASCII text in bytes", () => {
      const body = '{"from_address":"0xa","to_address":"0xb","x":"Zürich 𝄞"}'
      const label = (address: string) => (address === "0xa" ? "Kaße €" : null)
      const { bytes } = PageWriter.page(
        [row(body), row(body)],
        { cursor: null, page: 0, pageSize: 2 },
        { ...string, label },
      )

      const record = PageWriter.record(row(body), { ...string, label })
      expect(text(bytes)).toBe(`{"cursor":null,"page":"0","page_size":"2","result":[${record},${record}]}`)
    })
  })

  describe("sizeOf", () => {
    it.each([
      ["no row", [], true, 0],
      ["the stored texts of all rows", [row("123456"), row("78")], true, 12],
      ["no internal transactions that are not included", [row("123456"), row("78")], false, 8],
      ["nothing for a row whose internal transactions are missing", [row("123456", null)], true, 6],
      ["the user operations of a row that has some", [{ ...row("123456"), operations: "[{}]" }, row("78")], false, 12],
    ] as const)("sizeOf: counts %s", (_, rows, include, expected) => {
      expect(PageWriter.sizeOf(rows, { include })).toBe(expected)
    })
  })

  const Text = Schema.String
  const Row = Schema.Struct({
    from: Text,
    to: Schema.NullOr(Text),
    note: Text,
    topic: Text,
    internal: Schema.Array(Text),
  })

  it.prop(
    "page: equals the encoding of the same records",
    {
      rows: Schema.Array(Row),
      include: Schema.Boolean,
      empty: Schema.Literals(["string", "null"]),
      memory: Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4096 }))),
    },
    ({ empty, include, memory, rows }) => {
      const address = (name: string) => `0x${Buffer.from(name).toString("hex")}`
      const label = (of: string) => (of.length % 4 === 0 ? `label of ${of} "quoted"` : null)
      const stored = rows.map(({ from, internal, note, to, topic }) => ({
        body: JSON.stringify({
          from_address: address(from),
          to_address: to === null ? null : address(to),
          note,
          logs: [{ topic0: topic }],
        }),
        internal: JSON.stringify(internal),
      }))
      const expected = rows.map(({ from, internal, note, to, topic }) => ({
        from_address: address(from),
        to_address: to === null ? null : address(to),
        note,
        logs: [{ topic0: empty === "null" && topic === "" ? null : topic }],
        from_address_label: label(address(from)),
        to_address_label: to === null ? null : label(address(to)),
        internal_transactions: include ? internal : undefined,
      }))

      const { bytes } = PageWriter.page(
        stored,
        { cursor: "c", page: 1, pageSize: 7 },
        { label, include, empty },
        memory === undefined ? undefined : Buffer.alloc(memory, "x"),
      )

      expect(text(bytes)).toBe(JSON.stringify({ cursor: "c", page: "1", page_size: "7", result: expected }))
    },
  )

  const formOf = (body: string): StoredForm => {
    const { form, frame, size } = Frame.pack(body, null, "zstd")
    return { form: Frame.toNumber(form), size, frame }
  }

  it("page: has an identity with the stored forms of texts, unless another text is written", () => {
    const place = { cursor: null, page: 0, pageSize: 1 }
    const write = (data: string, empty: "string" | "null") => {
      const logs = Array.from({ length: 40 }, () => ({ topic0: "", data }))
      const body = JSON.stringify({ from_address: "0xb", to_address: "0xb", logs })
      return PageWriter.page([{ ...row(body), stored: formOf(body) }], place, { ...string, empty })
    }
    const [first, other, withNull] = [write("5a7c", "string"), write("5a7e", "string"), write("5a7c", "null")]

    expect(first.identity.length).toBeLessThan(first.bytes.length / 2)
    expect(other.identity.length).toBe(first.identity.length)
    expect(Buffer.compare(first.identity, other.identity)).not.toBe(0)
    expect(withNull.identity.length).toBeGreaterThan(withNull.bytes.length)
  })

  const Drawn = Schema.Struct({
    rows: Schema.Array(
      Schema.Struct({
        from: Schema.Literals(["0xa", "0xb"]),
        topic: Schema.Literals(["", "1", "2"]),
        internal: Schema.Literals(["[]", "[1]"]),
        roles: Schema.UndefinedOr(Schema.Literals([1, 2])),
        operations: Schema.UndefinedOr(Schema.Literals(["[]", "[2]"])),
        isStored: Schema.Boolean,
      }),
    ).check(Schema.isMaxLength(3)),
    label: Schema.Literals(["first", "second"]),
    include: Schema.Boolean,
    empty: Schema.Literals(["string", "null"]),
    cursor: Schema.NullOr(Schema.Literals(["c", "d"])),
  })

  it.prop(
    "page: pages with one identity have the same bytes, and those of the same rows have one identity",
    { one: Drawn, other: Drawn, parts: Schema.Array(Schema.Literals(Object.keys(Drawn.fields))) },
    ({ one, other, parts }) => {
      const write = ({ cursor, empty, include, label: name, rows }: typeof Drawn.Type) => {
        const written = rows.map(({ from, isStored, roles, topic, ...rest }) => {
          const body = JSON.stringify({ from_address: from, to_address: null, logs: [{ topic0: topic }] })
          const own = { ...rest, body, stored: isStored ? formOf(body) : undefined }
          return roles === undefined ? own : { ...own, roles }
        })
        const label = (address: string) => (address === "0xa" ? name : null)
        const { bytes, identity } = PageWriter.page(
          written,
          { cursor, page: 0, pageSize: 3 },
          { label, include, empty },
        )
        return { page: text(bytes), identity: Buffer.from(identity).toString("hex") }
      }
      // Few parts differ: most random pages would differ in all.
      const changed = { ...one, ...Object.fromEntries(parts.map((part) => [part, other[part as keyof typeof other]])) }
      const [first, second] = [write(one), write(changed)]

      if (first.identity === second.identity) expect(first.page).toBe(second.page)
      const areSameForms = one.rows.every(({ isStored }, at) => isStored === changed.rows[at]?.isStored)
      if (first.page === second.page && areSameForms && one.empty === changed.empty) {
        expect(first.identity).toBe(second.identity)
      }
    },
  )

  it.prop(
    "chunks: joined, equal the page, wherever large texts are split",
    {
      pieces: Schema.Array(Schema.Literals(["a", ",", "𝄞", '"topic1":""', "é", "{"])),
      repeat: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30_000 })),
      empty: Schema.Literals(["string", "null"]),
    },
    ({ empty, pieces, repeat }) => {
      const note = pieces.join("").repeat(repeat)
      const logs = Array.from({ length: repeat % 3_000 }, (_, at) => ({
        log_index: String(at),
        topic0: "",
        topic1: "",
      }))
      const body = JSON.stringify({ from_address: "0xa", to_address: "0xb", note, logs })
      const rows = [row(body, JSON.stringify([note])), row('{"from_address":"0xa","to_address":"0xb"}'), row(body)]
      const place = { cursor: "c", page: 1, pageSize: 7 }
      const options = { label, include: true, empty }

      const chunks = [...PageWriter.chunks(rows, place, options)]

      expect(Buffer.concat(chunks).equals(PageWriter.page(rows, place, options).bytes)).toBe(true)
      expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(4 * 64 * 1024)
    },
  )
})
