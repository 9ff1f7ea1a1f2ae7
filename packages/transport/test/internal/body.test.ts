import { assert, describe, it } from "@effect/vitest"
import { type ReadableBody, readBody } from "../../src/internal/body.ts"

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
  const response: ReadableBody = { body: stream, arrayBuffer: () => new Response(stream).arrayBuffer() }
  return { response, partsRead: () => read }
}
const bytes = (text: string) => new TextEncoder().encode(text)

describe("body", () => {
  describe("readBody", () => {
    it("reads no part after the one that passes the limit", async () => {
      const { response, partsRead } = streamed(bytes("ab"), bytes("cd"), bytes("ef"), bytes("gh"))

      assert.deepStrictEqual(await readBody(response, {}, 3, true), { reason: "too-large" })
      assert.strictEqual(partsRead(), 2)
    })
    it("believes a declared length only when the bytes are not compressed", async () => {
      const length = { "content-length": "100" }

      assert.deepStrictEqual(await readBody(streamed(bytes("ab")).response, length, 50, true), { reason: "too-large" })
      assert.strictEqual(
        await readBody(streamed(bytes("ab")).response, { ...length, "content-encoding": "br" }, 50, true),
        "ab",
      )
    })
    it("ignores a declared length that is no number", async () => {
      assert.strictEqual(await readBody(streamed(bytes("ab")).response, { "content-length": "x" }, 50, true), "ab")
    })
    it("leaves a byte order mark out", async () => {
      assert.strictEqual(await readBody(streamed(bytes("\ufeffab")).response, {}, 50, true), "ab")
    })
    it("refuses a character cut off at the end", async () => {
      const { response } = streamed(bytes("€").subarray(0, 2))

      assert.deepStrictEqual(await readBody(response, {}, 50, true), { reason: "encoding" })
    })
    it("reads no body as an empty text", async () => {
      assert.strictEqual(await readBody({ body: null, arrayBuffer: async () => new ArrayBuffer(0) }, {}, 1, true), "")
    })
  })
})
