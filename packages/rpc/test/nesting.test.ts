/** Replies nested deeper than any stack: each is a typed error, never a defect. */
import { describe, expect, it } from "@effect/vitest"
import type { Fetch } from "@daybook/transport/Fetch"
import { Effect, Exit } from "effect"
import * as RpcClient from "../src/RpcClient.ts"

const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`

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
})
