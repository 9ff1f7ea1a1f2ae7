/**
 * Changed requests to every operation: paths, parameters, headers, methods and bodies. No response may attribute a client error to the
 * service or its nodes, and neither responses nor the output of the service may contain a key.
 */
import { request } from "node:http"
import { Eventually, LocalServer } from "@daybook/harness"
import { Effect, Redacted } from "effect"
import { daybook } from "../cli/daybook.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as Rows from "../server/rows.ts"
import type { AttackedService } from "./AttackedService.ts"
import * as Client from "./Client.ts"
import * as FakeNode from "./FakeNode.ts"
import * as LongLedger from "./LongLedger.ts"
import type { Scenario } from "./Scenario.ts"

const counts = { full: 100_000, small: 300 } as const

/** Placeholder for the secret in the URL of the node and in URLs of webhooks, which only owners and operators may see. */
const canary = "CANARY0123456789"
const urlCanary = "HOOKURL9876543210"
const webhooksKey = `WEBHOOKS${"k".repeat(32)}`

/** A request to send. */
export interface ChangedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns a whole number below a limit. */
export type Next = (below: number) => number

/** A seeded generator of whole numbers. */
export const random = (seed: number): Next => {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export const pick = <A>(next: Next, values: ReadonlyArray<A>): A => values[next(values.length)]!

/** Values at or beyond the limits of some parameter. */
export const edges = [
  "",
  "0",
  "-1",
  "1e3",
  "0x",
  "0x0",
  "99999999999999999999",
  "NaN",
  "null",
  "true",
  "%00",
  "%ff",
  "%2e%2e%2f",
  "'",
  '"',
  "<",
  "[]",
  "{}",
  "0".repeat(300),
  "a".repeat(3_000),
  "%F0%9F%92%A9",
  "native",
  "attack",
  "eth",
  "DESC",
  "2026-01-01",
  "Infinity",
  "latest",
  "__proto__",
]

const names = [
  "chain",
  "limit",
  "order",
  "cursor",
  "from_block",
  "to_block",
  "from_date",
  "to_date",
  "asset",
  "kind",
  "direction",
  "scope",
  "include",
  "address",
  "call",
  "error",
  "q",
  "x",
  "constructor",
]

/** Paths of operations on webhooks; `WEBHOOK` is the placeholder for an id. */
const webhookPaths = [
  "",
  "/WEBHOOK",
  "/KEY",
  ...["pause", "resume", "test", "replay", "rotate", "addresses", "deliveries"].map((last) => `/WEBHOOK/${last}`),
].map((last) => `/api/v2.2/webhooks${last}`)

const paths = [
  `/api/v2.2/${Rows.alice}/verbose`,
  `/api/v2.2/${Rows.alice}/movements`,
  `/api/v2.2/${Rows.alice}/balances`,
  `/api/v2.2/${Rows.alice}/statement`,
  "/api/v2.2/names",
  "/api/v2.2/search",
  `/api/v2.2/contracts/${Rows.bob}`,
  "/api/v2.2/contracts/pack",
  "/api/v2.2/KEY/movements",
  ...webhookPaths,
  "/explorer.json",
  "/ready",
  "/api?module=account&action=txlist&address=ADDRESS&apikey=KEY",
  "/api?module=block&action=getblockcountdown&apikey=KEY",
  "/health",
  "/metrics",
  "/openapi.json",
  "/rpc/attack",
  "/rpc/attack/KEY",
]

/** The method for a path; mostly the one of the operation. */
const methodOf = (next: Next, path: string): string => {
  if (next(8) === 0) return pick(next, ["DELETE", "HEAD", "OPTIONS", "PATCH", "PUT", "POST"])
  if (path.startsWith("/rpc")) return "POST"
  if (path.startsWith("/api/v2.2/webhooks")) return pick(next, ["POST", "POST", "POST", "GET", "DELETE"])
  return path.includes("/contracts/pack") ? pick(next, ["PUT", "DELETE"]) : "GET"
}

/** Valid values of a parameter, so that some requests are decoded. */
const accepted: Readonly<Record<string, ReadonlyArray<string>>> = {
  limit: ["1", "7", "100"],
  order: ["ASC", "DESC"],
  from_block: ["0", "1"],
  to_block: ["1", "2"],
  from_date: ["2020-01-01"],
  asset: ["native", Rows.bob],
  kind: ["erc20", "native"],
  direction: ["in", "out"],
  scope: ["all", "direct"],
  include: ["internal_transactions"],
  address: [Rows.alice, Rows.bob],
  q: ["token", Rows.alice],
}

/** A parameter with a valid value, or with a value at a limit. */
const parameterOf = (next: Next): string => {
  const [name, values] = pick(next, Object.entries(accepted))
  return next(3) === 0 ? `${pick(next, names)}=${pick(next, edges)}` : `${name}=${pick(next, values)}`
}

const webhookBodies = [
  `{"url":"https://hooks.invalid/${urlCanary}","chain":"attack","addresses":["${Rows.alice}"],"from":0,"name":"books"}`,
  `{"url":"https://hooks.invalid/${urlCanary}","chain":"attack","addresses":["${Rows.alice}","${Rows.bob}"],"from":"now"}`,
  `{"add":["${Rows.bob}"],"from":"2026-01-01"}`,
  `{"remove":["${Rows.bob}"]}`,
  '{"from":1}',
  '{"from":"e1.4-abc.0.1.1.0123456789ab"}',
  '{"keep_seconds":60}',
]

const bodies = [
  '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x00000000000000000000000000000000000000aa","latest"]}',
  '[{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]},{"jsonrpc":"2.0","id":"b","method":"eth_gasPrice"}]',
  '{"jsonrpc":"2.0","id":null,"method":"debug_traceTransaction","params":[{}]}',
  ...webhookBodies,
  '{"name":"Vault","abi":[{"type":"function","name":"poke","inputs":[{"name":"times","type":"uint256"}],"outputs":[]}]}',
]

/** A text in which some characters are replaced, removed or doubled. */
export const change = (next: Next, text: string): string => {
  let changed = text
  for (let turn = next(4); turn > 0; turn--) {
    const at = next(changed.length + 1)
    const put = pick(next, [
      "",
      String.fromCharCode(33 + next(94)),
      changed.slice(at, at + next(20)),
      pick(next, edges),
    ])
    changed = changed.slice(0, at) + put + changed.slice(at + next(3))
  }
  return changed
}

/** Removes characters that Node does not send in a path. */
const sendable = (path: string): string => `/${path.replace(/[^!-~]/g, "").replace(/^\/*/, "")}`

const requestOf = (next: Next, keys: ReadonlyArray<string>, ids: ReadonlyArray<string>): ChangedRequest => {
  const key = pick(next, keys)
  const path = pick(next, paths).replace("KEY", key).replace("ADDRESS", Rows.alice).replace("WEBHOOK", pick(next, ids))
  const isWebhook = path.startsWith("/api/v2.2/webhooks")
  const query = Array.from({ length: isWebhook && next(4) > 0 ? 0 : next(4) }, () => parameterOf(next)).join("&")
  const isWhole = next(3) === 0
  // The API key is never changed, because a part of it is not a key. Most changed paths belong to no operation.
  const changedPath = isWhole || path.includes(key) || next(4) > 0 ? path : change(next, path)
  const method = methodOf(next, path)
  const given = isWebhook && next(8) > 0 ? webhookBodies : bodies
  const isBody = method === "POST" || method === "PUT"
  const header = pick(next, ["x-api-key", "x-api-key", "authorization"])
  const value = header === "authorization" ? `Bearer ${key}` : key
  const more = pick(next, names)
  const sent = sendable(
    `${changedPath}${changedPath.includes("?") ? "&" : "?"}${next(4) > 0 && !isWebhook ? `chain=attack&${query}` : query}`,
  )
  const headers: Record<string, string> = { [header]: value }
  if (next(4) === 0) headers[more] = pick(next, edges).replace(/[^ -~]/g, "")
  if (next(5) === 0) {
    headers["content-type"] = pick(next, ["text/plain", "application/json", "x", "application/json; charset=utf-7"])
  }
  if (next(9) === 0) headers["accept-encoding"] = pick(next, ["gzip", "br", "zstd", "*;q=0", "x"])
  if (next(9) === 0) headers["if-none-match"] = pick(next, ['"x"', "*", "W/"])
  return {
    method,
    path: sent,
    headers,
    body: isBody ? (isWhole ? pick(next, given) : change(next, pick(next, given))) : "",
  }
}

interface Received {
  readonly status: number
  readonly text: string
}

/** Sends a request; the status is 0 if the service closes the connection without a response. */
export const send = async (url: string, { body, headers, method, path }: ChangedRequest): Promise<Received> =>
  await new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const sent = request({ host: hostname, port, agent: Client.agent, method, path, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString("latin1") }),
      )
      response.on("error", (cause) => resolve({ status: 0, text: cause.message }))
    })
    sent.on("error", (cause) => resolve({ status: 0, text: cause.message }))
    sent.end(body)
  })

