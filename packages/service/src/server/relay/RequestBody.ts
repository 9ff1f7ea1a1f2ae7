/**
 * Reads the body of a relayed request within limits. A large body costs calls of the rate limit before it is read, its bytes count as in
 * flight until it is complete, and it must be complete in time.
 *
 * Source: decision 0039.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Issue from "@daybook/schema/Issue"
import * as JsonRpc from "@daybook/schema/JsonRpc"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { holderOf, type KeyGrant } from "../../store/ApiKeys.ts"
import type { Authentication } from "../admission/Authentication.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as InFlight from "../admission/InFlight.ts"
import type { BoundReached } from "../http/BoundReached.ts"
import { stackless } from "../http/Stackless.ts"
import * as RelayError from "./RelayError.ts"

/** Dependencies of reading. */
export interface Options {
  readonly authentication: Authentication["Service"]
  readonly bounds: Bounds["Service"]
}

/** A body, and the calls that it has cost so far. */
export interface RequestBody {
  readonly bytes: Buffer
  readonly taken: number
  /** Headers that report the rest of the rate limit; undefined if nothing was taken yet. */
  readonly headers: Readonly<Record<string, string | undefined>> | undefined
}

/** A larger body costs calls before it is read. */
export const smallBytes = 64 * 1024

/** Number of body bytes per call. */
const bytesPerCall = 128 * 1024

/** Why a body is not read completely. */
class Unread extends Data.TaggedError("Unread")<{
  readonly reason: "too large" | "closed" | "late" | BoundReached
}> {}

const unread = (reason: Unread["reason"]): Unread => stackless(() => new Unread({ reason }))

/** A body that is being read. */
interface Reading {
  readonly request: HttpServerRequest
  readonly chunks: Array<Buffer>
  readonly hold: InFlight.Hold
  size: number
}

const payloadTooLarge = (maxBytes: number) =>
  RelayError.make({
    code: JsonRpc.code.invalidRequest,
    message: `Request body too large. Send at most ${maxBytes} bytes.`,
    reason: "payload_too_large",
    headers: RelayError.closing,
  })

const toError = (
  { reason }: Unread,
  { bodyBytes, bodySeconds }: Bounds["Service"]["limits"],
): RelayError.RelayError => {
  if (reason === "too large") return payloadTooLarge(bodyBytes)
  if (typeof reason === "object") return RelayError.fromBound(reason)
  const late = ` after ${bodySeconds} s (limits.bodySeconds)`
  return RelayError.make({
    code: JsonRpc.code.invalidRequest,
    message: `Request body incomplete${reason === "late" ? late : ""}. Send it again.`,
    reason: "bad_request",
    headers: RelayError.closing,
  })
}

/** Accepted encodings of a body: a compressed body is not decompressed. */
const encodings: ReadonlyArray<readonly [header: string, accepted: string, expected: string]> = [
  ["content-encoding", "identity", "none (a body that is not compressed)"],
  ["transfer-encoding", "chunked", "chunked"],
]

/** Rejects a body with an unsupported encoding. */
const refuseEncoding = ({ headers }: HttpServerRequest): RelayError.RelayError | undefined => {
  for (const [path, accepted, expected] of encodings) {
    const received = headers[path] ?? ""
    if (received === "" || received.toLowerCase() === accepted) continue
    return RelayError.make({
      code: JsonRpc.code.invalidRequest,
      message: Issue.format("header", { path, expected, received: Issue.quote(received) }),
      reason: "bad_request",
      headers: RelayError.closing,
    })
  }
  return undefined
}

