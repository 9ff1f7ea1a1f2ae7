/** Recorded responses of real nodes, replayed by a server: each is the correct value or the correct kind of error. */
import { describe, expect, it } from "@effect/vitest"
import * as Recordings from "@daybook/harness/Recordings"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import { Effect } from "effect"
import { RpcClient } from "../src/index.ts"
import { reply, script } from "./server.ts"

const ofKind = (kind: string) => Recordings.all.filter((one) => one.kind === kind)

/** A recording is the body, or the HTTP response around it. */
const bodyOf = (content: Readonly<Record<string, unknown>>): unknown =>
  "http_status" in content ? content["body"] : content

const play = (body: unknown, method: string, params: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const server = yield* script(
      reply(([call]) => {
        if (typeof body !== "object" || body === null || !("id" in body) || body.id === null) return body
        return { ...body, id: call?.id }
      }),
    )
    const client = yield* RpcClient.make({ url: server.url, retry: { maxAttempts: 1 } })
    const known = RpcMethod.isName(method)
    // Sound: the parameters are a real request's; the test is about those that do not fit.
    const call = known
      ? (client[method] as (...params: ReadonlyArray<unknown>) => Effect.Effect<unknown, never>)
      : undefined
    return yield* Effect.result(call?.(...params) ?? client.request({ method, params }))
  })

describe("recorded responses", () => {
  describe("errors", () => {
    it.live.each(ofKind("errors"))("a recorded error: $file $peculiar", (row) =>
      Effect.gen(function* () {
        const body = bodyOf(row.json as Readonly<Record<string, unknown>>)
        const outcome = yield* play(body, "eth_chainId", [])

        expect(outcome._tag).toBe("Failure")
        if (outcome._tag === "Success") return
        const error = outcome.failure as { readonly _tag: string; readonly message?: string; readonly code?: number }
        if (row.schema !== "JsonRpc.Response") {
          expect(["InvalidResponse", "RateLimited"]).toContain(error._tag)
          return
        }
        const { error: recorded } = body as { readonly error: { readonly code: number; readonly message: string } }
        expect(error._tag).toBe("RpcError")
        expect(error.code).toBe(recorded.code)
        expect(error.message).toBe(recorded.message.replaceAll(/\s+/g, " ").trim())
      }),
    )
  })

  describe("pairs", () => {
    it.live.each(ofKind("pairs"))("a recorded result: $file $peculiar", (row) =>
      Effect.gen(function* () {
        const { request, response } = row.json as {
          readonly request: { readonly method: string; readonly params: ReadonlyArray<unknown> }
          readonly response: { readonly result: Readonly<Record<string, unknown>> | null }
        }
        const outcome = yield* play(response, request.method, request.params)

        expect(outcome).toMatchObject({ _tag: "Success" })
        if (outcome._tag === "Failure") return
        const value = outcome.success as Readonly<Record<string, unknown>> | null
        if (response.result === null) expect(value).toBeNull()
        else expect(String(value?.["hash"]).toLowerCase()).toBe(String(response.result["hash"]).toLowerCase())
      }),
    )
  })
})
