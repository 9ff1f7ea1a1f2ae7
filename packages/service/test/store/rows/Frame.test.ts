import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Frame from "../../../src/store/rows/Frame.ts"

const codecs = ["plain", "zstd"] as const
const long = JSON.stringify(Array.from({ length: 4_000 }, (_, index) => index))

/** Both texts of a row as a page reads them. */
const read = ({ internalFrame, ...packed }: Frame.Packed) => {
  const texts = Frame.unpack(packed, true)
  if (internalFrame === null) return texts
  const internal = Frame.unpackInternal(internalFrame, packed.internalSize!, packed.form.dictionary)
  return { ...texts, internal }
}

describe("Frame", () => {
  it.prop(
    "unpack: returns the texts that were packed, with and without internal transactions",
    { body: Schema.String, internal: Schema.NullOr(Schema.String), codec: Schema.Literals(codecs) },
    ({ body, codec, internal }) => {
      const texts = { body: JSON.stringify(body), internal: internal === null ? null : JSON.stringify(internal) }
      const packed = Frame.pack(texts.body, texts.internal, codec)

      expect(read(packed)).toEqual(texts)
      expect(Frame.unpack(packed, false)).toEqual({ body: texts.body, internal: null })
      expect([packed.size, packed.internalSize]).toEqual([
        Buffer.byteLength(texts.body),
        texts.internal === null ? null : Buffer.byteLength(texts.internal),
      ])
    },
  )

  it.each(codecs)("pack: stores each long text separately (%s)", (codec) => {
    for (const [body, internal, isBodyApart, isInternalApart] of [
      ["{}", "[]", false, false],
      [long, "[]", true, false],
      ["{}", long, false, true],
      [long, long, true, true],
      [long, null, true, false],
    ] as const) {
      const packed = Frame.pack(body, internal, codec)

      expect([packed.form.isBodyApart, packed.form.isInternalApart]).toEqual([isBodyApart, isInternalApart])
      expect(read(packed)).toEqual({ body, internal })
    }
  })

  it("pack: stores an input that many calls repeat once", () => {
    const input = `"0x${"5".repeat(200_000)}"`
    const internal = `[${Array.from({ length: 50 }, (_, index) => `{"type":"CALL","index":${index},"input":${input}}`).join(",")}]`

    expect(Frame.pack("{}", internal, "zstd").internalFrame!.length).toBeLessThan(internal.length / 1_000)
  })

  it("toNumber: is the inverse of fromNumber, and 0 for plain text in one frame", () => {
    for (let form = 0; form < 64; form++) expect(Frame.toNumber(Frame.fromNumber(form))).toBe(form)
    expect(Frame.toNumber(Frame.pack("{}", null, "plain").form)).toBe(0)
  })
})
