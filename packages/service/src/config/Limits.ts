/**
 * Limits on the size, number and duration of what clients send and receive: the keys under `limits`. Anything beyond a limit is rejected
 * with an error that names it, or continued on the next page.
 *
 * Source: decision 0039.
 */
import * as Schema from "effect/Schema"
import { Count, withDefault } from "./ChainConfig.ts"

const mebibyte = 1024 * 1024

const count = (value: number) => withDefault(Count, () => value)

/** A timer in seconds. The JavaScript engine treats 25 days or more as one millisecond. */
const seconds = (value: number) =>
  withDefault(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })), () => value)

/** A timer in milliseconds, with the same maximum. */
const millis = (value: number) =>
  withDefault(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })), () => value)

/** Bounds on the bytes in flight of one kind. */
const bytesInFlight = (perKey: number, perAddress: number, total: number) =>
  withDefault(
    Schema.Struct({
      /** Of one API key. */
      perKey: count(perKey),
      /** Of one address. */
      perAddress: count(perAddress),
      /** Of the process. */
      total: count(total),
    }),
    () => ({}),
  )

/** Bounds on the bytes in flight of one kind, decoded. */
export interface BytesInFlight {
  /** Of one API key. */
  readonly perKey: number
  /** Of one address. */
  readonly perAddress: number
  /** Of the process. */
  readonly total: number
}

/** Bounds on the traces of nodes. Beyond them a frame's input and output are `null`, and a trace is a gap. Source: decision 0036. */
export const TraceLimits = Schema.Struct({
  /** Characters of the inputs and outputs of one transaction's frames that are kept. Default 4 MiB. */
  transactionBytes: count(4 * mebibyte),
  /** Characters of the inputs and outputs of one block's frames that are kept. Default 8 MiB. */
  blockBytes: count(8 * mebibyte),
  /** Frames of one transaction. Default 10,000. */
  frames: count(10_000),
  /** Levels of calls. Default 1024, which is that of the EVM. */
  depth: withDefault(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_024 })), () => 1_024),
})

/** Bounds on the traces of nodes, decoded. */
export interface TraceLimits extends Schema.Schema.Type<typeof TraceLimits> {}

/** The defaults of the bounds on traces. */
export const defaultTraceLimits: TraceLimits = Schema.decodeUnknownSync(TraceLimits)({})

/** Bounds on what clients send and receive. */
export const Limits = Schema.Struct({
  /** Bytes of the rows of a page. A page ends early with its cursor; a larger row is a page by itself. Default 2 MiB. */
  pageBytes: count(2 * mebibyte),
  /** Bytes of large responses that clients have not read yet. Default 16 MiB, 64 MiB and 128 MiB. */
  responsesInFlight: bytesInFlight(16 * mebibyte, 64 * mebibyte, 128 * mebibyte),
  /** Bytes of a request body. Default 1 MiB. */
  bodyBytes: count(mebibyte),
  /** Bytes of incomplete request bodies. Default 8 MiB, 32 MiB and 64 MiB. */
  bodiesInFlight: bytesInFlight(8 * mebibyte, 32 * mebibyte, 64 * mebibyte),
  /** Seconds within which a request body must be complete. Default 10. */
  bodySeconds: seconds(10),
  /** Levels of nesting in a request body. Default 64. */
  bodyDepth: count(64),
  /** Values in a request body: members of objects and items of arrays. Default 20,000. */
  bodyValues: count(20_000),
  /** Total bytes of the results of a batch. Default 16 MiB. */
  batchBytes: count(16 * mebibyte),
  /** Bytes of a node's response to a relayed call. Default 32 MiB. */
  answerBytes: count(32 * mebibyte),
  /** Open connections; beyond that, the oldest idle one is closed. Default 10,000. */
  connections: count(10_000),
  /** Open connections of one address; that of a proxy is one address. Default 2,000. */
  connectionsPerAddress: count(2_000),
  /** Open streams of events of one API key. Default 100. */
  eventStreams: count(100),
  /** Open WebSocket connections of one API key. Default 100. */
  webSockets: count(100),
  /** Open WebSocket connections of one address; that of a proxy is one address. Default 500. */
  webSocketsPerAddress: count(500),
  /** Subscriptions of one WebSocket connection. Default 100. */
  subscriptions: count(100),
  /** Seconds after which a WebSocket connection is pinged, its API key is looked up again, and one without a pong is closed. Default 30. */
  pingSeconds: seconds(30),
  /** Seconds within which a client must read some of the data sent to it. Default 20. */
  writeSeconds: seconds(20),
  /** Milliseconds for which an idle connection stays open when the service stops. Default 1000. */
  drainIdleMillis: millis(1_000),
  /** Seconds that open requests have to complete when the service stops. Default 10. */
  drainSeconds: seconds(10),
  /** Levels of nesting in a node's response to a relayed call. Default 8192: a trace of 1,024 calls has about 2,000. */
  answerDepth: count(8_192),
  /** Bounds on the traces of nodes. */
  traces: withDefault(TraceLimits, () => ({})),
})

/** Bounds on what clients send and receive, decoded. */
export interface Limits extends Schema.Schema.Type<typeof Limits> {}

/**
 * The limits of one of several processes that share a port: limits on what a key or an address may hold open are divided, with at least 1
 * for each process.
 */
export const ofProcess = (limits: Limits, processes: number): Limits => {
  const part = (limit: number): number => Math.max(1, Math.floor(limit / processes))
  return {
    ...limits,
    eventStreams: part(limits.eventStreams),
    webSockets: part(limits.webSockets),
    webSocketsPerAddress: part(limits.webSocketsPerAddress),
  }
}
