import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { Limits } from "../../../src/config/Limits.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as HttpServer from "../../../src/server/HttpServer.ts"
import * as LargeResponse from "../../../src/server/admission/LargeResponse.ts"

const limits = Schema.decodeUnknownSync(Limits)({})

describe("LargeResponse", () => {
  it.live("send: the server does not inspect the stream of a client that leaves before its end", () =>
    Effect.gen(function* () {
      const bounds = Bounds.make(limits)
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      let inspections = 0
      const answer = Effect.gen(function* () {
        yield* Effect.addFinalizer(() => Deferred.succeed(ended, undefined))
        const chunks = Array.from({ length: 100 }, () => Buffer.alloc(1024 * 1024))
        const response = yield* LargeResponse.send({ chunks, size: 1, headers: {} }, "key", bounds)
        const { body } = response.body as { readonly body: object }
        Object.defineProperty(body, "inspected", { enumerable: true, get: () => ++inspections })
        yield* Deferred.succeed(begun, undefined)
        return response
      })
      const options = {
        listen: { host: "127.0.0.1", port: 0 },
        allowedOrigins: [],
        allowedHosts: [],
        limits,
        trustedProxies: 0,
      }
      const server = HttpServer.layer(HttpRouter.add("GET", "/large", answer), options)
      const { address } = Context.get(yield* Layer.build(server), HttpServer.HttpServer)
      const socket = connect(address.port, address.host)
      socket.write("GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n")
      yield* Deferred.await(begun)
      yield* Effect.promise(() => once(socket, "readable"))

      socket.destroy()
      yield* Deferred.await(ended)

      expect(bounds.responses.total()).toBe(0)
      expect(inspections).toBe(0)
    }),
  )
})
