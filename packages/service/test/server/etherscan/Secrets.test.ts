import * as RecordingTracer from "@daybook/harness/RecordingTracer"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { expect } from "vitest"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const canary = "CANARY_0123456789abcdef"

const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields),
})

/** Text in a span. */
const textOf = ({ attributes, name, status }: Tracer.NativeSpan): string =>
  `${name} ${JSON.stringify([...attributes])} ${status._tag === "Ended" ? JSON.stringify(status.exit) : ""}`

describe("Etherscan's API: keys", () => {
  it.live("no key of a query or a form appears in a log, a span or a body, even if a request fails", () => {
    const { spans, tracer } = RecordingTracer.make()
    return Effect.gen(function* () {
      const service = yield* start({ config: { log: { access: true } } })
      const { key } = service
      // Amounts that are not numbers fail with their text.
      const body = JSON.stringify({ input: "0x", to_address: null, gas: key, receipt_gas_used: key })
      const block = Rows.block(0, [{ from: Rows.alice, to: Rows.alice }])
      const transactions = block.transactions.map((transaction) => ({ ...transaction, body }))
      yield* Effect.orDie(service.stores["eth"]!.append(null, [{ ...block, transactions }]))
      const list = { module: "account", action: "txlist", address: Rows.alice }
      const query = new URLSearchParams(list).toString()
      const defects = [
        yield* service.fetch(`/v2/api?${query}&apikey=${key}`),
        yield* service.fetch("/api?chainid=1", form({ ...list, apikey: key })),
      ]
      const answers = [
        ...defects,
        yield* service.fetch(`/v2/api?${query}&apikey=${canary}`),
        yield* service.fetch("/v2/api", form({ ...list, ApiKey: canary })),
        yield* service.fetch("/v2/api", form({ module: canary, action: canary, apikey: canary })),
        yield* service.fetch(`/v2/api?module=proxy&action=eth_blockNumber&apikey=${key}`),
        yield* service.fetch(`/v2/api?${query}&apikey=${canary}`, { method: "DELETE" }),
      ]

      for (const { json, status } of defects) {
        expect([status, json]).toEqual([
          200,
          { status: "0", message: "NOTOK", result: expect.stringMatching(/^Error! Internal server error\. /) },
        ])
      }
      expect(service.logs.join("\n")).toMatch(/to \/api failed: SyntaxError: Cannot convert .+ to a BigInt/)
      expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["GET /v2/api", "POST /v2/api"]))
      for (const text of [...service.logs, ...spans.map(textOf), ...answers.map((answer) => answer.text)]) {
        expect(text).not.toContain(canary)
        expect(text).not.toContain(key)
      }
    }).pipe(Effect.scoped, Effect.provide(Layer.succeed(Tracer.Tracer, tracer)))
  })
})
