/**
 * The metrics of `/metrics`: the status of each chain, which its indexer reports through the database, and counters of this process.
 *
 * Metrics of the JSON-RPC client are omitted, because their labels contain the hosts of nodes, and the path needs no API key.
 *
 * Source: decision 0032.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import type { StateCounts, Webhooks } from "../../store/Webhooks.ts"
import type { Member } from "../cluster/Member.ts"
import type { DiskUse, IndexerCounts } from "../../store/StatusBoard.ts"
import * as MetricsText from "./MetricsText.ts"
import * as ProcessMetrics from "./ProcessMetrics.ts"
import * as Status from "./Status.ts"

type Registry = typeof Metric.MetricRegistry.Service

/** Counters of this process, and of the other processes that serve the same port. */
export class Metrics extends Context.Service<
  Metrics,
  {
    readonly registry: Registry
    /** Metrics of the other processes, as text. */
    readonly others: Effect.Effect<ReadonlyArray<string>>
  }
>()("@daybook/service/server/Metrics") {}

/** An empty registry, whose metrics a cluster member reports to the others. */
export const empty = (member: Pick<Member, "report" | "otherMetrics"> | undefined): Metrics["Service"] => {
  const registry: Registry = new Map()
  member?.report(() => format({ registry }, []))
  return { registry, others: member?.otherMetrics ?? Effect.succeed([]) }
}

/** The same as a layer. */
export const layer = (member: Pick<Member, "report" | "otherMetrics"> | undefined): Layer.Layer<Metrics> =>
  Layer.sync(Metrics, () => empty(member))

/** A context that updates metrics in a registry. */
export const contextOf = ({ registry }: { readonly registry: Registry }): Context.Context<never> =>
  Context.make(Metric.MetricRegistry, registry)

interface StatusGauge {
  readonly gauge: Metric.Gauge<number>
  /** `null` if it is unknown, in which case the chain has no sample. */
  readonly value: (status: Status.Status) => number | null
}

const statusGauge = (name: string, description: string, value: StatusGauge["value"]): StatusGauge => ({
  gauge: Metric.gauge(name, { description }),
  value,
})

const statusGauges: ReadonlyArray<StatusGauge> = [
  statusGauge("daybook_ready", "1 while the index follows the head of its node, otherwise 0.", ({ ready }) =>
    Number(ready),
  ),
  statusGauge("daybook_indexed_from_block", "First indexed block.", ({ indexed }) => indexed?.from ?? null),
  statusGauge("daybook_indexed_to_block", "Last indexed block.", ({ indexed }) => indexed?.to ?? null),
  statusGauge(
    "daybook_indexed_timestamp_seconds",
    "Time of the last indexed block, in seconds since 1970.",
    ({ indexedTimestamp }) => indexedTimestamp ?? null,
  ),
  statusGauge("daybook_finalized_block", "Last indexed block that is final.", ({ finalized }) => finalized),
  statusGauge("daybook_node_head_block", "Head of the node as last seen.", ({ head }) => head),
  statusGauge("daybook_node_head_age_seconds", "Time since that head was seen, in seconds.", ({ headAgeMillis }) =>
    headAgeMillis === undefined ? null : headAgeMillis / 1000,
  ),
  statusGauge(
    "daybook_lag_blocks",
    "Blocks between the head of the node and the last indexed block.",
    ({ lag }) => lag,
  ),
  statusGauge(
    "daybook_blocks_per_second",
    "Blocks stored per second (moving average).",
    ({ blocksPerSecond = 0, head }) => (head === null ? null : blocksPerSecond),
  ),
  statusGauge(
    "daybook_blocks_without_ledgers",
    "Stored blocks whose ledgers of wallets are not derived yet.",
    ({ blocksWithoutLedgers = 0, indexed }) => (indexed === null ? null : blocksWithoutLedgers),
  ),
  statusGauge(
    "daybook_eta_seconds",
    "Estimated time until the index reaches the head of the node, in seconds.",
    ({ etaMillis }) => (etaMillis === undefined ? null : etaMillis / 1000),
  ),
  statusGauge(
    "daybook_prepend_blocks",
    "Blocks below the first indexed one that are still to be indexed.",
    ({ indexed, prepend }) => (indexed === null ? null : (prepend?.blocks ?? 0)),
  ),
  statusGauge(
    "daybook_prepend_eta_seconds",
    "Estimated time until the blocks below the first indexed one are indexed, in seconds.",
    ({ prepend }) => (prepend?.etaMillis === undefined ? null : prepend.etaMillis / 1000),
  ),
]

const gapsGauge = Metric.gauge("daybook_gaps", {
  description: "Gaps in the stored blocks, by kind: trace, receipt or check.",
})

const indexerCounter = (name: string, description: string, value: (counts: IndexerCounts) => number) => ({
  counter: Metric.counter(name, { description, incremental: true }),
  value,
})

