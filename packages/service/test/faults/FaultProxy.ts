/** A proxy of a real node with the failures of nodes in production: temporary outages, failures of single methods, and slow responses. */
import { FaultyServer } from "@daybook/harness"

/** A call in a request. */
export interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

type Item = Readonly<Record<string, unknown>>

/** Effect of the proxy on requests. */
export interface Fault {
  /** Response that replaces the one of the node. */
  readonly response?: FaultyServer.Response
  /** Reply to a call that replaces the one of the node; `undefined` forwards the call. */
  readonly reply?: (call: Call) => Item | undefined
  /** Delay before a request is forwarded, in milliseconds. */
  readonly latencyMillis?: number
  /** Delay for each block with transactions, one block at a time, in milliseconds. */
  readonly blockMillis?: number
}

export interface FaultProxy {
  readonly url: string
  readonly become: (fault: Fault) => void
  /** Number of calls received so far. */
  readonly calls: () => number
  readonly stop: () => Promise<void>
}

const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

const isHydratedBlock = ({ method, params }: Call): boolean => method === "eth_getBlockByNumber" && params[1] === true

const post = async (url: string, body: string): Promise<string> => {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
  return response.text()
}

/** Starts a proxy in front of the node at a URL. */
export const start = async (upstream: string): Promise<FaultProxy> => {
  let fault: Fault = {}
  let calls = 0
  let queue = Promise.resolve()

  const respond = async ({ body }: FaultyServer.Request): Promise<FaultyServer.Response> => {
    const { blockMillis = 0, latencyMillis = 0, reply = () => undefined, response } = fault
    const parsed: unknown = JSON.parse(body)
    // Sound: the indexer sends only JSON-RPC.
    const requested = [parsed].flat() as ReadonlyArray<Call>
    calls += requested.length
    if (latencyMillis > 0) await sleep(latencyMillis)
    if (response !== undefined) return response
    const busyMillis = blockMillis * requested.filter(isHydratedBlock).length
    if (busyMillis > 0) await (queue = queue.then(() => sleep(busyMillis)))
    const text = await post(upstream, body)
    const replies = requested.map(reply)
    if (replies.every((one) => one === undefined)) return { body: text }
    const items = ([JSON.parse(text)].flat() as ReadonlyArray<Item>).map((item) => {
      const at = requested.findIndex(({ id }) => id === item["id"])
      const other = replies[at]
      return other === undefined ? item : { jsonrpc: "2.0", id: item["id"], ...other }
    })
    return { body: JSON.stringify(Array.isArray(parsed) ? items : items[0]) }
  }

  const server = await FaultyServer.start(respond)
  return {
    url: server.url,
    become: (next) => {
      fault = next
    },
    calls: () => calls,
    stop: server.stop,
  }
}
