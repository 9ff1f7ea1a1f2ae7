/** Attacks by receivers of webhooks: receivers that do not respond, send an endless response or redirect, next to healthy receivers. */
import { readFileSync } from "node:fs"
import { createServer, type AddressInfo, type Socket } from "node:net"
import { Head } from "@daybook/chain"
import { LocalServer } from "@daybook/harness"
import * as AttackedChain from "./AttackedChain.ts"
import type { AttackedService } from "./AttackedService.ts"
import * as Client from "./Client.ts"
import type { Scenario } from "./Scenario.ts"

const sizes = {
  full: { blocks: 50, hostile: 8, others: 10 },
  small: { blocks: 5, hostile: 1, others: 2 },
} as const

/** Limits of the memory that hostile receivers may cause, in MiB, and of the factor by which the latency of the others may grow. */
const [maxGrowthMebibytes, maxSlowdown] = [150, 3]

/** Mean time between two blocks, in milliseconds. */
const blockMillis = 200

/** Sends a text repeatedly, as fast as it is read, until the connection is closed. */
const flood = (socket: Socket, head: string, text: string): void => {
  const unit = text.repeat(64)
  const writeMore = () => {
    while (!socket.destroyed && socket.write(unit));
  }
  socket.on("drain", writeMore)
  socket.write(head)
  writeMore()
}

const drip = (socket: Socket, text: string): void => {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), 1_000)
  socket.once("close", () => clearInterval(timer))
}

const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n"
const ok = "HTTP/1.1 200 OK\r\n"
const yearSeconds = 31_536_000

/** Behaviour of each receiver after the first received bytes; `elsewhere` is a URL that must not be requested. */
const hostile: Readonly<Record<string, (socket: Socket, elsewhere: string) => void>> = {
  "never reads": (socket) => socket.pause(),
  "never responds": () => {},
  "one byte a second": (socket) => drip(socket, ok),
  "endless headers": (socket) => flood(socket, ok, `x-padding: ${"a".repeat(500)}\r\n`),
  "an endless header": (socket) => flood(socket, `${ok}x-padding: `, "a".repeat(500)),
  "an endless body": (socket) => flood(socket, "HTTP/1.1 500 Error\r\n\r\n", "a".repeat(500)),
  "endless early hints": (socket) => flood(socket, hint, hint),
  "endless responses of 100": (socket) => flood(socket, "", "HTTP/1.1 100 Continue\r\n\r\n"),
  "a redirect to loopback": (socket, elsewhere) =>
    socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${elsewhere}\r\ncontent-length: 0\r\n\r\n`),
  "an upgrade": (socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
  "an end within a header": (socket) => socket.end(`${ok}content-le`),
  "429 for a year": (socket) =>
    socket.end(`HTTP/1.1 429 Too Many Requests\r\nretry-after: ${yearSeconds}\r\ncontent-length: 0\r\n\r\n`),
}

interface HostileReceiver {
  readonly name: string
  readonly url: string
  /** Number of accepted connections. */
  readonly count: () => number
  readonly stop: () => void
}

const startHostile = async (name: string, elsewhere: string): Promise<HostileReceiver> => {
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((socket) => {
    count++
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
    if (name === "never reads") return
    socket.once("data", () => hostile[name]!(socket, elsewhere))
    socket.on("data", () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // Sound: the server listens on a port.
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { name, url: `http://127.0.0.1:${port}/`, count: () => count, stop }
}

const addWebhook = async ({ url }: AttackedService, key: string, wallet: string, settings: object): Promise<void> => {
  const body = JSON.stringify({ chain: "attack", addresses: [wallet], types: ["wallet.transaction"], ...settings })
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const { status, text } = await Client.send(`${url}/api/v2.2/webhooks`, { method: "POST", headers, body })
  if (status !== 200 && status !== 201) throw new Error(`The webhook is rejected: ${status} ${text}`)
}

/** Starts receivers that respond immediately, and records when each received a block. */
const startOthers = async (count: number) => {
  const arrivals = Array.from({ length: count }, () => new Map<number, number>())
  const servers = await Promise.all(
    arrivals.map((arrivalTimes) =>
      LocalServer.start(({ atMillis, body }, response) => {
        response.writeHead(204).end()
        for (const { data } of JSON.parse(body).data.events) {
          const block = Number(data.transaction?.block_number ?? -1)
          if (block >= 0 && !arrivalTimes.has(block)) arrivalTimes.set(block, atMillis)
        }
      }),
    ),
  )
  return { arrivals, servers }
}