/** Reads a body as delivered by Node.js until it ends or exceeds `upTo`; returns true at its end. */
const collect = (
  reading: Reading,
  upTo: number,
  { bodyBytes, bodySeconds }: Bounds["Service"]["limits"],
): Effect.Effect<boolean, Unread> =>
  Effect.callback((resume) => {
    const message = NodeHttpServerRequest.toIncomingMessage(reading.request)
    if (message.destroyed) return resume(Effect.fail(unread("closed")))
    const timer = setTimeout(() => fail("late"), bodySeconds * 1000)
    const settle = (outcome: Effect.Effect<boolean, Unread>) => {
      removeListeners()
      message.pause()
      resume(outcome)
    }
    const fail = (reason: Unread["reason"]) => settle(Effect.fail(unread(reason)))
    const onData = (chunk: Buffer) => {
      reading.size += chunk.length
      if (reading.size > bodyBytes) return fail("too large")
      const bound = reading.hold.add(chunk.length)
      if (bound !== undefined) return fail(bound)
      reading.chunks.push(chunk)
      if (reading.size > upTo) settle(Effect.succeed(false))
    }
    const onEnd = () => settle(Effect.succeed(true))
    const onFailure = () => fail("closed")
    const removeListeners = () => {
      clearTimeout(timer)
      message.off("data", onData).off("end", onEnd).off("error", onFailure).off("close", onFailure)
    }
    message.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure).resume()
    return Effect.sync(removeListeners)
  })

/** Sends `100 Continue` to a client that waits for it before it sends the body. */
const allowBody = (request: HttpServerRequest): void => {
  if (request.headers["expect"]?.toLowerCase() !== "100-continue") return
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (!response.headersSent) response.writeContinue()
}

/** Takes calls from the rate limit for a body of a size. */
export const takeFor = Effect.fnUntraced(function* (
  { authentication }: Options,
  grant: KeyGrant,
  bytes: number,
): Effect.fn.Return<Omit<RequestBody, "bytes">, RelayError.RelayError> {
  const calls = Math.min(authentication.burstOf(grant), Math.ceil(bytes / bytesPerCall))
  const decision = yield* Effect.mapError(authentication.take(grant, calls), ({ message }) =>
    RelayError.unavailable(message),
  )
  if (decision.isAllowed) return { taken: calls, headers: decision.headers }
  return yield* RelayError.rateLimited(authentication.limitMessage(decision), {
    ...decision.headers,
    ...RelayError.closing,
  })
})

const readWith = Effect.fnUntraced(function* (
  reading: Reading,
  grant: KeyGrant,
  options: Options,
): Effect.fn.Return<RequestBody, RelayError.RelayError> {
  const { limits, turns } = options.bounds
  const refused = refuseEncoding(reading.request)
  if (refused !== undefined) return yield* refused
  const declared = Number(reading.request.headers["content-length"] ?? 0)
  if (declared > limits.bodyBytes) return yield* payloadTooLarge(limits.bodyBytes)
  const readOn = (upTo: number) => Effect.mapError(collect(reading, upTo, limits), (error) => toError(error, limits))
  let cost: Omit<RequestBody, "bytes"> = { taken: 0, headers: undefined }
  if (declared > smallBytes) cost = yield* takeFor(options, grant, declared)
  allowBody(reading.request)
  const isWhole = yield* readOn(declared > smallBytes ? Infinity : smallBytes)
  if (!isWhole) {
    cost = yield* takeFor(options, grant, limits.bodyBytes)
    yield* readOn(Infinity)
  }
  // What follows is work for the key: a body that arrives after its header ends between two turns.
  yield* turns.run(Effect.void)
  return { ...cost, bytes: Buffer.concat(reading.chunks, reading.size) }
})

/**
 * Reads the request body of a key's owner.
 *
 * **Errors**
 * - `RelayError`: the body is compressed, too large, incomplete, late or costs more calls than are left, or a limit on bytes in flight is
 *   reached.
 */
export const read = (
  request: HttpServerRequest,
  grant: KeyGrant,
  options: Options,
): Effect.Effect<RequestBody, RelayError.RelayError> =>
  Effect.suspend(() => {
    const hold = options.bounds.bodies.hold(InFlight.clientOf(request, holderOf(grant)))
    const reading: Reading = { request, chunks: [], hold, size: 0 }
    return Effect.ensuring(readWith(reading, grant, options), Effect.sync(hold.release))
  })
