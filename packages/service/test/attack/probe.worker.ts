/** Requests URLs repeatedly, one at a time, in a separate thread, so that a busy attacker does not delay the measurement. */
import * as http from "node:http"
import * as https from "node:https"
import { parentPort, workerData } from "node:worker_threads"

const { everyMillis, headers, urls } = workerData as {
  readonly urls: ReadonlyArray<string>
  readonly headers: Record<string, string>
  readonly everyMillis: number
}
const isTls = urls[0]!.startsWith("https:")
const settings = { keepAlive: true, maxSockets: 1 }
// The certificate of an attacked service is self-signed.
const agent = isTls ? new https.Agent({ ...settings, rejectUnauthorized: false }) : new http.Agent(settings)
const { get } = isTls ? https : http
let millis: Array<number> = []
let failures: Array<string> = []
let requestCount = 0
let isAsking = false
/** Handles the data received while a request is open. */
let reply: (() => void) | undefined
let next = setTimeout(() => undefined)

/** Requests a URL. An idle connection may be closed while it is reused; the request is then retried once, as other clients do. */
const sendRequest = (url = urls[requestCount++ % urls.length]!, startedAt = performance.now()) => {
  isAsking = true
  const end = () => {
    isAsking = false
    next = setTimeout(sendRequest, everyMillis)
    reply?.()
    reply = undefined
  }
  const request = get(url, { agent, headers, timeout: 30_000 }, (response) => {
    if (response.statusCode !== 200) failures.push(`status ${response.statusCode}`)
    response.resume().on("end", () => {
      millis.push(performance.now() - startedAt)
      end()
    })
  })
  request.on("timeout", () => request.destroy(new Error("no response within 30 s")))
  request.on("error", (error: NodeJS.ErrnoException) => {
    if (request.reusedSocket && error.code === "ECONNRESET") return sendRequest(url, startedAt)
    failures.push(error.message)
    end()
  })
}

parentPort!.on("message", (message: "read" | "end") => {
  const send = () => {
    parentPort!.postMessage({ millis, failures })
    millis = []
    failures = []
    if (message === "read") return
    clearTimeout(next)
    agent.destroy()
    parentPort!.close()
  }
  if (isAsking) reply = send
  else send()
})

sendRequest()
