/** A service with a TLS certificate and two embedded chains, and clients that read its pages continuously. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import { Anvil, Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { freePort } from "@daybook/harness/FreePort"
import { daybook } from "../cluster/Cluster.ts"
import * as Member from "../cluster/Member.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

/** How the service runs. */
export interface Kind {
  readonly processes: number
  readonly database: "SQLite" | "PostgreSQL"
}

/** A response, with the fingerprint of the server certificate. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  readonly fingerprint: string
}

const clients = 4
const withinMillis = 60_000

/** Sends a request, on a separate connection if no agent is given. */
export const get = (url: string, headers: Record<string, string>, agent?: Agent): Promise<Response> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: agent ?? new Agent({ keepAlive: false }), rejectUnauthorized: false })
    sent.on("response", (message) => {
      // Sound: the connection uses TLS.
      const { fingerprint256 } = (message.socket as TLSSocket).getPeerCertificate()
      let text = ""
      message.on("data", (chunk: Buffer) => (text += chunk.toString()))
      message.on("error", reject)
      message.on("end", () =>
        resolve({ status: message.statusCode ?? 0, headers: message.headers, text, fingerprint: fingerprint256 }),
      )
    })
    sent.on("error", reject)
    sent.end()
  })

/** Responses that the clients received. */
export interface Traffic {
  requests: number
  readonly failures: Array<string>
}

/** Reads pages continuously until the scope ends; half of the clients keep their connections. */
const traffic = Effect.fnUntraced(function* (url: string, key: string) {
  const seen: Traffic = { requests: 0, failures: [] }
  let isEnding = false
  const loop = async (at: number) => {
    const agent = new Agent({ keepAlive: at % 2 === 0, maxSockets: 1 })
    while (!isEnding) {
      seen.requests++
      await get(url, { "x-api-key": key }, agent).then(
        ({ status }) => void (status === 200 || seen.failures.push(String(status))),
        (cause: Error) => void seen.failures.push(cause.message),
      )
    }
    agent.destroy()
  }
  const loops = Promise.all(Array.from({ length: clients }, (_, at) => loop(at)))
  const end = Effect.promise(async () => {
    isEnding = true
    await loops
    return seen
  })
  yield* Effect.addFinalizer(() => end)
  return end
})

const indexed = Effect.fnUntraced(function* (chainId: number) {
  const node = yield* Anvil.make({ chainId })
  const [from = "", to = ""] = node.accounts
  for (let block = 0; block < 10; block++) {
    yield* Head.transfer(node, { from, to, valueWei: 1n })
    yield* Head.mine(node)
  }
  return { url: node.url, wallet: from.toLowerCase() }
})

const postgres = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => EmbeddedServer.start()),
    ({ stop }) => Effect.promise(stop),
  ),
  ({ url }) => url,
)

/** Starts the service, and waits until its chain is indexed. */
export const start = Effect.fnUntraced(function* ({ database, processes }: Kind) {
  const base = yield* temporaryFolder
  const [eth, other] = yield* Effect.all([indexed(1), indexed(8453)])
  const [port, unused] = yield* Effect.promise(() => Promise.all([freePort(), freePort()]))
  const file = join(base, "daybook.json")
  const log = join(base, "log")
  const chain = (url: string, more: object = {}) => ({ rpc: [url], pollMillis: 200, ...more })
  const first = {
    listen: { host: "127.0.0.1", port },
    database: database === "SQLite" ? "sqlite:data" : yield* postgres,
    tls: { cert: "cert.pem", key: "key.pem" },
    rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
    chains: { eth: chain(eth.url) },
  }
  const write = (text: string) => writeFileSync(file, text)
  const renew = (name: string) =>
    execFileSync(
      "/usr/bin/openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
        "-subj",
        `/CN=${name}`,
        "-keyout",
        join(base, "key.pem"),
        "-out",
        join(base, "cert.pem"),
      ],
      { stdio: "ignore" },
    )
  renew("first")
  write(JSON.stringify(first))
  const command = (...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [daybook, ...args, "--config", file], { encoding: "utf8" }).stdout.trim()
  const key = command("keys", "add", "usual")
  const service = yield* Member.running({
    name: "service",
    file: process.execPath,
    log,
    args: [daybook, "serve", "--processes", String(processes), "--config", file],
  })
  const url = `https://127.0.0.1:${port}`
  const logged = () => (existsSync(log) ? readFileSync(log, "utf8") : "")
  const until = (what: string, condition: Effect.Effect<boolean>) =>
    Eventually.untilEffect(condition, { withinMillis, everyMillis: 20, what })
  const isSynced = (name: string) =>
    Effect.promise(() =>
      get(`${url}/ready?chain=${name}`, {}).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
  yield* until("the chain is indexed", isSynced("eth"))
  const page = `${url}/api/v2.2/${eth.wallet}/verbose?limit=5`
  return {
    base,
    chain,
    command,
    eth,
    first,
    isSynced,
    key,
    logged,
    other,
    page,
    renew,
    service,
    unused,
    until,
    url,
    write,
    traffic: traffic(page, key),
  }
})
