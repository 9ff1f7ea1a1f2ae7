/** Loaded into an attacked service beside its own code: reports the delay of its event loop to the parent process. */
import { monitorEventLoopDelay } from "node:perf_hooks"

const histogram = monitorEventLoopDelay({ resolution: 5 })
histogram.enable()

process.on("message", () => {
  process.send?.({ maxMillis: histogram.max / 1e6, p99Millis: histogram.percentile(99) / 1e6 })
  histogram.reset()
})
// The channel must not keep the service running.
process.channel?.unref()