/** Starts a collector of spans that records what it receives. */
const startCollector = async () => {
  const received: Array<string> = []
  const server = await LocalServer.start(({ body }, response) => {
    received.push(body)
    response.end("{}")
  })
  return { ...server, received }
}

let collector: Awaited<ReturnType<typeof startCollector>> | undefined

/** Adds API keys of each kind. */
export const addKeys = async (folder: string): Promise<ReadonlyArray<string>> => {
  const program = Effect.gen(function* () {
    const { apiKeys } = yield* Engine.fromUrl("sqlite:data", folder)
    const all = [
      { name: "reader", operator: false, empty: null },
      { name: "operator", operator: true, empty: null },
      { name: "uploader", operator: false, empty: null, options: { operations: ["putContract", "removeContract"] } },
    ] as const
    return yield* Effect.forEach(all, (one) => Effect.map(apiKeys.add(one), (key) => Redacted.value(key!)))
  })
  return await Effect.runPromise(Effect.scoped(program))
}

/** Waits for spans, which the service exports periodically. */
const spans = async (): Promise<string> => {
  await Eventually.until(() => (collector?.received.length ?? 0) > 0, { what: "spans" }).catch(() => undefined)
  return collector?.received.join("\n") ?? ""
}

/** All outputs of the service by name. */
export const sinksOf = async ({ folder, output, url }: AttackedService): Promise<ReadonlyMap<string, string>> => {
  const read = async (path: string) => (await Client.send(`${url}${path}`)).text
  const status = await Effect.runPromise(daybook(folder, "status", "--json"))
  return new Map([
    ["log and access log", output()],
    ["spans", await spans()],
    ["/metrics", await read("/metrics")],
    ["/health", await read("/health")],
    ["/ready", await read("/ready")],
    ["daybook status", `${status.out}${status.err}`],
  ])
}

