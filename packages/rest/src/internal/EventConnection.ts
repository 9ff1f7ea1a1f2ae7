/** One connection that receives events: the texts of events as their parts arrive, with a bound on their size and on the time without any. */
import type { Reader } from "@daybook/transport/Fetch"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sse from "effect/encoding/Sse"

/** The text of an event with its id; undefined where the server gave none. */
export interface EventText {
  readonly id: string | undefined
  readonly data: string
}

/** What was received at once. */
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
  /** Waits for the next part. */
  readonly read: Effect.Effect<Received>
}

/** Time without a byte after which a connection counts as lost: three times that in which a service sends a comment. */
const silence = Duration.seconds(45)

/** Reads the events of a body, of up to so many characters each. */
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
      return { _tag: "Ended", reason: error instanceof Error ? error.message : "the connection broke" }
    }
  }

  return {
    read: Effect.map(
      Effect.timeoutOption(Effect.promise(next), silence),
      Option.getOrElse((): Received => ({ _tag: "Ended", reason: "nothing was received for 45 seconds" })),
    ),
  }
}
