/** Asks `/health` again and again from a thread of its own, so that a busy attacker does not delay the measurement. */
import * as http from "node:http"
import * as https from "node:https"
import { parentPort, workerData } from "node:worker_threads"

const { url, everyMillis } = workerData as { readonly url: string; readonly everyMillis: number }
const isTls = url.startsWith("https:")
const settings = { keepAlive: true, maxSockets: 1 }
// The certificate of an attacked service is its own.
const agent = isTls ? new https.Agent({ ...settings, rejectUnauthorized: false }) : new http.Agent(settings)
const { get } = isTls ? https : http
let millis: Array<number> = []
let failures: Array<string> = []
let isOver = false

const ask = () => {
  const startedAt = performance.now()
  const next = () => {
    if (isOver) agent.destroy()
    else setTimeout(ask, everyMillis)
  }
  const request = get(`${url}/health`, { agent, timeout: 30_000 }, (response) => {
    if (response.statusCode !== 200) failures.push(`status ${response.statusCode}`)
    response.resume().on("end", () => {
      millis.push(performance.now() - startedAt)
      next()
    })
  })
  request.on("timeout", () => request.destroy(new Error("no answer in 30 s")))
  request.on("error", (error) => {
    failures.push(error.message)
    next()
  })
}

parentPort!.on("message", (message: "read" | "end") => {
  if (message === "end") isOver = true
  parentPort!.postMessage({ millis, failures })
  millis = []
  failures = []
  if (isOver) parentPort!.close()
})

ask()
