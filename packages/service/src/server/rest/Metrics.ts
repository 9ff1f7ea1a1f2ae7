/**
 * `GET /metrics`: how each chain's index stands, and what the relay's cache does, as numbers over time, in the text form of
 * Prometheus. What is told of an index is what its indexer wrote into the store, so it is the same in every process that serves;
 * the cache is this process's own.
 *
 * Source: Prometheus, text-based format 0.0.4.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Counts, RelayCache } from "../relay/RelayCache.ts"
import * as Status from "./Status.ts"
import type { IndexedChain } from "./WalletTransactions.ts"

interface Gauge {
  readonly name: string
  readonly help: string
  /** `null` while it is not known: the chain then has no line. */
  readonly of: (status: Status.Status) => number | null
}

const gauges: ReadonlyArray<Gauge> = [
  {
    name: "daybook_ready",
    help: "1 when the index follows its node's head, 0 when it does not, for whatever reason.",
    of: ({ ready }) => Number(ready),
  },
  { name: "daybook_indexed_from_block", help: "First indexed block.", of: ({ indexed }) => indexed?.from ?? null },
  { name: "daybook_indexed_to_block", help: "Last indexed block.", of: ({ indexed }) => indexed?.to ?? null },
  { name: "daybook_finalized_block", help: "Last indexed block that is final.", of: ({ finalized }) => finalized },
  { name: "daybook_node_head_block", help: "Newest block of the node.", of: ({ head }) => head },
  { name: "daybook_lag_blocks", help: "Blocks that the node has and the index has not.", of: ({ lag }) => lag },
  {
    name: "daybook_blocks_per_second",
    help: "Blocks stored per second of late.",
    of: ({ blocksPerSecond = 0, head }) => (head === null ? null : blocksPerSecond),
  },
  {
    name: "daybook_eta_seconds",
    help: "Time until the node's head is reached at this speed.",
    of: ({ etaMillis }) => (etaMillis === undefined ? null : etaMillis / 1000),
  },
]

/** A label's value. Source: Prometheus, text-based format. */
const escaped = (text: string): string => text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")

/** The text of some chains' numbers. */
export const text = (statuses: ReadonlyArray<Status.Status>): string =>
  gauges
    .flatMap(({ help, name, of }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...statuses.flatMap((status) => {
        const value = of(status)
        return value === null ? [] : [`${name}{chain="${escaped(status.chain)}"} ${value}`]
      }),
    ])
    .join("\n")
    .concat("\n")

/** The text of the cache's numbers. */
export const cacheText = (cache: Pick<RelayCache, "counts" | "size">): string => {
  const counter = (name: string, help: string, of: (counts: Counts) => number) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} counter`,
    ...cache.counts().map((counts) => `${name}{chain="${escaped(counts.chain)}"} ${of(counts)}`),
  ]
  return [
    ...counter("daybook_relay_cache_hits_total", "Relayed calls answered from memory.", ({ hits }) => hits),
    ...counter(
      "daybook_relay_cache_misses_total",
      "Relayed calls that a node answered although their answer may be kept.",
      ({ misses }) => misses,
    ),
    "# HELP daybook_relay_cache_bytes Memory that kept answers take.",
    "# TYPE daybook_relay_cache_bytes gauge",
    `daybook_relay_cache_bytes ${cache.size()}`,
    "",
  ].join("\n")
}

const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Makes the handler of `GET /metrics`. */
export const make = (
  chains: ReadonlyArray<IndexedChain>,
  cache: RelayCache,
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Effect.forEach(chains, Status.of), (statuses) =>
    HttpServerResponse.text(`${text(statuses)}${cacheText(cache)}`, { contentType }),
  )
