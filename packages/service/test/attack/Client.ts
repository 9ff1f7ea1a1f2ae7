/** A client for attacks: plain requests on kept-alive connections, and raw sockets. */
import { Agent, request } from "node:http"
import { Agent as TlsAgent, request as requestTls } from "node:https"
import { connect, type Socket } from "node:net"

/** A service that receives requests. */
export interface Target {
  readonly url: string
}

/** A response with its complete body. */
export interface Response {
  readonly status: number
  readonly bytes: number
  readonly text: string
  readonly millis: number
}

/** Connections of all attacks. */
export const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })

/** Connections to a service with a self-signed certificate. */
const tlsAgent = new TlsAgent({ keepAlive: true, rejectUnauthorized: false })

/** Sends a request and reads the response. */
export const send = async (
  url: string,
  options: {
    readonly method?: string
    readonly headers?: Record<string, string>
    readonly body?: string | Buffer
  } = {},
): Promise<Response> =>
  await new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const { body, headers = {}, method = "GET" } = options
    const isTls = url.startsWith("https:")
    const begin = isTls ? requestTls : request
    const sent = begin(url, { agent: isTls ? tlsAgent : agent, method, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const all = Buffer.concat(chunks)
        resolve({
          status: response.statusCode!,
          bytes: all.length,
          text: all.toString(),
          millis: performance.now() - startedAt,
        })
      })
    })
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The service may close an idle connection at the moment in which it is reused.
      if (sent.reusedSocket && error.code === "ECONNRESET") send(url, options).then(resolve, reject)
      else reject(error)
    })
    sent.end(body)
  })

/** Requests the page of a wallet. */
export const page = async ({ url }: Target, key: string, wallet: string, query = ""): Promise<Response> =>
  await send(`${url}/api/v2.2/${wallet}/verbose?chain=attack${query}`, { headers: { "x-api-key": key } })

/** Sends a body to the relay. */
export const relay = async ({ url }: Target, key: string, body: string | Buffer): Promise<Response> =>
  await send(`${url}/rpc/attack/${key}`, { method: "POST", body, headers: { "content-type": "application/json" } })

/** Opens a connection and writes a text to it; never reads the response. */
export const open = async ({ url }: Target, text: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  await new Promise((resolve) => socket.once("connect", resolve))
  socket.pause()
  socket.write(text)
  return socket
}

export const sleep = async (millis: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, millis))

/** Counts equal values, formatted as in `200 x 50`. */
export const tally = (values: ReadonlyArray<string | number>): string => {
  const counts = new Map<string | number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${value} x ${count}`).join(", ")
}

/** The smallest value that this share of the values does not exceed. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Infinity
