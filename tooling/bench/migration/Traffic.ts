/** Pages that are requested at a constant rate whatever becomes of them: the status of each response, and the latency of those answered. */
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import * as Figures from "../Figures.ts"
import type { LoadRequest } from "../serving/LoadGenerator.ts"

/** What was received so far. */
export interface Received {
  /** Responses by status; `0` counts requests without a response. */
  readonly statuses: ReadonlyMap<number, number>
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The body of the first response that is no page. */
  readonly firstFailure: string | null
}

export interface Traffic {
  /** What was received since the last call. */
  readonly take: () => Received
  /** Ends after the requests in flight. */
  readonly stop: () => Promise<void>
}

interface Response {
  readonly status: number
  readonly text: string
}

const send = (agent: Agent, { headers = {}, url }: LoadRequest): Promise<Response> =>
  new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: 0, text: error.message })
    const { hostname, pathname, port, search } = url
    const sent = request({ agent, hostname, port, path: `${pathname}${search}`, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", failed)
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      )
    })
    sent.on("error", failed)
    sent.end()
  })

/** Starts sending; latency includes the time that a request waits for its turn. */
export const start = (requestAt: (count: number) => LoadRequest, perSecond: number): Traffic => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  let statuses = new Map<number, number>()
  let latencies: Array<number> = []
  let firstFailure: string | null = null
  let isStopped = false
  const inFlight = new Set<Promise<void>>()
  const startedAt = performance.now()

  const sendAt = async (count: number, due: number): Promise<void> => {
    const { status, text } = await send(agent, requestAt(count))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 200) latencies.push(performance.now() - due)
    else firstFailure ??= `${status} ${text.slice(0, 300)}`
  }
  const loop = async (): Promise<void> => {
    for (let count = 0; !isStopped; count++) {
      const due = startedAt + (count / perSecond) * 1000
      const wait = due - performance.now()
      if (wait > 0) await sleep(wait)
      const sending = sendAt(count, due).finally(() => inFlight.delete(sending))
      inFlight.add(sending)
    }
    await Promise.all(inFlight)
  }
  const running = loop()
  return {
    take: () => {
      const received = {
        statuses,
        p50: Figures.quantile(latencies, 0.5),
        p99: Figures.quantile(latencies, 0.99),
        max: Figures.quantile(latencies, 1),
        firstFailure,
      }
      statuses = new Map()
      latencies = []
      firstFailure = null
      return received
    },
    stop: async () => {
      isStopped = true
      await running
      agent.destroy()
    },
  }
}