/** Counters of an indexer since its start, which reset with it. */
const indexerCounters = [
  indexerCounter("daybook_indexed_blocks_total", "Blocks that the indexer stored.", ({ blocks }) => blocks),
  indexerCounter(
    "daybook_indexed_transactions_total",
    "Transactions that the indexer stored.",
    (counts) => counts.transactions,
  ),
  indexerCounter("daybook_reorgs_total", "Reorgs whose blocks the indexer removed.", ({ reorgs }) => reorgs),
  indexerCounter(
    "daybook_indexer_obstacles_total",
    "Times that the indexer could not continue.",
    ({ obstacles }) => obstacles,
  ),
]

const webhooksGauge = Metric.gauge("daybook_webhooks", { description: "Webhooks by state: active, failing or paused." })

const storeGauges = {
  data: Metric.gauge("daybook_store_bytes", {
    description: "Bytes of the index on disk, without its write-ahead log.",
  }),
  log: Metric.gauge("daybook_store_log_bytes", {
    description: "Bytes of the write-ahead log of the index; absent if chains share one.",
  }),
}

/** Disk usage of a chain's index. */
export interface StoreBytes extends DiskUse {
  readonly chain: string
}

/** Formats the metrics of a registry, and of some statuses and stores, in the text format of Prometheus. */
export const format = (
  metrics: { readonly registry: Registry },
  statuses: ReadonlyArray<Status.Status>,
  stores: ReadonlyArray<StoreBytes> = [],
  webhooks: StateCounts | null = null,
): string => {
  // A copy, because a sample that is unknown at the next request must be gone by then.
  const context = contextOf({ registry: new Map(metrics.registry) })
  ProcessMetrics.update(context)
  for (const status of statuses) {
    for (const { gauge, value } of statusGauges) {
      const known = value(status)
      if (known !== null) Metric.withAttributes(gauge, { chain: status.chain }).updateUnsafe(known, context)
    }
    for (const { counter, value } of status.counts === undefined ? [] : indexerCounters) {
      Metric.withAttributes(counter, { chain: status.chain }).updateUnsafe(value(status.counts!), context)
    }
    for (const [kind, gaps] of Object.entries(status.gaps ?? {})) {
      Metric.withAttributes(gapsGauge, { chain: status.chain, kind }).updateUnsafe(gaps, context)
    }
  }
  for (const { chain, data, log } of stores) {
    Metric.withAttributes(storeGauges.data, { chain }).updateUnsafe(data, context)
    if (log !== null) Metric.withAttributes(storeGauges.log, { chain }).updateUnsafe(log, context)
  }
  for (const [state, count] of Object.entries(webhooks ?? {})) {
    Metric.withAttributes(webhooksGauge, { state }).updateUnsafe(count, context)
  }
  return PrometheusMetrics.formatUnsafe(context)
}

/** Disk usage of a chain; none if there is no index, or it cannot be read. */
const storeBytes = ({ diskUse, name }: IndexedChain): Effect.Effect<ReadonlyArray<StoreBytes>> =>
  Effect.map(
    Effect.orElseSucceed(diskUse, () => null),
    (use) => (use === null ? [] : [{ chain: name, ...use }]),
  )

const allAtOnce = { concurrency: "unbounded" } as const

const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Sources of the metrics. */
interface Sources {
  readonly chains: ReadonlyArray<IndexedChain>
  readonly isIndexing: boolean
  /** The webhooks; `null` if none are sent. */
  readonly webhooks: Pick<Webhooks, "counts"> | null
}

/** Time limit for the database, in milliseconds: Prometheus allows 10 seconds for a scrape, and considers a process without metrics down. */
const readMillis = 5_000

/**
 * Result of a read if it completes in time, otherwise a substitute. A read is not interrupted, since that would wait for the database. The
 * next scrape waits for the same read, and starts another once it has ended, so that reads of a hanging database do not pile up.
 */
const within = <A>(read: Effect.Effect<A>, late: A): Effect.Effect<A> => {
  let reading: Fiber.Fiber<A> | undefined
  return Effect.gen(function* () {
    if (reading === undefined || reading.pollUnsafe() !== undefined) reading = yield* Effect.forkDetach(read)
    return yield* Effect.timeoutOrElse(Fiber.join(reading), {
      duration: readMillis,
      orElse: () => Effect.succeed(late),
    })
  })
}

/** Makes the handler of `/metrics`, whose scrapes share their reads. */
export const make = (
  metrics: Metrics["Service"],
  { chains, isIndexing, webhooks }: Sources,
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const statuses = chains.map((chain) => within(Status.read(chain, { isIndexing }), Status.unanswered(chain)))
  const stores = chains.map((chain) => within(storeBytes(chain), []))
  const storedCounts = Effect.orElseSucceed(webhooks?.counts ?? Effect.succeed(null), () => null)
  const reads = [
    Effect.all(statuses, allAtOnce),
    Effect.all(stores, allAtOnce),
    within(storedCounts, null),
    metrics.others,
  ] as const
  return Effect.map(Effect.all(reads, allAtOnce), ([statusOfEach, bytesOfEach, counts, others]) => {
    const text = MetricsText.sum([format(metrics, statusOfEach, bytesOfEach.flat(), counts), ...others])
    return HttpServerResponse.text(text, { contentType })
  })
}
