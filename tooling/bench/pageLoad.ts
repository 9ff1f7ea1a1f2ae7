/** Sends requests over connections that are kept alive, and tells how long each took. */
import { Agent, request } from "node:http"
import type { OutgoingHttpHeaders } from "node:http"

/** A request that is sent again and again. */
export interface Shot {
  readonly url: URL
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

/** What came of a load. */
export interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly count: number
}

/** One request; its body as text. */
export const once = (agent: Agent, shot: Shot): Promise<string> =>
  new Promise((resolve, reject) => {
    const { pathname, search, hostname, port } = shot.url
    const options = {
      agent,
      hostname,
      port,
      path: `${pathname}${search}`,
      method: shot.body === undefined ? "GET" : "POST",
    }
    const sent = request({ ...options, headers: shot.headers ?? {} }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8")
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`status ${response.statusCode}: ${text.slice(0, 200)}`))
      })
    })
    sent.on("error", reject)
    sent.end(shot.body)
  })

/** The middle of some numbers. */
export const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** Tells when a time is over. */
export const forMillis = (time: number) => {
  const until = performance.now() + time
  return () => performance.now() > until
}

/** Cells of a table: the medians of some rounds. */
export const cells = (loads: ReadonlyArray<Load>): string =>
  `${median(loads.map(({ perSecond }) => perSecond)).toFixed(0)}/s | ${median(loads.map(({ p50 }) => p50)).toFixed(2)} ms | ${median(loads.map(({ p99 }) => p99)).toFixed(2)} ms`

/** The median of the ratios within each round. */
export const ratio = (
  local: ReadonlyArray<Load>,
  remote: ReadonlyArray<Load>,
  part: (load: Load) => number = ({ perSecond }) => perSecond,
): string => median(local.map((load, round) => part(load) / part(remote[round]!))).toFixed(2)

const quantile = (sorted: ReadonlyArray<number>, part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0

const loadOf = (latencies: Array<number>, millis: number): Load => {
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    perSecond: (latencies.length / millis) * 1000,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    count: latencies.length,
  }
}

/** As many requests as go, `lanes` at a time, until told to stop. */
export const fill = async (shots: ReadonlyArray<Shot>, lanes: number, isOver: () => boolean): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes })
  const latencies: Array<number> = []
  const startedAt = performance.now()
  let next = 0
  const lane = async () => {
    while (!isOver()) {
      const sentAt = performance.now()
      await once(agent, shots[next++ % shots.length]!)
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const load = loadOf(latencies, performance.now() - startedAt)
  agent.destroy()
  return load
}

/** Requests at a steady rate, whether earlier ones were answered or not, until told to stop; waiting in line counts. */
export const steady = async (shots: ReadonlyArray<Shot>, perSecond: number, isOver: () => boolean): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const latencies: Array<number> = []
  const open = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let count = 0; !isOver(); count++) {
    const due = startedAt + (count / perSecond) * 1000
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const sending = once(agent, shots[count % shots.length]!).then(() => {
      latencies.push(performance.now() - due)
      open.delete(sending)
    })
    open.add(sending)
  }
  await Promise.all(open)
  const load = loadOf(latencies, performance.now() - startedAt)
  agent.destroy()
  return load
}
