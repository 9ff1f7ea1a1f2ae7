/** Sends HTTP requests over kept-alive connections and measures their latency. */
import { Agent, request } from "node:http"
import type { OutgoingHttpHeaders } from "node:http"
import * as Figures from "../Figures.ts"

/** A request that is sent repeatedly. A body makes it a POST. */
export interface LoadRequest {
  readonly url: URL
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

/** Requests per second, latency quantiles in milliseconds, and bytes of a body as sent. */
export interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly count: number
  readonly bytes: number
}

/** Sends one request and returns its body. A status other than 200 and 304 is an error. */
const exchange = (agent: Agent, { body, headers = {}, url }: LoadRequest): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { hostname, pathname, port, search } = url
    const method = body === undefined ? "GET" : "POST"
    const sent = request({ agent, hostname, port, path: `${pathname}${search}`, method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const bytes = Buffer.concat(chunks)
        const text = () => bytes.toString("utf8").slice(0, 200)
        if (response.statusCode === 200 || response.statusCode === 304) resolve(bytes)
        else reject(new Error(`Unexpected status: ${response.statusCode}. The body begins with ${text()}`))
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

/** Sends one request and returns its body as text. */
export const send = async (agent: Agent, request: LoadRequest): Promise<string> =>
  (await exchange(agent, request)).toString("utf8")

/** Whether some milliseconds have passed since this call. */
export const hasElapsed = (millis: number): (() => boolean) => {
  const until = performance.now() + millis
  return () => performance.now() > until
}

const toLoad = (latencies: ReadonlyArray<number>, millis: number, bytes: number): Load => ({
  bytes: bytes / latencies.length,
  perSecond: (latencies.length / millis) * 1000,
  p50: Figures.quantile(latencies, 0.5),
  p99: Figures.quantile(latencies, 0.99),
  count: latencies.length,
})

/** Closed loop: as many requests as the server takes with `concurrency` in flight, until `isOver`. */
export const saturate = async (
  requests: ReadonlyArray<LoadRequest>,
  concurrency: number,
  isOver: () => boolean,
): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const latencies: Array<number> = []
  const startedAt = performance.now()
  let [next, bytes] = [0, 0]
  const worker = async () => {
    while (!isOver()) {
      const sentAt = performance.now()
      const { length } = await exchange(agent, requests[next++ % requests.length]!)
      // Not in one expression with the wait: the sum of another worker would be lost.
      bytes += length
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const load = toLoad(latencies, performance.now() - startedAt, bytes)
  agent.destroy()
  return load
}

/** Open loop: requests at a constant rate until `isOver`, even while earlier ones wait. Latency includes time in the queue. */
export const atRate = async (
  requests: ReadonlyArray<LoadRequest>,
  perSecond: number,
  isOver: () => boolean,
): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const latencies: Array<number> = []
  const inFlight = new Set<Promise<void>>()
  const startedAt = performance.now()
  let bytes = 0
  for (let count = 0; !isOver(); count++) {
    const due = startedAt + (count / perSecond) * 1000
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const sending = exchange(agent, requests[count % requests.length]!).then(({ length }) => {
      bytes += length
      latencies.push(performance.now() - due)
      inFlight.delete(sending)
    })
    inFlight.add(sending)
  }
  await Promise.all(inFlight)
  const load = toLoad(latencies, performance.now() - startedAt, bytes)
  agent.destroy()
  return load
}

/** Adds the figures of a load. */
export const addLoad = (figures: Figures.Figures, subject: string, load: Load): void => {
  figures.add(subject, "requests/s", load.perSecond)
  figures.add(subject, "p50 ms", load.p50)
  figures.add(subject, "p99 ms", load.p99)
}
