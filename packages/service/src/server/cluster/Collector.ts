/**
 * Collects the metrics of all serving processes for one of them. A process that ends or does not answer in time is left out.
 */
import type { FromPrimary } from "./Message.ts"

/** A serving process, as the collector needs it. */
export interface Peer {
  readonly send: (message: FromPrimary) => void
}

interface Collection {
  readonly from: Peer
  readonly id: number
  readonly texts: Array<string>
  readonly missing: Set<Peer>
  readonly timer: NodeJS.Timeout
}

/** Time that the other processes have, in milliseconds. */
const maxMillis = 1_000

/** Collects metrics. */
export interface Collector {
  /** Requests a report of each of `peers` and sends them together to `from`. */
  readonly collect: (from: Peer, id: number, peers: ReadonlyArray<Peer>) => void
  /** Takes the report of a process. */
  readonly add: (peer: Peer, id: number, text: string) => void
  /** A process has ended. */
  readonly remove: (peer: Peer) => void
}

/** Makes a collector. */
export const make = (): Collector => {
  const open = new Map<number, Collection>()
  let lastId = 0

  const finish = (key: number) => {
    const collection = open.get(key)
    if (collection === undefined) return
    open.delete(key)
    clearTimeout(collection.timer)
    collection.from.send({ _tag: "Collected", id: collection.id, texts: collection.texts })
  }

  const settle = (key: number, peer: Peer) => {
    const missing = open.get(key)?.missing
    missing?.delete(peer)
    if (missing?.size === 0) finish(key)
  }

  return {
    collect: (from, id, peers) => {
      const key = ++lastId
      const timer = setTimeout(() => finish(key), maxMillis)
      open.set(key, { from, id, texts: [], missing: new Set(peers), timer })
      for (const peer of peers) peer.send({ _tag: "RequestMetrics", id: key })
      if (peers.length === 0) finish(key)
    },
    add: (peer, id, text) => {
      if (open.get(id)?.missing.has(peer) !== true) return
      open.get(id)!.texts.push(text)
      settle(id, peer)
    },
    remove: (peer) => {
      for (const key of [...open.keys()]) settle(key, peer)
    },
  }
}
