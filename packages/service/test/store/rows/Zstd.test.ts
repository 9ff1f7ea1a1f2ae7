import { describe, expect, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import * as Dictionaries from "../../../src/store/rows/Dictionaries.ts"
import { seeded } from "../model.ts"
import * as Zstd from "../../../src/store/rows/Zstd.ts"

const dictionary = readFileSync(new URL("../../../dictionaries/1.zdict", import.meta.url))
const zstd = Dictionaries.zstd(Dictionaries.current)
const text = Buffer.from('{"hash":"0x12","logs":[]}'.repeat(100))

const broken: Zstd.Zstd = {
  compress: () => {
    throw new Error("no context")
  },
  decompress: () => Buffer.alloc(0),
}

describe.each([
  ["contexts", zstd],
  ["functions of Node", Zstd.make(dictionary, broken)],
])("Zstd by %s", (_, zstd) => {
  it.prop("decompress: is the inverse of compress", { text: Schema.String }, ({ text }) => {
    const bytes = Buffer.from(text)
    expect(zstd.decompress(zstd.compress(bytes), bytes.length).equals(bytes)).toBe(true)
  })

  it("compress, decompress: handle texts larger than the kept buffer, and bytes that do not compress", () => {
    const long = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index.toString(36)).join(","))
    for (const bytes of [long, randomBytes(300_000), randomBytes(260_000), randomBytes(10)]) {
      expect(Buffer.from(zstd.decompress(zstd.compress(bytes), bytes.length)).equals(bytes)).toBe(true)
    }
  })

  it("compress: data that recurs after a megabyte of other data is stored once", () => {
    const numbers = seeded(1)
    const data = (length: number) => Array.from({ length }, () => numbers.below(2 ** 16).toString(16)).join("")
    const inputs = Array.from({ length: 7 }, () => data(40_000))
    const calls = (list: ReadonlyArray<string>) => Buffer.from(JSON.stringify(list.map((input) => ({ input }))))
    const bytes = calls([...inputs, ...inputs, ...inputs])
    const frame = zstd.compress(bytes)

    expect(bytes.length).toBeGreaterThan(3_000_000)
    expect(frame.length).toBeLessThan(zstd.compress(calls(inputs)).length * 1.01)
    expect(zstd.decompress(frame, bytes.length).equals(bytes)).toBe(true)
    expect(zstdDecompressSync(frame, { dictionary }).equals(bytes)).toBe(true)
  })

  it("compress: data that recurs within a text of 240 kB, after 120 kB of it, is stored once", () => {
    const numbers = seeded(2)
    const input = Array.from({ length: 30_000 }, () => numbers.below(2 ** 16).toString(16)).join("")
    const once = zstd.compress(Buffer.from(input)).length

    expect(zstd.compress(Buffer.from(input + input)).length).toBeLessThan(once * 1.05)
  })

  it("compress, decompress: exchange frames with Node in both directions", () => {
    expect(zstdDecompressSync(zstd.compress(text), { dictionary }).equals(text)).toBe(true)
    expect(zstd.decompress(zstdCompressSync(text, { dictionary }), text.length).equals(text)).toBe(true)
  })

  it("decompress: throws for a damaged, truncated or wrongly sized frame, and works again afterwards", () => {
    const frame = zstd.compress(text)
    const damaged = Buffer.from(frame)
    damaged.fill(0xff, 6)

    expect(() => zstd.decompress(damaged, text.length)).toThrow()
    expect(() => zstd.decompress(frame.subarray(0, -3), text.length)).toThrow()
    expect(() => zstd.decompress(frame, text.length + 1)).toThrow("zstd: a frame of another size")
    expect(() => zstd.decompress(frame, text.length - 1)).toThrow()
    expect(() => zstd.decompress(frame, text.length - 2)).toThrow()
    expect(() => zstd.decompress(new Uint8Array(), 1)).toThrow()
    expect(zstd.decompress(frame, text.length).equals(text)).toBe(true)
  })
})

describe("Zstd", () => {
  it("decompress: a context throws for bytes after the frame, and works again afterwards", () => {
    const frame = zstd.compress(text)

    expect(() => zstd.decompress(Buffer.concat([frame, frame]), text.length)).toThrow("zstd: ")
    expect(zstd.decompress(frame, text.length).equals(text)).toBe(true)
  })

  it("decompress: throws for the frame of another dictionary", () => {
    const other = Zstd.make(Buffer.from("another dictionary, which is raw text ".repeat(20)))

    expect(() => other.decompress(zstd.compress(text), text.length)).toThrow("zstd: ")
  })

  it("make: accepts contexts that work, and no others", () => {
    const sound: Zstd.Zstd = { ...zstd, decompress: (frame, size) => zstd.decompress(frame, size) }
    let [compressed, decompressed] = [0, 0]
    const others: ReadonlyArray<Zstd.Zstd> = [
      broken,
      { ...zstd, decompress: (_, size) => Buffer.alloc(size) },
      {
        ...zstd,
        decompress: (frame, size) => (frame.at(-1) === 0xff ? Buffer.alloc(size) : zstd.decompress(frame, size)),
      },
      { ...sound, compress: (bytes) => zstd.compress(compressed++ === 0 ? bytes : Buffer.concat([bytes, bytes])) },
      {
        ...zstd,
        decompress: (frame, size) => {
          if (frame.at(-1) !== 0xff && decompressed++ < 1) return zstd.decompress(frame, size)
          throw new Error("in the middle of a frame")
        },
      },
    ]

    expect(Zstd.make(dictionary, sound).decompress).toBe(sound.decompress)
    for (const other of others) {
      const made = Zstd.make(dictionary, other)
      expect(made.decompress).not.toBe(other.decompress)
      expect(made.decompress(zstd.compress(text), text.length).equals(text)).toBe(true)
    }
  })

  it("zstd: rejects a dictionary that this version does not have", () => {
    expect(() => Dictionaries.zstd(99)).toThrow("Unknown dictionary: 99")
  })
})
