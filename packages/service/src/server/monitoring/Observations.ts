/**
 * Metrics of a process about its requests, calls to nodes, the database and its indexers. Labels have few values: routes instead of paths,
 * a node's position in the configuration instead of its host, only the names of the first keys, and states of wallets instead of wallets.
 *
 * Source: decision 0032.
 */
import * as Metric from "effect/Metric"
import * as Metrics from "./Metrics.ts"

/** A response to count. */
export interface HandledRequest {
  readonly method: string
  /** Path pattern of the route; `undefined` if no route matches. */
  readonly route: string | undefined
  readonly status: number
  readonly seconds: number
}

/** A node's answer to the relay, or its failure. */
export interface NodeCall {
  readonly chain: string
  /** Position of the node in the configuration of the chain. */
  readonly node: number
  /** `success`, or the name of an error. */
  readonly outcome: string
  readonly seconds: number
}

/** A request of an indexer to a node. */
export interface NodeRequest extends NodeCall {}

/** Number of a chain's watched wallets in each state of their proof. */
export interface WalletStates {
  readonly states: Readonly<Record<string, number>>
  /** Lowest block up to which a compared wallet is proved; `null` if none was compared. */
  readonly oldestProvedBlock: number | null
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Methods with their own label value. */
const methods: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"])
/** Maximum number of keys with their own label value; the others share one. */
const maxKeys = 100

/** Values of labels. */
type Attributes = Readonly<Record<string, string>>

/**
 * Makes the series of a metric with some labels. Each is a separate metric, because a shared one would recompute its key whenever the
 * labels change.
 */
type MakeSeries<State> = (attributes: Attributes) => Metric.Metric<number, State>

const counter =
  (name: string, description: string): MakeSeries<Metric.CounterState<number>> =>
  (attributes) =>
    Metric.counter(name, { description, attributes, incremental: true })
const gauge =
  (name: string, description: string): MakeSeries<Metric.GaugeState<number>> =>
  (attributes) =>
    Metric.gauge(name, { description, attributes })
const histogram =
  (name: string, description: string, boundaries: ReadonlyArray<number> = seconds): MakeSeries<Metric.HistogramState> =>
  (attributes) =>
    Metric.histogram(name, { description, attributes, boundaries })
/** Most operations of a database take less than a request. */
const databaseSeconds = [0.0001, 0.0005, ...seconds]

const metrics = {
  requests: counter("daybook_http_requests_total", "Requests that were answered, by method, route and status."),
  durations: histogram("daybook_http_request_duration_seconds", "Time until a request was answered, by route."),
  refusals: counter("daybook_rate_limited_total", "Requests beyond the rate limit of their key, by the key's name."),
  calls: counter("daybook_upstream_requests_total", "Calls of the relay to nodes, by chain, node and outcome."),
  callDurations: histogram("daybook_upstream_request_duration_seconds", "Time until a node answered, by chain."),
  nodeRequests: counter("daybook_node_requests_total", "Requests of indexers to nodes, by chain, node and outcome."),
  nodeDurations: histogram("daybook_node_request_duration_seconds", "Time until a node responded to an indexer."),
  operations: histogram(
    "daybook_database_duration_seconds",
    "Time of an operation of the database, such as page or append.",
    databaseSeconds,
  ),
  attempts: counter("daybook_webhook_attempts_total", "Attempts to send a message of a webhook, by their result."),
  wallets: gauge("daybook_watched_wallets", "Watched wallets, by the state of their proof."),
  provedBlock: gauge(
    "daybook_watched_oldest_proved_block",
    "Lowest block up to which a watched wallet is proved; -1 if one has never been proved.",
  ),
}

/** Counts in the registry of a process. */
export const make = (process: Metrics.Metrics["Service"]) => {
  const context = Metrics.contextOf(process)
  /** Updates a metric with the values of some labels; each combination is made once. */
  const updater = <State>(makeSeries: MakeSeries<State>, ...labels: ReadonlyArray<string>) => {
    const series = new Map<string, Metric.Metric<number, State>>()
    return (amount: number, ...values: ReadonlyArray<string>): void => {
      const key = values.length === 1 ? values[0]! : values.join("\n")
      let found = series.get(key)
      if (found === undefined) {
        found = makeSeries(Object.fromEntries(labels.map((label, at) => [label, values[at]!])))
        series.set(key, found)
      }
      found.updateUnsafe(amount, context)
    }
  }
  const count = {
    requests: updater(metrics.requests, "method", "route", "status"),
    durations: updater(metrics.durations, "route"),
    refusals: updater(metrics.refusals, "key"),
    calls: updater(metrics.calls, "chain", "node", "outcome"),
    callDurations: updater(metrics.callDurations, "chain", "node"),
    nodeRequests: updater(metrics.nodeRequests, "chain", "node", "outcome"),
    nodeDurations: updater(metrics.nodeDurations, "chain", "node"),
    operations: updater(metrics.operations, "operation"),
    wallets: updater(metrics.wallets, "chain", "state"),
    provedBlock: updater(metrics.provedBlock, "chain"),
    attempts: updater(metrics.attempts, "result"),
  }
  const keys = new Set<string>()
  const keyLabel = (name: string): string => {
    if (keys.size < maxKeys) keys.add(name)
    return keys.has(name) ? name : "other"
  }
  return {
    answered: ({ method: given, route = "unknown", seconds: taken, status }: HandledRequest): void => {
      const method = methods.has(given) ? given : "other"
      count.requests(1, method, route, String(status))
      count.durations(taken, route)
    },
    refused: (key: string): void => count.refusals(1, keyLabel(key)),
    called: ({ chain, node, outcome, seconds: taken }: NodeCall): void => {
      count.calls(1, chain, String(node), outcome)
      count.callDurations(taken, chain, String(node))
    },
    requested: ({ chain, node, outcome, seconds: taken }: NodeRequest): void => {
      count.nodeRequests(1, chain, String(node), outcome)
      count.nodeDurations(taken, chain, String(node))
    },
    attempted: (result: string): void => count.attempts(1, result),
    operated: (operation: string, taken: number): void => count.operations(taken, operation),
    proved: (chain: string, { oldestProvedBlock, states }: WalletStates): void => {
      for (const [state, wallets] of Object.entries(states)) {
        count.wallets(wallets, chain, state)
      }
      if (oldestProvedBlock !== null) count.provedBlock(oldestProvedBlock, chain)
    },
  }
}

/** Counts requests and calls. */
export type Observations = ReturnType<typeof make>
