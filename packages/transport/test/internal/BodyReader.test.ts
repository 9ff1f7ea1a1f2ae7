import { describe, expect, it } from "@effect/vitest"
import type { Body } from "../../src/Fetch.ts"
import * as BodyReader from "../../src/internal/BodyReader.ts"

const streamed = (...parts: ReadonlyArray<Uint8Array>) => {
  let read = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const part = parts[read++]
        if (part === undefined) controller.close()
        else controller.enqueue(part)
      },
    },
    { highWaterMark: 0 },
  )
  const response: Body = { body: stream, arrayBuffer: () => new Response(stream).arrayBuffer() }
  return { response, partsRead: () => read }
}
const bytes = (text: string) => new TextEncoder().encode(text)

describe("BodyReader", () => {
  it("read: reads no part after the one that exceeds the limit", async () => {
    const { response, partsRead } = streamed(bytes("ab"), bytes("cd"), bytes("ef"), bytes("gh"))

    expect(await BodyReader.read(response, {}, 3, true)).toStrictEqual({ reason: "too-large" })
    expect(partsRead()).toBe(2)
  })
  it("read: rejects a declared length above the limit, unless the body is compressed", async () => {
    const length = { "content-length": "100" }
    const compressed = { ...length, "content-encoding": "br" }

    expect(await BodyReader.read(streamed(bytes("ab")).response, length, 50, true)).toStrictEqual({
      reason: "too-large",
    })
    expect(await BodyReader.read(streamed(bytes("ab")).response, compressed, 50, true)).toBe("ab")
  })
  it("read: ignores a declared length that is not a number", async () => {
    expect(await BodyReader.read(streamed(bytes("ab")).response, { "content-length": "x" }, 50, true)).toBe("ab")
  })
  it("read: removes a byte order mark", async () => {
    expect(await BodyReader.read(streamed(bytes("\ufeffab")).response, {}, 50, true)).toBe("ab")
  })
  it("read: rejects a character that is truncated at the end", async () => {
    const { response } = streamed(bytes("€").subarray(0, 2))

    expect(await BodyReader.read(response, {}, 50, true)).toStrictEqual({ reason: "encoding" })
  })
  it("read: returns an empty text for no body", async () => {
    expect(await BodyReader.read({ body: null, arrayBuffer: async () => new ArrayBuffer(0) }, {}, 1, true)).toBe("")
  })
})
