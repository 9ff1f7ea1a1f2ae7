/** Recorded responses of real nodes, replayed by a server: each is the right value or the right kind of error. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as RpcMethod from "@daybook/schema/RpcMethod"
import { Effect } from "effect"
import { RpcClient } from "../src/index.ts"
import { reply, script } from "./server.ts"

const folder = join(import.meta.dirname, "../../../../shared/wire")
const index = join(folder, "INDEX.tsv")

interface Row {
  readonly file: string
  readonly kind: string
  readonly schema: string
  readonly peculiar: string
}

const rows: ReadonlyArray<Row> = existsSync(index)
  ? readFileSync(index, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => {
        const [file = "", kind = "", schema = "", , , , , peculiar = ""] = line.split("\t")
        return { file, kind, schema, peculiar }
      })
  : []

const load = (row: Row): Readonly<Record<string, unknown>> => JSON.parse(readFileSync(join(folder, row.file), "utf8"))

const errors = rows.filter((row) => row.kind === "errors")
const pairs = rows.filter((row) => row.kind === "pairs")

/** A file is the body, or the HTTP response around it. */
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
    // Sound: the parameters are a real request's; those that do not fit are what the test is about.
    const call = known
      ? (client[method] as (...params: ReadonlyArray<unknown>) => Effect.Effect<unknown, never>)
      : undefined
    return yield* Effect.result(call?.(...params) ?? client.request({ method, params }))
  })

describe("recorded responses", () => {
  it.skipIf(rows.length > 0)("recorded responses: are not available, so none was replayed", () => {
    expect(existsSync(index)).toBe(false)
  })

  describe.skipIf(rows.length === 0)("errors", () => {
    it.live.each(errors)("a recorded error: $file $peculiar", (row) =>
      Effect.gen(function* () {
        const body = bodyOf(load(row))
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

  describe.skipIf(rows.length === 0)("pairs", () => {
    it.live.each(pairs)("a recorded result: $file $peculiar", (row) =>
      Effect.gen(function* () {
        const { request, response } = load(row) as {
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
