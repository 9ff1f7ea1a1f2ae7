/**
 * Sends pages within the bounds of the process: the work on them takes a part of each turn of the event loop, and what clients have
 * not read is bounded.
 *
 * Source: decision 0039.
 */
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { KeyGrant } from "../../store/ApiKeys.ts"
import type { Bounds } from "../Bounds.ts"
import * as ErrorResponse from "../ErrorResponse.ts"
import * as InFlight from "../InFlight.ts"
import * as LargeResponse from "../LargeResponse.ts"
import * as Response from "../Response.ts"

/** A page that is ready to be written. */
export interface Body {
  /** Bytes, or nearly as many. */
  readonly size: number
  readonly bytes: () => Uint8Array
  readonly chunks: () => Iterable<Uint8Array>
  readonly headers: Response.Headers
}

/** Makes the sender of pages. */
export const make = (bounds: Bounds["Service"]) => {
  const { responses, turns } = bounds

  const room = ({ name }: KeyGrant) =>
    responses.total() === 0
      ? Effect.void
      : Effect.flatMap(HttpServerRequest, (request) => responses.room(InFlight.clientOf(request, name))).pipe(
          Effect.catch(ErrorResponse.boundReached),
        )

  const write = (body: Body, { name }: KeyGrant) =>
    body.size < LargeResponse.minBytes
      ? Effect.succeed(Response.jsonBytes(body.bytes(), body.headers))
      : LargeResponse.send({ ...body, chunks: body.chunks() }, name, bounds)

  /** Sends the page that `read` gives to the owner of a key. */
  return <E>(
    grant: KeyGrant,
    read: Effect.Effect<Body, E>,
  ): Effect.Effect<HttpServerResponse, E | ErrorResponse.ErrorResponse, HttpServerRequest> =>
    Effect.andThen(
      Effect.suspend(() => room(grant)),
      turns.run(Effect.flatMap(read, (body) => write(body, grant))),
    )
}
