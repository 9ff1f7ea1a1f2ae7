/**
 * Collects the metrics of all serving processes for one of them. A process that ends or does not answer in time is left out.
 */
import type { FromPrimary } from "./Message.ts"

/** A serving process, as the collector needs it. */
export interface Peer {
  readonly send: (message: FromPrimary) => void
}

/** A request for the metrics of the other processes that is not answered yet. */
interface Collection {
  readonly texts: Array<string>
  readonly missing: Set<Peer>
  readonly finish: () => void
}

/** Time that the other processes have, in milliseconds. */
const maxMillis = 1_000

/** Collects metrics. */
export interface Collector {
  /** Requests a report of each of `peers` and sends them to `from`, together with that of this process. */
  readonly collect: (from: Peer, id: number, peers: ReadonlyArray<Peer>, own: string) => void
  /** Takes the report of a process. */
  readonly add: (peer: Peer, id: number, text: string) => void
  /** A process has ended. */
  readonly remove: (peer: Peer) => void
}

/** Makes a collector. */
export const make = (): Collector => {
  const open = new Map<number, Collection>()
  let lastId = 0

  const settle = ({ finish, missing }: Collection, peer: Peer) => {
    missing.delete(peer)
    if (missing.size === 0) finish()
  }

  return {
    collect: (from, id, peers, own) => {
      const key = ++lastId
      const texts = own === "" ? [] : [own]
      const finish = () => {
        open.delete(key)
        clearTimeout(timer)
        from.send({ _tag: "Collected", id, texts })
      }
      const timer = setTimeout(finish, maxMillis)
      open.set(key, { texts, missing: new Set(peers), finish })
      for (const peer of peers) peer.send({ _tag: "RequestMetrics", id: key })
      if (peers.length === 0) finish()
    },
    add: (peer, id, text) => {
      const collection = open.get(id)
      if (collection?.missing.has(peer) !== true) return
      collection.texts.push(text)
      settle(collection, peer)
    },
    remove: (peer) => {
      for (const collection of open.values()) settle(collection, peer)
    },
  }
}
