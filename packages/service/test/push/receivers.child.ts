/** Receivers of the movements of a wallet, in a child process: each reports the arrival of the first movement of a block. */
import * as LocalServer from "@daybook/harness/LocalServer"
import type { WalletEvent } from "@daybook/schema/WalletEvent"
import { Receiver } from "./Receiver.ts"

/** Kinds of delivery. */
export const ways = ["server-sent events", "WebSocket", "webhook", "polling each second"] as const

/** Arrival of a movement of a block at a receiver. */
export interface Arrival {
  readonly way: (typeof ways)[number]
  readonly block: number
  /** Microseconds of the monotonic clock, which all processes of a machine share. */
  readonly atMicros: number
}

export interface Options {
  readonly url: string
  readonly key: string
  readonly chain: string
  readonly wallet: string
}

/** Monotonic time that all processes of a machine share, in microseconds. */
export const micros = (): number => Number(process.hrtime.bigint() / 1_000n)

const pollMillis = 1_000

const report = (way: Arrival["way"], block: unknown) => {
  const arrival: Arrival = { way, block: Number(block), atMicros: micros() }
  process.send!(arrival)
}

const listen = async ({ chain, key, url, wallet }: Options): Promise<void> => {
  const query = `chain=${chain}&from=now&types=wallet.movement`
  const receiver = new Receiver(`${url}/api/v2.2/${wallet}/events?${query}`, key)
  const refused = await receiver.listen((event: WalletEvent) => {
    if (event.type === "wallet.movement") report("server-sent events", event.data.movement.block_number)
    return false
  })
  throw new Error(`The stream ended: ${JSON.stringify(refused)}`)
}

const subscribe = ({ chain, key, url, wallet }: Options): void => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/rpc/${chain}/${key}`)
  const params = ["daybook_movements", { address: wallet, from: "now" }]
  socket.addEventListener("open", () =>
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params })),
  )
  socket.addEventListener("message", ({ data }) => {
    const { error, params: notification } = JSON.parse(String(data))
    if (error !== undefined || notification?.error !== undefined) throw new Error(`The subscription ended: ${data}`)
    const { data: event } = notification?.result ?? {}
    if (event?.movement !== undefined) report("WebSocket", event.movement.block_number)
  })
}

const post = async (options: Options): Promise<void> => {
  const { chain, key, url, wallet } = options
  const hook = await LocalServer.start(({ body }, response) => {
    response.writeHead(204).end()
    for (const { data } of JSON.parse(body).data.events) {
      if (data.movement !== undefined) report("webhook", data.movement.block_number)
    }
  })
  const body = JSON.stringify({ url: hook.url, chain, addresses: [wallet], types: ["wallet.movement"] })
  const headers = { "x-api-key": key }
  const created = await fetch(`${url}/api/v2.2/webhooks`, { method: "POST", headers, body })
  if (!created.ok) throw new Error(`The webhook is rejected: ${await created.text()}`)
}

const poll = async ({ chain, key, url, wallet }: Options): Promise<void> => {
  const seen = new Set<string>()
  const turn = async () => {
    const page = `${url}/api/v2.2/${wallet}/movements?chain=${chain}&limit=100`
    const response = await fetch(page, { headers: { "x-api-key": key } })
    if (!response.ok) throw new Error(`The page is rejected: ${await response.text()}`)
    const { result } = (await response.json()) as { result: ReadonlyArray<{ readonly block_number: string }> }
    for (const { block_number: block } of result) {
      if (seen.has(block)) continue
      seen.add(block)
      report("polling each second", block)
    }
  }
  await turn()
  setInterval(() => void turn(), pollMillis)
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  // Sound: the process is started with these options.
  const options = JSON.parse(process.argv[2]!) as Options
  subscribe(options)
  await Promise.all([post(options), poll(options), listen(options)])
}
