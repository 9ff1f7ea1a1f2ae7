/**
 * Bytes in flight: what a process holds in memory for clients that send or read slowly, limited per API key, per address and per process.
 * One meter counts responses, another request bodies.
 *
 * Source: decision 0039.
 */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { BytesInFlight } from "../../config/Limits.ts"
import { BoundReached } from "../http/BoundReached.ts"
import { stackless } from "../http/Stackless.ts"

/** The client for which bytes are held. */
export interface Client {
  /** Name of the API key, or of the holder counted instead. */
  readonly key: string
  /** Address of the connection, or the one stated by a trusted proxy. */
  readonly address: string
}

/** The client of a request. */
export const clientOf = (request: HttpServerRequest, key: string): Client => ({
  key,
  address: Option.getOrElse(request.remoteAddress, () => ""),
})

/** Bytes held for a client until they are released. */
export interface Hold {
  /** Adds bytes; fails if there is no room. */
  readonly add: (bytes: number) => BoundReached | undefined
  /** Adds bytes that exist already, regardless of limits. */
  readonly force: (bytes: number) => void
  readonly release: () => void
}

/** Counts the bytes in flight of one kind. */
export interface Meter {
  /** Bytes in flight of the process. */
  readonly total: () => number
  /** The limit that a client has reached; undefined if it has room. */
  readonly reached: (client: Client) => BoundReached | undefined
  /** Waits until a client has room, which another of its requests may take first; fails after a while. */
  readonly room: (client: Client) => Effect.Effect<void, BoundReached>
  /** Begins to count bytes for a client. */
  readonly hold: (client: Client) => Hold
  /** Counts bytes that exist already, regardless of limits. */
  readonly count: (client: Client, bytes: number) => Pick<Hold, "release">
}

/** Maximum time that a request waits for room. */
const waitMillis = 5_000

interface Waiter {
  readonly client: Client
  readonly resume: () => void
}

/** Makes a meter with the limits under a configuration key. */
export const make = (name: string, bounds: BytesInFlight): Meter => {
  const byKey = new Map<string, number>()
  const byAddress = new Map<string, number>()
  const waiters = new Set<Waiter>()
  let total = 0

  const addTo = (map: Map<string, number>, name: string, bytes: number) => {
    const sum = (map.get(name) ?? 0) + bytes
    if (sum > 0) map.set(name, sum)
    else map.delete(name)
  }

  const count = ({ address, key }: Client, bytes: number) => {
    total += bytes
    addTo(byKey, key, bytes)
    addTo(byAddress, address, bytes)
  }

  const reachedScope = ({ address, key }: Client, bytes: number): keyof BytesInFlight | undefined => {
    if ((byKey.get(key) ?? 0) + bytes > bounds.perKey) return "perKey"
    if ((byAddress.get(address) ?? 0) + bytes > bounds.perAddress) return "perAddress"
    return total + bytes > bounds.total ? "total" : undefined
  }

  /** The limit that further bytes would exceed. */
  const reached = (client: Client, bytes: number): BoundReached | undefined => {
    const scope = reachedScope(client, bytes)
    return scope && stackless(() => new BoundReached({ scope, limit: `${name}.${scope}`, maxBytes: bounds[scope] }))
  }

  const uncount = (client: Client, bytes: number) => {
    count(client, -bytes)
    if (total >= bounds.total) return
    for (const waiter of waiters) if (reachedScope(waiter.client, 1) === undefined) waiter.resume()
  }

  /** Waits until there is room, which others may take first. */
  const wait = (client: Client): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const waiter: Waiter = {
        client,
        resume: () => {
          waiters.delete(waiter)
          resume(Effect.void)
        },
      }
      waiters.add(waiter)
      return Effect.sync(() => waiters.delete(waiter))
    })

  const room: Meter["room"] = (client) =>
    Effect.suspend(() => {
      if (reached(client, 1) === undefined) return Effect.void
      const orElse = () => {
        const bound = reached(client, 1)
        return bound === undefined ? Effect.void : Effect.fail(bound)
      }
      return Effect.timeoutOrElse(wait(client), { duration: waitMillis, orElse })
    })

  const hold = (client: Client): Hold => {
    let own = 0
    const force = (bytes: number) => {
      own += bytes
      count(client, bytes)
    }
    return {
      force,
      add: (bytes) => {
        const bound = reached(client, bytes)
        if (bound === undefined) force(bytes)
        return bound
      },
      release: () => {
        const bytes = own
        own = 0
        if (bytes > 0) uncount(client, bytes)
      },
    }
  }

  return {
    total: () => total,
    reached: (client) => reached(client, 1),
    room,
    hold,
    count: (client, bytes) => {
      const held = hold(client)
      held.force(bytes)
      return held
    },
  }
}
