/**
 * Resource usage of a process, with the names used by Prometheus's own clients. Values of several processes are summed, so those without a
 * meaningful sum, such as start times, are omitted.
 */
import { readFileSync } from "node:fs"
import { performance } from "node:perf_hooks"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../../supervision/MonotonicClock.ts"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
)

/** Version of this package. */
export const { version } = manifest

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const metrics = {
  processes: Metric.gauge("daybook_build_info", {
    description: "Processes, by the version of this package.",
    attributes: { version },
  }),
  cpu: counter("process_cpu_seconds_total", "CPU time of the process."),
  memory: Metric.gauge("process_resident_memory_bytes", { description: "Memory of the process." }),
  heap: Metric.gauge("nodejs_heap_size_used_bytes", { description: "Memory of the objects of the main thread." }),
  external: Metric.gauge("nodejs_external_memory_bytes", { description: "Memory of the process outside its heaps." }),
  eventLoop: counter("nodejs_eventloop_active_seconds_total", "Time that the event loop was busy."),
}

const delay = Metric.histogram("nodejs_eventloop_delay_seconds", {
  description: "Delay of a timer of the main thread.",
  boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
})

/** Interval between measurements of the delay. */
const delayMillis = 200

/** Measures the delay of the event loop until the scope ends. */
export const observeEventLoop = (context: Context.Context<never>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.map(MonotonicClock.reader, (now) => {
        let expected = now() + delayMillis
        return setInterval(() => {
          const firedAt = now()
          delay.updateUnsafe(Math.max(0, firedAt - expected) / 1000, context)
          expected = firedAt + delayMillis
        }, delayMillis).unref()
      }),
      (timer) => Effect.sync(() => clearInterval(timer)),
    ),
  )

/** Sets the others in the registry of a context that has none of them yet. */
export const update = (context: Context.Context<never>): void => {
  const { system, user } = process.cpuUsage()
  metrics.processes.updateUnsafe(1, context)
  metrics.cpu.updateUnsafe((user + system) / 1e6, context)
  const { external, heapUsed, rss } = process.memoryUsage()
  metrics.memory.updateUnsafe(rss, context)
  metrics.heap.updateUnsafe(heapUsed, context)
  metrics.external.updateUnsafe(external, context)
  metrics.eventLoop.updateUnsafe(performance.eventLoopUtilization().active / 1000, context)
}
