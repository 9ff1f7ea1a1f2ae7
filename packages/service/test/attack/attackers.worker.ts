/**
 * Clients of API keys that attack a service, in a thread of lower priority, because they have their own machines in production. They
 * delay neither the service nor the thread that measures it.
 */
import { constants, getPriority, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import * as Client from "./Client.ts"
import * as Operations from "./Operations.ts"

/** Requests of one operation with several keys. */
export interface Flood {
  readonly name: string
  readonly url: string
  readonly keys: ReadonlyArray<string>
  /** Concurrent requests per key. */
  readonly open: number
  readonly millis: number
}

/** Responses to the keys. */
export interface Received {
  /** Number of responses by status. */
  readonly counted: string
  readonly faults: ReadonlyArray<string>
}

/** Sends requests with each key for a time, with a limited concurrency. */
const flood = async ({ keys, millis, name, open, url }: Flood): Promise<ReadonlyArray<Client.Response>> => {
  const request = Operations.all[name]!
  const ends = performance.now() + millis
  const collected: Array<Client.Response> = []
  let at = 0
  const loop = async (key: string) => {
    while (performance.now() < ends) {
      const response = await request({ url }, key, at++)
      collected.push(response)
      // A rate-limited client waits briefly. Etherscan's API reports a rate limit with the status 200.
      if (response.status === 429 || response.text.includes("rate limit")) await Client.sleep(100)
    }
  }
  await Promise.all(keys.flatMap((key) => Array.from({ length: open }, async () => await loop(key))))
  return collected
}

/** Responses that attribute a failure to the service or its nodes. Status 503 with the name of a reached limit is not one. */
const blames = (name: string, collected: ReadonlyArray<Client.Response>): ReadonlyArray<string> =>
  collected
    .filter(({ status }) => status >= 500 && status !== 503)
    .slice(0, 2)
    .map(({ status, text }) => `${name}: status ${status}: ${text.slice(0, 120)}`)

// On Linux this sets the priority of this thread only.
setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + constants.priority.PRIORITY_BELOW_NORMAL))
const port = parentPort!
port.on("message", (message: Flood) => {
  void flood(message).then((responses) => {
    const received: Received = {
      counted: Client.tally(responses.map(({ status }) => status)),
      faults: blames(message.name, responses),
    }
    port.postMessage(received)
  })
})
port.postMessage("ready")
