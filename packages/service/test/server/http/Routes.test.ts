import { describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { expect } from "vitest"
import { RequestId } from "../../../src/server/http/Request.ts"
import * as Routes from "../../../src/server/http/Routes.ts"

const route = HttpRouter.route("POST", "/rpc/:chain/:apiKey", Effect.succeed(HttpServerResponse.empty()))

/** What is logged for a defect with a text, in a request with these headers, path parameters and other keys. */
const logged = Effect.fnUntraced(function* (
  text: string,
  headers: Readonly<Record<string, string>>,
  params: Readonly<Record<string, string | undefined>>,
  keys: ReadonlyArray<string | undefined> = [],
) {
  const logs: Array<string> = []
  const answered = Routes.onDefect(Effect.die(text), {
    respond: (requestId) => HttpServerResponse.text(requestId, { status: 500 }),
    secrets: ["chain", "apiKey"],
    keys: () => keys,
  })
  const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/rpc", { method: "POST", headers }))
  const { status } = yield* answered.pipe(
    Effect.provideService(HttpRouter.RouteContext, { params, route }),
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provideService(RequestId, "request-1"),
    Effect.provide(Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])),
  )
  expect(status).toBe(500)
  return logs.join("\n").split("\n")[0]
})

describe("Routes.onDefect", () => {
  it.effect("logs the cause with the request and its route, without a key of its headers, its path or elsewhere", () =>
    Effect.gen(function* () {
      const failed = "Request request-1 to /rpc/:chain/:apiKey failed: Error: "
      const [header, path, query] = ["header-key-1", "path-key-22", "query-key-3"]

      expect(yield* logged("No secret.", {}, {})).toBe(`${failed}No secret.`)
      expect(yield* logged(`${header} ${path}`, { "x-api-key": header }, { apiKey: path })).toBe(
        `${failed}<redacted> <redacted>`,
      )
      expect(yield* logged(`${query}.`, {}, {}, [undefined, query])).toBe(`${failed}<redacted>.`)
    }),
  )

  it.effect("keeps texts of at most eight characters, as these may be words of the cause", () =>
    Effect.gen(function* () {
      const cause = yield* logged("polygons, arbitrum1", {}, { chain: "polygons", apiKey: "arbitrum1" })

      expect(cause).toMatch(/failed: Error: polygons, <redacted>$/)
    }),
  )
})
