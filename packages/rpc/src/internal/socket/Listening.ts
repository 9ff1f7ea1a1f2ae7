/** Bounded queue between the connection that receives the notifications of a subscription and the stream that reads them. */
import * as Effect from "effect/Effect"

/** A notification. */
export type Item =
  | { readonly _tag: "Result"; readonly result: unknown }
  /** The subscription ended, and why. */
  | { readonly _tag: "Error"; readonly error: unknown }

/** Result of one read. */
export type Read =
  | { readonly _tag: "Items"; readonly items: ReadonlyArray<Item> }
  | { readonly _tag: "Ended"; readonly reason: string; readonly isOverflow: boolean }

/** The notifications of a subscription, as seen by its stream. */
export interface Listening {
  /** Waits for the next notifications. */
  readonly read: Effect.Effect<Read>
  /** Ends the subscription. */
  readonly stop: Effect.Effect<void>
}

/** Limits on unread notifications. */
export interface Bounds {
  readonly maxQueued: number
  /** Maximum number of characters of unread notifications, unless there is only one. */
  readonly maxQueuedCharacters: number
}

/** Notifications that wait. */
export interface Queue {
  items: Array<Item>
  characters: number
  ended: Extract<Read, { readonly _tag: "Ended" }> | undefined
  /** Wakes the reader; undefined if none waits. */
  wake: (() => void) | undefined
}

/** Makes an empty queue. */
export const queue = (): Queue => ({ items: [], characters: 0, ended: undefined, wake: undefined })

/** Ends a queue; unread notifications can still be read. */
export const end = (own: Queue, reason: string, isOverflow = false): void => {
  own.ended ??= { _tag: "Ended", reason, isOverflow }
  own.wake?.()
}

/** Adds a notification. Without room for it, ends the queue and returns false. */
export const offer = (own: Queue, item: Item, characters: number, bounds: Bounds): boolean => {
  const isFull = own.items.length >= bounds.maxQueued || own.characters + characters > bounds.maxQueuedCharacters
  if (isFull && own.items.length > 0) {
    end(
      own,
      `more than ${bounds.maxQueued} notifications, or ${bounds.maxQueuedCharacters} characters, are queued`,
      true,
    )
    return false
  }
  own.items.push(item)
  own.characters += characters
  own.wake?.()
  return true
}

/** Takes all unread notifications; undefined if there are none. */
const take = (own: Queue): Read | undefined => {
  const { items } = own
  if (items.length === 0) return own.ended
  own.items = []
  own.characters = 0
  return { _tag: "Items", items }
}

/** Waits for the next notifications. */
export const read = (own: Queue): Effect.Effect<Read> =>
  Effect.callback((resume) => {
    const attempt = () => {
      const found = take(own)
      if (found === undefined) return
      own.wake = undefined
      resume(Effect.succeed(found))
    }
    own.wake = attempt
    attempt()
    return Effect.sync(() => (own.wake = undefined))
  })
