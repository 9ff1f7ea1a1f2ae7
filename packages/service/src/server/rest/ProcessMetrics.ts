/**
 * What a process uses, by the names of Prometheus' own clients. Those of several processes are summed: what a sum does not mean, such as
 * the time of their start, is left out.
 */
import { readFileSync } from "node:fs"
import { performance } from "node:perf_hooks"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
)

/** Version of this package. */
export const { version } = manifest

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const metrics = {
  processes: Metric.gauge("daybook_build_info", {
    description: "Processes that serve, by the version of this package.",
    attributes: { version },
  }),
  cpu: counter("process_cpu_seconds_total", "Processor time of the process."),
  memory: Metric.gauge("process_resident_memory_bytes", { description: "Memory of the process." }),
  eventLoop: counter("nodejs_eventloop_active_seconds_total", "Time that the event loop was at work."),
}

/** Sets them in the registry of a context that has none of them yet. */
export const update = (context: Context.Context<never>): void => {
  const { system, user } = process.cpuUsage()
  metrics.processes.updateUnsafe(1, context)
  metrics.cpu.updateUnsafe((user + system) / 1e6, context)
  metrics.memory.updateUnsafe(process.memoryUsage.rss(), context)
  metrics.eventLoop.updateUnsafe(performance.eventLoopUtilization().active / 1000, context)
}