/** Mines blocks with one transfer each; returns the delay to each receiver in milliseconds, and the number of missing deliveries. */
const mine = async (
  { node, run }: AttackedChain.AttackedChain,
  arrivals: ReadonlyArray<Map<number, number>>,
  count: number,
) => {
  const [from, to] = node.accounts as [string, string]
  const minedAt = new Map<number, number>()
  for (let at = 0; at < count; at++) {
    const startedAt = performance.now()
    await run(Head.transfer(node, { from, to, valueWei: 1n }))
    const { number } = await run(Head.mine(node))
    minedAt.set(number, performance.now())
    // The interval varies, so that blocks and polls are not in phase.
    const millis = blockMillis * (0.5 + ((at * 7) % 11) / 10)
    await Client.sleep(Math.max(0, millis - (performance.now() - startedAt)))
  }
  const isWhole = () => arrivals.every((arrivalTimes) => [...minedAt.keys()].every((block) => arrivalTimes.has(block)))
  for (let turn = 0; turn < 200 && !isWhole(); turn++) await Client.sleep(50)
  const millis = arrivals.flatMap((arrivalTimes) =>
    [...minedAt].flatMap(([block, at]) =>
      arrivalTimes.has(block) ? [Math.max(0, arrivalTimes.get(block)! - at)] : [],
    ),
  )
  return { millis, missing: count * arrivals.length - millis.length }
}

const peakMebibytes = ({ pid }: AttackedService): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

let chain: AttackedChain.AttackedChain | undefined

export const scenario: Scenario = {
  name: "receivers of webhooks that never read, never complete a response or redirect",
  bound: "20 s, 16 KB of headers and ten informational responses per attempt; one attempt at a time per webhook",
  service: async () => {
    chain = await AttackedChain.start()
    const [from, to] = chain.node.accounts as [string, string]
    await chain.run(Head.transfer(chain.node, { from, to, valueWei: 1n }))
    await chain.run(Head.mine(chain.node))
    const attack = { id: 31_337, rpc: [chain.url], pollMillis: 50 }
    return {
      config: {
        chains: { attack },
        rateLimit: { perSecond: 10_000, burst: 10_000 },
        webhooks: { allowPrivate: true, perKey: 1_000 },
        limits: { drainSeconds: 1 },
      },
      role: "all",
      close: chain.close,
    }
  },
  run: async (attacked, scale) => {
    const { blocks, hostile: perKind, others } = sizes[scale]
    const [key, attacker] = [await attacked.key("owner"), await attacked.key("attacker")]
    // Sound: the node has ten accounts.
    const wallet = chain!.node.accounts[1] as string
    await AttackedChain.indexed(attacked.url, 1, 60)
    let calls = 0
    const elsewhere = await LocalServer.start((_request, response) => {
      calls++
      response.writeHead(204).end()
    })
    const { arrivals, servers } = await startOthers(others)
    const receivers = await Promise.all(
      Object.keys(hostile).map(async (name) => await startHostile(name, elsewhere.url)),
    )
    try {
      for (const { url } of servers) await addWebhook(attacked, key, wallet, { url })
      await mine(chain!, arrivals, Math.ceil(blocks / 3))
      const before = await mine(chain!, arrivals, blocks)
      const quietMebibytes = peakMebibytes(attacked)
      for (const { url } of receivers) {
        for (let at = 0; at < perKind; at++) await addWebhook(attacked, attacker, wallet, { url, from: 0 })
      }
      const during = await mine(chain!, arrivals, blocks)
      const grown = peakMebibytes(attacked) - quietMebibytes
      const [p99Before, p99] = [before, during].map(({ millis }) => Client.percentile(millis, 0.99)) as [number, number]
      const year = receivers.find(({ name }) => name === "429 for a year")!
      const faults = [
        ...receivers.filter(({ count }) => count() === 0).map(({ name }) => `${name}: nothing was sent`),
        ...(year.count() > perKind ? [`429 for a year: ${year.count()} attempts of ${perKind} webhooks`] : []),
        ...(calls > 0 ? [`a redirect was followed ${calls} times`] : []),
        ...(before.missing + during.missing > 0 ? [`${before.missing + during.missing} blocks did not arrive`] : []),
        ...(grown > maxGrowthMebibytes ? [`memory grew by ${Math.round(grown)} MiB`] : []),
        ...(scale === "full" && p99 > maxSlowdown * p99Before
          ? [`p99 of other receivers ${Math.round(p99)} ms, ${Math.round(p99Before)} ms without the attack`]
          : []),
      ]
      const attempts = receivers.reduce((sum, { count }) => sum + count(), 0)
      const latency = `${Math.round(p99)} ms, ${Math.round(p99Before)} ms before`
      const behaviour = `${attempts} attempts for ${perKind * receivers.length} hostile webhooks; p99 of ${others} others ${latency}; ${Math.round(grown)} MiB more`
      return { behaviour, faults }
    } finally {
      for (const { stop } of receivers) stop()
      await Promise.all([elsewhere, ...servers].map(async ({ stop }) => await stop()))
    }
  },
}
