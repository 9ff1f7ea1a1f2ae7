/**
 * Clients of keys that attack a service. They have machines of their own elsewhere, so this thread has a lower priority: it delays neither the
 * service nor the thread that measures it.
 */
import { constants, getPriority, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import * as Client from "./Client.ts"
import * as Operations from "./Operations.ts"

/** Requests of an operation by keys. */
export interface Flood {
  /** Name of the operation. */
  readonly name: string
  readonly url: string
  readonly keys: ReadonlyArray<string>
  /** Concurrent requests of each key. */
  readonly open: number
  readonly millis: number
}

/** What the keys received. */
export interface Received {
  /** Responses by their statuses. */
  readonly counted: string
  readonly faults: ReadonlyArray<string>
}

/** Sends requests with each key, with a number of them concurrent, for some time. */
const flood = async ({ keys, millis, name, open, url }: Flood): Promise<ReadonlyArray<Client.Response>> => {
  const ask = Operations.all[name]!
  const ends = performance.now() + millis
  const answers: Array<Client.Response> = []
  let at = 0
  const loop = async (key: string) => {
    while (performance.now() < ends) {
      const answer = await ask({ url }, key, at++)
      answers.push(answer)
      // A client that is refused waits a little, as any does. Etherscan's dialect refuses with the status 200.
      if (answer.status === 429 || answer.text.includes("rate limit")) await Client.sleep(100)
    }
  }
  await Promise.all(keys.flatMap((key) => Array.from({ length: open }, async () => await loop(key))))
  return answers
}

/** Responses that blame the service or its nodes: a bound that is reached is 503, and its message names it. */
const blames = (name: string, answers: ReadonlyArray<Client.Response>): ReadonlyArray<string> =>
  answers
    .filter(({ status }) => status >= 500 && status !== 503)
    .slice(0, 2)
    .map(({ status, text }) => `${name}: status ${status}: ${text.slice(0, 120)}`)

// On Linux this is the priority of only this thread.
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
