import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Schema, type Scope } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { Limits } from "../../../src/config/Limits.ts"
import * as Bounds from "../../../src/server/admission/Bounds.ts"
import * as HttpServer from "../../../src/server/HttpServer.ts"
import * as LargeResponse from "../../../src/server/admission/LargeResponse.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"

const now = () => performance.now()

const limits = Schema.decodeUnknownSync(Limits)({})

const serve = (answer: Effect.Effect<HttpServerResponse, never, HttpServerRequest | Scope.Scope>) =>
  Effect.map(
    Layer.build(
      HttpServer.layer(HttpRouter.add("GET", "/large", answer), {
        listen: { host: "127.0.0.1", port: 0 },
        allowedOrigins: [],
        allowedHosts: [],
        limits,
        trustedProxies: 0,
      }),
    ),
    (context) => Context.get(context, HttpServer.HttpServer),
  )

describe("LargeResponse", () => {
  it.live("send: the server does not inspect the stream of a client that disconnects before its end", () =>
    Effect.gen(function* () {
      const bounds = Bounds.make(limits, Turns.make(now))
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
      const { address } = yield* serve(answer)
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

  it.live("send: a chunk that cannot be made ends the connection, not the process, and releases its bytes", () =>
    Effect.gen(function* () {
      const bounds = Bounds.make(limits, Turns.make(now))
      const chunks = function* (): Generator<Uint8Array> {
        yield Buffer.alloc(1024 * 1024)
        // The next chunk waits for a later turn.
        const end = performance.now() + 10
        while (performance.now() < end);
        yield Buffer.alloc(1024 * 1024)
        throw new Error("the chunk is damaged")
      }
      const answer = LargeResponse.send({ chunks: chunks(), size: 1, headers: {} }, "key", bounds)
      const { address } = yield* serve(answer)
      const received = yield* Effect.promise(() =>
        fetch(`http://${address.host}:${address.port}/large`)
          .then((response) => response.arrayBuffer())
          .then(
            () => "whole",
            () => "ended",
          ),
      )

      expect(received).toBe("ended")
      expect(bounds.responses.total()).toBe(0)
    }),
  )
})
