import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as JsonScanner from "../../src/internal/JsonScanner.ts"

const { Token } = JsonScanner

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Splits bytes into chunks of these sizes; the last size repeats. */
const cut = (bytes: Uint8Array, ...sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0, chunk = 0; at < bytes.length; chunk++) {
    const size = sizes[Math.min(chunk, sizes.length - 1)]!
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** The tokens of chunks, with the bytes of each text joined. */
const tokensOf = (chunks: ReadonlyArray<Uint8Array>) => {
  const scanner = JsonScanner.make()
  const tokens: Array<string> = []
  let part = ""
  for (const chunk of chunks) {
    JsonScanner.push(scanner, chunk)
    for (let token = JsonScanner.next(scanner); token !== Token.end; token = JsonScanner.next(scanner)) {
      const { at, start } = scanner
      if (token === Token.textPart) part += Buffer.from(chunk.subarray(start, at)).toString("latin1")
      else if (token === Token.text || token === Token.textEnd) {
        tokens.push(`"${part}${Buffer.from(chunk.subarray(start, at - 1)).toString("latin1")}"`)
        part = ""
      } else tokens.push(String.fromCharCode(token))
    }
  }
  return { tokens, scanner }
}

const { chunk: _chunk, at: _at, start: _start, ...fresh } = JsonScanner.make()
const countsOf = ({ chunk: _c, at: _a, start: _s, ...counts }: JsonScanner.JsonScanner) => counts

describe("JsonScanner", () => {
  it("next: returns the structure of a text, and each of its strings", () => {
    const { scanner, tokens } = tokensOf([bytesOf(' {"a": [1, true ,"b\\"]\\\\"] , "":{} } ')])

    expect(tokens.join(" ")).toBe('{ "a" [ , , "b\\"]\\\\" ] , "" { } }')
    expect(countsOf(scanner)).toEqual({ ...fresh, deepest: 2, values: 6 })
  })

  it("next: returns a string that continues in the next chunk in parts", () => {
    const scanner = JsonScanner.make(bytesOf('["ab'))
    const read = (chunk?: string) => {
      if (chunk !== undefined) JsonScanner.push(scanner, bytesOf(chunk))
      const token = JsonScanner.next(scanner)
      return [token, textOf(scanner.chunk.subarray(scanner.start, scanner.at))]
    }

    expect(read()[0]).toBe(Token.openArray)
    expect(read()).toEqual([Token.textPart, "ab"])
    expect(read()[0]).toBe(Token.end)
    expect(read("\\")).toEqual([Token.textPart, "\\"])
    expect(read("")[0]).toBe(Token.end)
    expect(read('"c')).toEqual([Token.textPart, '"c'])
    expect(read('d"]')).toEqual([Token.textEnd, 'd"'])
    expect(read()[0]).toBe(Token.closeArray)
    expect(read()[0]).toBe(Token.end)
  })

  it.prop(
    "next: returns the same tokens however a text is split, equal to those of JSON.parse",
    { value: Schema.Json, size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })), long: Schema.Boolean },
    ({ long, size, value }) => {
      const text = JSON.stringify(long ? { value, long: '\\"é'.repeat(200) } : value)
      const whole = tokensOf([bytesOf(text)])
      const parts = tokensOf(cut(bytesOf(text), size))

      expect(parts.tokens).toEqual(whole.tokens)
      expect(countsOf(parts.scanner)).toEqual(countsOf(whole.scanner))
      const texts = whole.tokens
        .filter((token) => token.startsWith('"'))
        .map((token) => Buffer.from(token, "latin1").toString())
      expect(texts.map((one): unknown => JSON.parse(one)).join("")).toBe(
        [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([one]): unknown => JSON.parse(one)).join(""),
      )
    },
  )

  it.prop(
    "skip: reads to the end of a value as next does, however a text is split",
    { value: Schema.Json, size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 300 })) },
    ({ size, value }) => {
      const bytes = bytesOf(JSON.stringify([{ value, text: '"\\'.repeat(300) }, 1]))
      const scanner = JsonScanner.make()
      let end = -1
      let before = 0
      for (const chunk of cut(bytes, 2, size)) {
        JsonScanner.push(scanner, chunk)
        if (before === 0) {
          expect([JsonScanner.next(scanner), JsonScanner.next(scanner)]).toEqual([Token.openArray, Token.openObject])
        }
        if (end === -1 && JsonScanner.skip(scanner, 1)) end = before + scanner.at
        if (end !== -1) JsonScanner.skip(scanner, Number.NEGATIVE_INFINITY)
        before += chunk.length
      }

      expect(textOf(bytes.subarray(end))).toBe(",1]")
      expect(countsOf(scanner)).toEqual(countsOf(tokensOf([bytes]).scanner))
    },
  )

  it("skip: stops immediately if nothing is open, and continues below the start of a text with too few levels", () => {
    const scanner = JsonScanner.make(bytesOf("]][,"))

    expect(JsonScanner.skip(scanner, 0)).toBe(true)
    expect(scanner.at).toBe(0)
    expect(JsonScanner.skip(scanner, Number.NEGATIVE_INFINITY)).toBe(false)
    expect([scanner.depth, scanner.deepest, scanner.values]).toEqual([-1, 0, 2])
  })

  it("skip, next: leave a text open at the end of a chunk until the next one", () => {
    const opened = () => {
      const scanner = JsonScanner.make(bytesOf('["ab'))
      expect([JsonScanner.next(scanner), JsonScanner.next(scanner)]).toEqual([Token.openArray, Token.textPart])
      return scanner
    }
    const [skipped, read] = [opened(), opened()]
    const found = [JsonScanner.skip(skipped, 0), JsonScanner.next(read)]
    for (const scanner of [skipped, read]) JsonScanner.push(scanner, bytesOf('c"]'))

    expect(found).toEqual([false, Token.end])
    expect([JsonScanner.skip(skipped, 0), JsonScanner.next(read)]).toEqual([true, Token.textEnd])
  })
})
