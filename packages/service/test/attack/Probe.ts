/** Measures the response time of a service, from a separate thread. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"

export interface Options {
  readonly urls: ReadonlyArray<string>
  readonly headers?: Record<string, string>
  readonly everyMillis: number
}

/** Measurements since the previous call of `take`. */
export interface Observations {
  readonly millis: ReadonlyArray<number>
  /** Failed requests, and responses with a status other than 200. */
  readonly failures: ReadonlyArray<string>
}

/** A thread that sends requests. */
export interface Probe {
  readonly read: () => Promise<Observations>
  readonly stop: () => Promise<void>
}

export const start = ({ everyMillis, headers = {}, urls }: Options): Probe => {
  const workerData = { urls, headers, everyMillis }
  const probe = new Worker(new URL("./probe.worker.ts", import.meta.url), { workerData })
  return {
    read: async () => {
      const [seen] = (probe.postMessage("read"), await once(probe, "message")) as [Observations]
      return seen
    },
    stop: async () => {
      probe.postMessage("end")
      await once(probe, "exit")
    },
  }
}
