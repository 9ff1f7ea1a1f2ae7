/**
 * Measures the cost of a block for a service with many subscriptions: event streams of one wallet each, and webhooks of many wallets. A
 * node mines blocks with a few transfers, each to a wallet that has a stream and belongs to a webhook.
 */
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { Anvil, Head } from "@daybook/chain"
import { Eventually, LocalServer } from "@daybook/harness"
import { Effect } from "effect"
import * as Latencies from "./Latencies.ts"

/** Numbers of subscriptions and of measured blocks. */
export interface Options {
  readonly streams: number
  readonly webhooks: number
  /** Wallets per webhook. */
  readonly wallets: number
  /** Number of measured blocks. */
  readonly blocks: number
  /** Transfers per block. */
  readonly transfers: number
}

export interface Cost {
  /** CPU time per block, with its transfers, in milliseconds. */
  readonly cpuMillisPerBlock: number
  /** Resident memory after the blocks, in MiB. */
  readonly mebibytes: number
  /** Number of movements that receivers got. */
  readonly received: number
}

/** Address of the wallet with an index. */
const walletOf = (at: number): string => `0x${(0xc0de0000 + at).toString(16).padStart(40, "0")}`

/** CPU time of a process in milliseconds, with the resolution of Linux of 10 ms. */
const cpuMillis = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const mebibytesOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

type Service = Effect.Success<ReturnType<typeof Latencies.serve>>

/** Counts of received items. */
const counts = () => ({ opened: 0, movements: 0, posted: 0, ended: 0 })

type Counts = ReturnType<typeof counts>

/** Opens the stream of a wallet; counts its movements until the scope ends. */
const openStream = ({ chain, key, url }: Service, wallet: string, seen: Counts) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      const path = `/api/v2.2/${wallet}/events?chain=${chain}&from=now&types=wallet.movement`
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nx-api-key: ${key}\r\n\r\n`)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => seen.ended++)
      socket.on("data", (chunk) => {
        const text = chunk.toString("latin1")
        if (text.startsWith("HTTP/1.1 200")) seen.opened++
        seen.movements += text.split("event: wallet.movement").length - 1
      })
      return socket
    }),
    (socket) => Effect.sync(() => void socket.destroy()),
  )

/** Addresses per request. */
const addedAtOnce = 1_000

const addWebhook = async ({ chain, key, url }: Service, receiver: string, addresses: ReadonlyArray<string>) => {
  const post = async (path: string, value: object): Promise<{ readonly id: string }> => {
    const body = JSON.stringify(value)
    const response = await fetch(`${url}/api/v2.2/webhooks${path}`, {
      method: "POST",
      headers: { "x-api-key": key },
      body,
    })
    if (!response.ok) throw new Error(`The webhook is rejected: ${await response.text()}`)
    // Sound: the service returns a webhook.
    return (await response.json()) as { readonly id: string }
  }
  const first = addresses.slice(0, addedAtOnce)
  const { id } = await post("", { url: receiver, chain, addresses: first, types: ["wallet.movement"] })
  for (let at = addedAtOnce; at < addresses.length; at += addedAtOnce) {
    await post(`/${id}/addresses`, { add: addresses.slice(at, at + addedAtOnce) })
  }
}

/** Address of a wallet without a subscription. */
const strangerOf = (at: number): string => `0x${(0xfeed0000 + at).toString(16).padStart(40, "0")}`

/** Number of streams that are opened concurrently. */
const openedAtOnce = 100

const subscribe = Effect.fnUntraced(function* (
  service: Service,
  { streams, wallets, webhooks }: Options,
  seen: Counts,
) {
  const hook = yield* LocalServer.scoped(() =>
    LocalServer.start(({ body }, response) => {
      // A message contains the movements of several blocks if they were indexed meanwhile.
      seen.posted += body.split('"type":"wallet.movement"').length - 1
      response.writeHead(204).end()
    }),
  )
  for (let at = 0; at < webhooks; at++) {
    const addresses = Array.from({ length: wallets }, (_, index) => walletOf(at * wallets + index))
    yield* Effect.promise(async () => await addWebhook(service, hook.url, addresses))
  }
  for (let at = 0; at < streams; at++) {
    yield* openStream(service, walletOf(at), seen)
    if ((at + 1) % openedAtOnce !== 0 && at + 1 < streams) continue
    yield* Eventually.untilEffect(
      Effect.sync(() => seen.opened + seen.ended > at),
      { withinMillis: 60_000, what: `${at + 1} streams are open` },
    )
  }
})

/** Mines blocks with transfers to subscribed wallets, and measures the service until all movements were received. */
const measureBlocks = Effect.fnUntraced(function* (
  node: Anvil.Node,
  { pid }: Service,
  { blocks, streams, transfers, webhooks }: Options,
  seen: Counts,
): Effect.fn.Return<Cost, unknown> {
  const startedAt = cpuMillis(pid)
  const before = seen.movements + seen.posted
  const expected = before + blocks * ((streams > 0 ? 1 : 0) + (webhooks > 0 ? 1 : 0))
  for (let at = 0; at < blocks; at++) {
    const to = walletOf((at * 7) % Math.max(1, streams))
    yield* Head.transfer(node, { from: node.accounts[0]!, to, valueWei: 1n })
    for (let other = 1; other < transfers; other++) {
      yield* Head.transfer(node, { from: node.accounts[0]!, to: strangerOf(at * transfers + other), valueWei: 1n })
    }
    yield* Head.mine(node)
    yield* Effect.sleep(1_000)
  }
  yield* Effect.ignore(
    Eventually.untilEffect(
      Effect.sync(() => seen.movements + seen.posted >= expected),
      { withinMillis: 30_000, what: "receivers have all movements" },
    ),
  )
  const cpuMillisPerBlock = (cpuMillis(pid) - startedAt) / blocks
  return { cpuMillisPerBlock, mebibytes: mebibytesOf(pid), received: seen.movements + seen.posted - before }
})

/** Measures a service with these subscriptions. The first blocks compile its code and are not measured. */
export const measure = Effect.fnUntraced(function* (options: Options) {
  const { blocks, streams, wallets, webhooks } = options
  const node = yield* Anvil.make()
  yield* Head.mine(node, 3)
  const limits = { connections: 30_000, connectionsPerAddress: 30_000, eventStreams: 20_000, drainSeconds: 1 }
  const config = {
    limits,
    rateLimit: { perSecond: 100_000, burst: 100_000 },
    webhooks: {
      allowPrivate: true,
      perKey: 10_000,
      total: 10_000,
      addressesPerKey: 1_000_000,
      addressesPerWebhook: 1_000_000,
    },
  }
  const service = yield* Latencies.serve({ node, watch: undefined, pollMillis: undefined, config })
  const seen = counts()
  yield* subscribe(service, options, seen)
  if (seen.opened < streams) return yield* Effect.die(new Error(`${seen.opened} of ${streams} streams were opened.`))
  yield* measureBlocks(node, service, { ...options, blocks: Math.ceil(blocks / 2) }, seen)
  const cost = yield* measureBlocks(node, service, options, seen)
  return { streams, webhooks, wallets: webhooks * wallets, ended: seen.ended, ...cost }
})
