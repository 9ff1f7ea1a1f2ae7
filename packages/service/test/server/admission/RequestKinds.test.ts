/** The kinds of work of a server's requests. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Limits } from "../../../src/config/Limits.ts"
import * as HttpServer from "../../../src/server/HttpServer.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"

const limits = Schema.decodeUnknownSync(Limits)({})

describe("requests", () => {
  it.live("the kind of a request is its route, whatever names and query its client chose", () =>
    Effect.gen(function* () {
      const begun: Array<string | undefined> = []
      const turns = Turns.make(() => performance.now())
      const enter: Turns.Turns["enter"] = (work, onError, holder, kind) => {
        begun.push(kind)
        turns.enter(work, onError, holder, kind)
      }
      const answer = Effect.map(Turns.Kind, (kind) => HttpServerResponse.text(`fiber: ${kind}`))
      const routes = Layer.mergeAll(
        HttpRouter.add("GET", "/wallets/:address/movements", answer),
        HttpRouter.add("PUT", "/contracts/:name", answer),
      )
      const server = HttpServer.layer(routes, {
        listen: { host: "127.0.0.1", port: 0 },
        allowedOrigins: [],
        allowedHosts: [],
        limits,
        trustedProxies: 0,
        turns: { ...turns, enter },
      })
      const { address } = Context.get(yield* Layer.build(server), HttpServer.HttpServer)
      const send = (path: string, method = "GET") =>
        Effect.promise(() =>
          fetch(`http://${address.host}:${address.port}${path}`, { method }).then((sent) => sent.text()),
        )

      expect(yield* send("/wallets/0x1/movements")).toBe("fiber: /wallets/:address/movements")
      expect(yield* send("/wallets/0x2/movements?limit=100&action=made-up")).toBe("fiber: /wallets/:address/movements")
      expect(yield* send("/contracts/pack-1", "PUT")).toBe("fiber: /contracts/:name")
      expect(yield* send("/contracts/pack-2", "PUT")).toBe("fiber: /contracts/:name")
      yield* send("/made-up")
      const [wallet, contract] = ["/wallets/:address/movements", "/contracts/:name"]
      expect(begun).toEqual([wallet, wallet, contract, contract, ""])
    }),
  )
})
