/**
 * One connection that receives events: yields the texts of events as their chunks arrive, with limits on their size and on the time without
 * data.
 */
import type { Reader } from "@daybook/transport/Fetch"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sse from "effect/encoding/Sse"

/** Text of an event with its id; undefined if the server sent none. */
export interface EventText {
  readonly id: string | undefined
  readonly data: string
}

/** Result of one read. */
export type Received =
  | {
      readonly _tag: "Events"
      readonly events: ReadonlyArray<EventText>
      readonly retry: Duration.Duration | undefined
    }
  | { readonly _tag: "Ended"; readonly reason: string }
  | { readonly _tag: "Invalid"; readonly reason: "too-large" | "encoding" }

/** A connection. */
export interface EventConnection {
  /** Waits for the next chunk. */
  readonly read: Effect.Effect<Received>
}

/** Time without a byte after which a connection counts as lost: three times the interval at which a service sends comments. */
const silence = Duration.seconds(45)

/** Reads the events of a body; `maxEventSize` is the maximum number of characters of each. */
export const make = (reader: Reader, maxEventSize: number): EventConnection => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let events: Array<EventText> = []
  let retry: Duration.Duration | undefined
  const parser = Sse.makeParser(
    (event) => {
      if (event._tag === "Retry") retry = event.duration
      else events.push({ id: event.id, data: event.data })
    },
    { maxEventSize },
  )

  const parse = (bytes: Uint8Array): Received => {
    events = []
    try {
      const isTooLarge = parser.feed(decoder.decode(bytes, { stream: true })) !== undefined
      return isTooLarge ? { _tag: "Invalid", reason: "too-large" } : { _tag: "Events", events, retry }
    } catch {
      return { _tag: "Invalid", reason: "encoding" }
    }
  }

  const next = async (): Promise<Received> => {
    try {
      const { done, value } = await reader.read()
      if (done) return { _tag: "Ended", reason: "the server ended the stream" }
      return parse(value ?? new Uint8Array())
    } catch (error) {
      return { _tag: "Ended", reason: error instanceof Error ? error.message : "the connection was lost" }
    }
  }

  return {
    read: Effect.map(
      Effect.timeoutOption(Effect.promise(next), silence),
      Option.getOrElse((): Received => ({ _tag: "Ended", reason: "nothing was received for 45 seconds" })),
    ),
  }
}
