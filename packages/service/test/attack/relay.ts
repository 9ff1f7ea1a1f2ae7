/** Attacks through the relay: expensive request bodies, large responses of nodes, and deep nesting. */
import type { AttackedService } from "./AttackedService.ts"
import * as Client from "./Client.ts"
import * as FakeNode from "./FakeNode.ts"
import * as LargeRows from "./LargeRows.ts"
import type { Scale, Scenario } from "./Scenario.ts"

const rateLimit = { perSecond: 1_000, burst: 100 }

const megabyte = 1024 * 1024 - 200

/** A body of about one mebibyte that repeats an item. */
const repeated = (head: string, item: string, tail: string): string =>
  `${head}${`${item},`.repeat(Math.floor(megabyte / (item.length + 1))).slice(0, -1)}${tail}`

const call = (id: number, method: string) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":[]}`

const heavyBodies = [
  repeated("[", "0", "]"),
  repeated("[", "{}", "]"),
  `{${Array.from({ length: 70_000 }, (_, at) => `"k${at}":0`).join(",")}}`,
  repeated('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[', "0", "]}"),
  `${"[".repeat(500_000)}${"]".repeat(500_000)}`,
  `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
]

const withNode = (resultOf: (method: string) => string | Buffer) => async (_scale: Scale) => {
  const node = await FakeNode.start(resultOf)
  const chains = { attack: { ...LargeRows.chains.attack, rpc: [node.url] } }
  return {
    config: { chains, rateLimit },
    role: "serve",
    prepare: async (folder: string) =>
      await LargeRows.fill(folder, { count: 2, calldataBytes: 100, logs: 1, internalBytes: 100 }),
    close: node.stop,
  }
}

/** Statuses that attribute a client error to the service or its nodes. */
const blames = (responses: ReadonlyArray<Client.Response>): ReadonlyArray<string> =>
  responses.filter(({ status }) => status >= 500).map(({ status, text }) => `status ${status}: ${text.slice(0, 120)}`)

/** Requests pages with another key, one at a time, until `isOver`. */
const healthyClient = async (attacked: AttackedService, key: string, isOver: () => boolean) => {
  const millis: Array<number> = []
  const statuses: Array<number> = []
  while (!isOver()) {
    const response = await Client.page(attacked, key, LargeRows.wallets.small)
    millis.push(response.millis)
    statuses.push(response.status)
    await Client.sleep(5)
  }
  return { millis, statuses }
}

const expensive: Scenario = {
  name: "expensive bodies next to a healthy client",
  bound: "limits.bodyValues, bodyDepth; a large body counts as several calls",
  service: withNode(() => '"0x1"'),
  run: async (attacked, scale) => {
    const [key, other] = [await attacked.key("attacker"), await attacked.key("other")]
    let isOver = false
    const healthy = healthyClient(attacked, other, () => isOver)
    const responses: Array<Client.Response> = []
    for (let round = 0; round < (scale === "full" ? 3 : 1); round++) {
      for (const body of heavyBodies) {
        responses.push(await Client.relay(attacked, key, body))
        await Client.sleep(scale === "full" ? 300 : 10)
      }
    }
    isOver = true
    const { millis, statuses } = await healthy
    const p50 = Client.percentile(millis, 0.5)
    const behaviour = `${Client.tally(responses.map(({ status }) => status))}; p50 of another key ${p50.toFixed(1)} ms`
    const slow = scale === "full" && p50 > 50 ? [`p50 of another key ${p50.toFixed(0)} ms`] : []
    const refused = statuses.some((status) => status !== 200) ? ["requests with another key are rejected"] : []
    return { behaviour, faults: [...blames(responses), ...slow, ...refused] }
  },
}

const batch: Scenario = {
  name: "batches with large responses",
  bound: "limits.batchBytes, responsesInFlight",
  service: withNode((method) => (method === "eth_gasPrice" ? JSON.stringify("a".repeat(12_000_000)) : '"0x1"')),
  run: async (attacked, scale) => {
    const key = await attacked.key("attacker")
    const calls = Array.from({ length: scale === "full" ? 49 : 5 }, (_, id) => call(id, "eth_gasPrice"))
    const responses: Array<Client.Response> = []
    for (let round = 0; round < (scale === "full" ? 3 : 1); round++) {
      responses.push(await Client.relay(attacked, key, `[${[...calls, call(99, "eth_blockNumber")].join(",")}]`))
    }
    const faults = [...blames(responses)]
    const outcomes = responses.flatMap(({ text }) =>
      (JSON.parse(text) as ReadonlyArray<{ error?: { code: number } }>).map(({ error }) => error?.code ?? "result"),
    )
    if (outcomes.filter((outcome) => outcome === "result").length < 2 * responses.length) faults.push("too few results")
    return { behaviour: `in each of ${responses.length} batches: ${Client.tally(outcomes)} in total`, faults }
  },
}

const unread: Scenario = {
  name: "large responses that are not read",
  bound: "limits.responsesInFlight, four large responses at a time",
  service: withNode((method) => (method === "eth_gasPrice" ? JSON.stringify("a".repeat(12_000_000)) : '"0x1"')),
  run: async (attacked, scale) => {
    const [key, other] = [await attacked.key("attacker"), await attacked.key("other")]
    const body = call(1, "eth_gasPrice")
    const head = `POST /rpc/attack/${key} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n`
    const count = scale === "full" ? 60 : 6
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => await Client.open(attacked, `${head}${body}`)),
    )
    const statuses: Array<number> = []
    for (let turn = 0; turn < (scale === "full" ? 30 : 5); turn++) {
      statuses.push((await Client.relay(attacked, other, call(1, "eth_blockNumber"))).status)
      await Client.sleep(200)
    }
    const large = await Client.relay(attacked, other, body)
    for (const socket of sockets) socket.destroy()
    const faults = statuses.every((status) => status === 200) ? [] : [`another key: ${Client.tally(statuses)}`]
    if (large.bytes < 12_000_000) faults.push(`another key receives ${large.text.slice(0, 200)}`)
    return { behaviour: `${count} clients do not read; another key: ${Client.tally(statuses)}`, faults }
  },
}

/** Results that are expensive to parse, by method. */
const costly = (scale: Scale): Readonly<Record<string, string>> => {
  const values = scale === "full" ? 2_000_000 : 200_000
  return {
    eth_gasPrice: `[${"1234567,".repeat(values)}0]`,
    eth_maxPriorityFeePerGas: `[${"{},".repeat(values)}0]`,
    eth_blockNumber: JSON.stringify('"'.repeat(4 * values)),
  }
}

const dense: Scenario = {
  name: "responses of 2 million values",
  bound: "responses above 256 KiB are scanned in slices and not parsed",
  service: async (scale) => {
    const results = costly(scale)
    return await withNode((method) => results[method] ?? '"0x1"')(scale)
  },
  run: async (attacked, scale) => {
    const key = await attacked.key("attacker")
    const faults: Array<string> = []
    for (const [method, result] of Object.entries(costly(scale))) {
      for (let round = 0; round < (scale === "full" ? 3 : 1); round++) {
        const { text } = await Client.relay(attacked, key, call(1, method))
        if (text !== `{"jsonrpc":"2.0","id":1,"result":${result}}`) faults.push(`${method}: ${text.slice(0, 120)}`)
        await Client.sleep(50)
      }
    }
    return { behaviour: faults.length === 0 ? "forwarded unchanged" : "a different result", faults }
  },
}

const deep: Scenario = {
  name: "200,000 levels in a node's response",
  bound: "limits.answerDepth",
  service: withNode(() => `${"[".repeat(200_000)}${"]".repeat(200_000)}`),
  run: async (attacked) => {
    const key = await attacked.key("attacker")
    const methods = ["eth_getBlockByNumber", "eth_gasPrice", "eth_getLogs"]
    const params: Readonly<Record<string, string>> = { eth_getBlockByNumber: '["0x1",true]', eth_getLogs: "[{}]" }
    const responses = await Promise.all(
      methods.map(
        async (method) => await Client.relay(attacked, key, call(1, method).replace("[]", params[method] ?? "[]")),
      ),
    )
    const codes = responses.map(
      ({ text }) => (JSON.parse(text) as { error?: { code: number } }).error?.code ?? "result",
    )
    const faults = [
      ...blames(responses),
      ...(codes.every((code) => code === -32008) ? [] : [`codes ${codes.join(", ")}`]),
    ]
    return { behaviour: Client.tally(codes), faults }
  },
}

const oversized: Scenario = {
  name: "responses of a node above the limit",
  bound: "limits.answerBytes",
  service: withNode(() => JSON.stringify("a".repeat(40_000_000))),
  run: async (attacked, scale) => {
    const key = await attacked.key("attacker")
    const count = scale === "full" ? 20 : 2
    const responses = await Promise.all(
      Array.from({ length: count }, async (_, id) => await Client.relay(attacked, key, call(id, "eth_gasPrice"))),
    )
    const codes = responses.map(
      ({ text }) => (JSON.parse(text) as { error?: { code: number } }).error?.code ?? "result",
    )
    return { behaviour: Client.tally(codes), faults: blames(responses) }
  },
}

const unfinished: Scenario = {
  name: "unfinished bodies",
  bound: "limits.bodiesInFlight, bodySeconds",
  service: withNode(() => '"0x1"'),
  run: async (attacked, scale) => {
    const [key, other] = [await attacked.key("attacker"), await attacked.key("other")]
    const count = scale === "full" ? 1_000 : 30
    const head = `POST /rpc/attack/${key} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1048576\r\n\r\n`
    const text = head + " ".repeat(1_048_000)
    const sockets = await Promise.all(Array.from({ length: count }, async () => await Client.open(attacked, text)))
    let closed = 0
    for (const socket of sockets) {
      socket.once("close", () => closed++)
      socket.resume()
    }
    const statuses: Array<number> = []
    for (let turn = 0; turn < 12; turn++) {
      statuses.push((await Client.relay(attacked, other, call(1, "eth_blockNumber"))).status)
      await Client.sleep(scale === "full" ? 1_000 : 100)
    }
    const faults = statuses.every((status) => status === 200) ? [] : [`another key: ${Client.tally(statuses)}`]
    if (scale === "full" && closed < count) faults.push(`${count - closed} bodies are open after 12 s`)
    for (const socket of sockets) socket.destroy()
    return { behaviour: `${count} incomplete bodies of 1 MiB: ${closed} closed within 12 s`, faults }
  },
}

export const scenarios: ReadonlyArray<Scenario> = [expensive, unfinished, batch, unread, oversized, dense, deep]
