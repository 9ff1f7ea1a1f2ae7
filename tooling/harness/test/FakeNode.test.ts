import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { FakeNode, FaultyServer, LocalServer } from "@daybook/harness"

const post = (url: string, body: unknown) =>
  Effect.promise(async (): Promise<{ readonly status: number; readonly json: unknown }> => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) })
    return { status: response.status, json: await response.json() }
  })

const call = (id: number, method: string) => ({ jsonrpc: "2.0", id, method, params: [method] })

describe("FakeNode", () => {
  it.live("start: replies to each call of a batch, and to a single call with a single item", () =>
    Effect.gen(function* () {
      const replies: Readonly<Record<string, FakeNode.Reply>> = { a: { result: 1 }, b: { member: '"result":[2]' } }
      const { url } = yield* LocalServer.scoped(() =>
        FakeNode.start(({ method }) => replies[method] ?? FakeNode.missing),
      )

      expect((yield* post(url, [call(1, "a"), call(2, "b"), call(3, "c")])).json).toEqual([
        { jsonrpc: "2.0", id: 1, result: 1 },
        { jsonrpc: "2.0", id: 2, result: [2] },
        { jsonrpc: "2.0", id: 3, error: { code: -32601, message: "the method does not exist" } },
      ])
      expect((yield* post(url, call(7, "a"))).json).toEqual({ jsonrpc: "2.0", id: 7, result: 1 })
    }),
  )

  it.live("start: sends a whole response in place of the replies of its request", () =>
    Effect.gen(function* () {
      const { url } = yield* LocalServer.scoped(() =>
        FakeNode.start(({ method }) => (method === "a" ? FakeNode.status(503) : { result: 1 })),
      )

      expect(yield* post(url, [call(1, "b"), call(2, "a")])).toEqual({ status: 503, json: {} })
    }),
  )

  it.live("forward: returns the result or the error of the other node", () =>
    Effect.gen(function* () {
      const other = yield* LocalServer.scoped(() =>
        FakeNode.start(({ method, params }) => (method === "a" ? { result: params } : FakeNode.missing)),
      )
      const { url } = yield* LocalServer.scoped(() => FakeNode.start((one) => FakeNode.forward(other.url, one)))

      expect((yield* post(url, [call(1, "a"), call(2, "b")])).json).toMatchObject([
        { id: 1, result: ["a"] },
        { id: 2, error: { code: -32601 } },
      ])
    }),
  )

  it.live("FaultyServer: writes the pieces of a response in order", () =>
    Effect.gen(function* () {
      const pieces = Array.from({ length: 9 }, (_, at) => String(at).repeat(200_000))
      const { url } = yield* LocalServer.scoped(() => FaultyServer.start(() => ({ pieces })))

      expect(yield* Effect.promise(() => fetch(url).then((response) => response.text()))).toBe(pieces.join(""))
    }),
  )
})
