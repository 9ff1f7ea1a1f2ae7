/** Replies nested deeper than any stack: each is a typed error, never a defect. */
import { describe, expect, it } from "@effect/vitest"
import type { Fetch } from "@daybook/transport/Fetch"
import { Effect, Exit } from "effect"
import * as RpcClient from "../src/RpcClient.ts"

const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`

/** Levels of arrays that have one item each. */
const levels = (value: unknown): number => {
  let [count, inner] = [0, value]
  for (; Array.isArray(inner); inner = inner[0]) count++
  return count
}

const replies: ReadonlyArray<readonly [string, (id: number) => string]> = [
  ["body", () => deep],
  ["result", (id) => `{"jsonrpc":"2.0","id":${id},"result":${deep}}`],
  ["field of the result", (id) => `{"jsonrpc":"2.0","id":${id},"result":{"number":${deep}}}`],
  ["error", (id) => `{"jsonrpc":"2.0","id":${id},"error":${deep}}`],
  ["data of an error", (id) => `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"failed","data":${deep}}}`],
  ["id", () => `{"jsonrpc":"2.0","id":${deep},"result":null}`],
  ["version", (id) => `{"jsonrpc":${deep},"id":${id},"result":null}`],
]

describe("RpcClient", () => {
  it.effect.each(replies)("eth_getBlockByNumber: fails with a typed error on 200,000 levels in the %s", ([, reply]) =>
    Effect.gen(function* () {
      const fetch: Fetch = async (_, { body = "" }) => new Response(reply((JSON.parse(body) as { id: number }).id))
      const client = yield* RpcClient.make({ url: "http://node.example", fetch, retry: { maxAttempts: 1 } })
      const exit = yield* Effect.exit(client.eth_getBlockByNumber(1, true))

      expect(Exit.isFailure(exit) && exit.cause.reasons.map(({ _tag }) => _tag)).toEqual(["Fail"])
    }),
  )

  it.live(
    "sharing: returns to each caller a value of 200,000 levels, and to each other call of the batch its own",
    () =>
      Effect.gen(function* () {
        const fetch: Fetch = async (_, { body = "" }) => {
          const calls = JSON.parse(body) as ReadonlyArray<{ id: number; method: string }>
          const resultOf = (method: string) => (method === "eth_chainId" ? `"0x1"` : deep)
          return new Response(
            `[${calls.map(({ id, method }) => `{"jsonrpc":"2.0","id":${id},"result":${resultOf(method)}}`).join()}]`,
          )
        }
        const client = yield* RpcClient.make({ url: "http://node.example", fetch, retry: { maxAttempts: 1 } })
        const raw = client.request({ method: "eth_getBlockByNumber", params: ["0x1", true] })
        const typed = Effect.flip(client.web3_clientVersion())
        const [first, second, one, other, id] = yield* Effect.all([raw, raw, typed, typed, client.eth_chainId()], {
          concurrency: "unbounded",
        })

        expect([levels(first), levels(second), first === second]).toEqual([200_000, 200_000, false])
        expect([one._tag, other._tag, id]).toEqual(["InvalidResponse", "InvalidResponse", 1n])
      }),
  )
})