/** Without an indexer `/ready` responds with 503, and pages of the explorer may be absent: neither is a fault. */
const isStateOfService = ({ path }: ChangedRequest, { status, text }: Received): boolean =>
  status === 503 && (/^\/ready(\?|$)/.test(path) || text.startsWith("The explorer is not built."))

export const secrets: ReadonlyArray<string> = [canary, webhooksKey]

/** A service with secrets in its configuration that exports its spans to a collector. */
export const service = async () => {
  const node = await FakeNode.start(() => '"0x1"')
  collector = await startCollector()
  return {
    config: {
      chains: { attack: { ...LongLedger.chains.attack, rpc: [`${node.url}/${canary}`] } },
      rateLimit: { perSecond: 1e6, burst: 1e6 },
      log: { access: true },
      otlp: { url: collector.url },
      webhooks: { key: webhooksKey },
    },
    role: "serve",
    prepare: async (folder: string) => await LongLedger.fill(folder, { movements: 2_000, assets: 50 }),
    close: async () => {
      await collector?.stop()
      await node.stop()
    },
  }
}

export const scenario: Scenario = {
  name: "changed requests to every operation",
  bound: "requests are validated on receipt",
  isWithoutLimits: true,
  service,
  run: async (attacked, scale) => {
    const keys = await addKeys(attacked.folder)
    const knownSecrets = [...keys, ...secrets]
    /** Secrets of webhooks, each of which only one response may contain. */
    const shown = new Set<string>()
    const ids = ["none", "wh_0123456789abcdefghijklmn"]
    const next = random(11)
    const statuses = new Map<number, number>()
    const faults = new Map<string, string>()
    let sent = 0
    const loop = async () => {
      while (sent < counts[scale]) {
        sent++
        const one = requestOf(next, keys, ids)
        const { status, text } = await send(attacked.url, one)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const requestText = `${one.method} ${one.path.slice(0, 160)} ${one.body.slice(0, 160)}`
        const isBlame = (status >= 500 && !isStateOfService(one, { status, text })) || text.includes('"code":-32603')
        if (isBlame) faults.set(`status ${status}: ${text.slice(0, 100)}`, requestText)
        if (knownSecrets.some((secret) => text.includes(secret)))
          faults.set(`a key in a response of status ${status}`, requestText)
        for (const secret of text.match(/whsec_[\w+/=]+/g) ?? []) {
          if (shown.has(secret)) faults.set("the secret of a webhook in a second response", requestText)
          shown.add(secret)
        }
        for (const id of text.match(/(?<="id":")wh_[\w-]{24}/g) ?? []) if (ids.length < 50) ids.push(id)
      }
    }
    await Promise.all(Array.from({ length: 16 }, loop))
    for (const [name, text] of await sinksOf(attacked)) {
      if ([...knownSecrets, ...shown, urlCanary].some((secret) => text.includes(secret))) {
        faults.set(`a key or secret in ${name}`, `${text.length} characters`)
      }
      if (shown.size === 0) faults.set("no webhook was created", "so nothing was verified")
      if (text.length === 0) faults.set(`nothing in ${name}`, "so nothing was verified")
    }
    const tallied = [...statuses]
      .toSorted(([one], [other]) => one - other)
      .map(([status, count]) => `${status} x ${count}`)
    return {
      behaviour: `${sent} requests: ${tallied.join(", ")}`,
      faults: [...faults].map(([what, requestText]) => `${what} (${requestText})`),
    }
  },
}
