/**
 * Sends pages within the bounds of the process: work on them takes a share of each turn of the event loop, and the amount that clients have
 * not read is bounded.
 *
 * Source: decision 0039.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as InFlight from "../admission/InFlight.ts"
import { BoundReached } from "../http/BoundReached.ts"
import * as LargeResponse from "../admission/LargeResponse.ts"
import type * as Response from "../http/Response.ts"
import * as ReusedMemory from "../admission/ReusedMemory.ts"
import * as Turns from "../admission/Turns.ts"
import * as JsonText from "./JsonText.ts"
import * as PageCoding from "./PageCoding.ts"
import type * as PageWriter from "./PageWriter.ts"

/** A page ready to be written. */
export interface Body {
  /** Approximate number of bytes. */
  readonly size: number
  /** Writes the bytes, into `memory` if they fit. */
  readonly write: (memory?: Buffer) => PageWriter.Written
  readonly chunks: () => Iterable<Uint8Array>
  readonly headers: Response.Headers
}

/** Bytes of JSON text ready to be sent. */
export const ofBytes = (bytes: Uint8Array, headers: Response.Headers): Body => ({
  size: bytes.length,
  write: () => ({ bytes, identity: bytes }),
  chunks: () => LargeResponse.cutBytes(bytes),
  headers,
})

/** A JSON value ready to be written. */
export const json = (value: unknown, headers: Response.Headers): Body =>
  ofBytes(Buffer.from(JSON.stringify(value)), headers)

/** A JSON value of about `size` bytes, computed while it is written. */
export const lazyJson = (value: () => unknown, size: number, headers: Response.Headers): Body => ({
  size,
  write: () => {
    const bytes = Buffer.from([...JsonText.textsOf(value())].join(""))
    return { bytes, identity: bytes }
  },
  chunks: () => LargeResponse.chunksOf(JsonText.textsOf(value())),
  headers,
})

/** Makes the sender of pages. */
export const make = (bounds: Bounds["Service"]) => {
  const { responses, turns } = bounds

  const memory = ReusedMemory.make(4 * LargeResponse.minBytes)

  const write = (body: Body, grant: KeyGrant, request: HttpServerRequest) => {
    if (body.size >= LargeResponse.minBytes) {
      return LargeResponse.send({ ...body, chunks: body.chunks() }, holderOf(grant), bounds)
    }
    const written = body.write(memory.take(NodeHttpServerRequest.toServerResponse(request)))
    return Effect.succeed(PageCoding.respond(written, body.headers, request))
  }

  /** Runs work in a turn of the event loop that has time for it, once a client has room; nothing may run in between. */
  const whenRoom = <A, E, R>(
    client: InFlight.Client,
    work: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E | BoundReached, R> => {
    const attempt = turns.run(
      Effect.suspend(() => (responses.reached(client) === undefined ? Effect.asSome(work) : Effect.succeedNone)),
    )
    return Effect.flatMap(attempt, (done) =>
      Option.isSome(done)
        ? Effect.succeed(done.value)
        : Effect.andThen(
            responses.room(client),
            Effect.suspend(() => whenRoom(client, work)),
          ),
    )
  }

  /** Sends the page returned by `read` to the owner of a key. */
  return <E>(
    grant: KeyGrant,
    read: Effect.Effect<Body, E>,
  ): Effect.Effect<HttpServerResponse, E | ErrorResponse.ErrorResponse, HttpServerRequest> =>
    Effect.flatMap(HttpServerRequest, (request) =>
      whenRoom(
        InFlight.clientOf(request, holderOf(grant)),
        Effect.flatMap(read, (body) => write(body, grant, request)),
      ),
    ).pipe(
      // A key in a form, or one that is valid for the first time, was not known when the request started.
      Effect.provideService(Turns.Holder, holderOf(grant)),
      Effect.catchIf((error): error is BoundReached => error instanceof BoundReached, ErrorResponse.boundReached),
    )
}
