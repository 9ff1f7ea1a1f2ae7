/** A hostile node against `@daybook/rpc`: its responses must neither consume excessive time or memory nor be returned as values. */
import { spawn } from "node:child_process"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { gzipSync } from "node:zlib"
import * as Client from "./Client.ts"
import type { Ended } from "./rpcClient.child.ts"
import type { Scenario } from "./Scenario.ts"

const key = "CANARY0123456789abcdef"
const json = { "content-type": "application/json" }

interface Received {
  readonly response: ServerResponse
  readonly socket: Socket
  readonly ids: ReadonlyArray<unknown>
  readonly url: string
}

type Attack = (received: Received) => void

const send = (
  { response }: Received,
  text: string | Buffer,
  headers: Record<string, string | ReadonlyArray<string>> = {},
  status = 200,
) => void response.writeHead(status, { ...json, ...headers } as Record<string, string>).end(text)

const result =
  (text: string): Attack =>
  (received) =>
    send(received, `{"jsonrpc":"2.0","id":${JSON.stringify(received.ids[0])},"result":${text}}`)

const error =
  (text: string): Attack =>
  (received) =>
    send(received, `{"jsonrpc":"2.0","id":${JSON.stringify(received.ids[0])},"error":${text}}`)

/** Writes a text repeatedly until the client disconnects. */
const endless =
  (text: string): Attack =>
  ({ response }) => {
    response.writeHead(200, json)
    const more = () => {
      while (!response.destroyed && response.write(text));
      if (!response.destroyed) response.once("drain", more)
    }
    more()
  }

const drippingBody: Attack = ({ response }) => {
  response.writeHead(200, json).write("[")
  const timer = setInterval(() => response.write(" "), 50)
  response.on("close", () => clearInterval(timer))
}

const raw =
  (text: string): Attack =>
  ({ socket }) =>
    void socket.end(text)

const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
let bomb: Buffer | undefined

/** Items of a batch with changed ids. */
const batch =
  (change: (ids: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Attack =>
  (received) =>
    send(received, JSON.stringify(change(received.ids).map((id) => ({ jsonrpc: "2.0", id, result: "0x1" }))))

const attacks: Readonly<Record<string, Attack>> = {
  "gzip bomb of 300 MB": (received) => {
    bomb ??= gzipSync(Buffer.alloc(300 * 1024 * 1024, " "), { level: 9 })
    send(received, bomb, { "content-encoding": "gzip" })
  },
  "200 codings": (received) =>
    send(received, "{}", { "content-encoding": Array.from({ length: 200 }, () => "gzip").join(", ") }),
  "endless body": endless("[0,".repeat(10_000)),
  "endless spaces": endless(" ".repeat(65_536)),
  "dripping body": drippingBody,
  "200,000 levels": (received) => send(received, deep),
  "200,000 levels in the result": result(deep),
  "8 M digits": result("1".repeat(8_000_000)),
  "a quantity of 8 M digits": result(`"0x${"1".repeat(8_000_000)}"`),
  "1e1000000000": result("1e1000000000"),
  "__proto__ in the result": result('{"__proto__":{"isAdmin":true}}'),
  "__proto__ in an error": error(
    '{"code":1,"message":"m","data":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}',
  ),
  "redirect to another host": (received) => send(received, "", { location: `http://127.0.0.2:9${received.url}` }, 307),
  "error of 5 MB with the key": (received) =>
    error(JSON.stringify({ code: 3, message: `${received.url} `.repeat(60_000), data: received.url }))(received),
  "escapes in an error": error(
    '{"code":3,"message":"\\u001b]8;;http://evil\\u0007\\u202e\\u0085\\u2028\\r\\nfalse line"}',
  ),
  "status 101": raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
  "2,000 early hints": raw(
    `${"HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n".repeat(2_000)}HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n`,
  ),
  "a header of 1 MB": raw(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(1_000_000)}\r\ncontent-length: 2\r\n\r\n{}`),
  "not HTTP": raw("SSH-2.0-OpenSSH\r\n"),
  "a wrong content length": raw(`HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"jsonrpc"`),
  "a wait of 31 years": (received) => send(received, "{}", { "retry-after": "999999999" }, 429),
  "a wait without a unit": (received) => send(received, "{}", { "retry-after": "1e308" }, 503),
  "result and error": (received) =>
    send(
      received,
      `{"jsonrpc":"2.0","id":${JSON.stringify(received.ids[0])},"result":"0x1","error":{"code":1,"message":"m"}}`,
    ),
  "another id": (received) => send(received, '{"jsonrpc":"2.0","id":"other","result":"0x1"}'),
  "no text": (received) => send(received, Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x80])),
  "UTF-16": (received) => send(received, Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}', "utf16le")),
  "empty body": (received) => send(received, ""),
  "a negative quantity": result('"-0x1"'),
  "logs: 2 M entries": (received) => result(`[${"0,".repeat(2_000_000)}0]`)(received),
  "logs: 500,000 empty ones": (received) => result(`[${"{},".repeat(500_000)}{}]`)(received),
  "block: 1 M unknown fields": (received) =>
    result(`{${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":0`).join(",")}}`)(received),
  "block: without fields": result("{}"),
  "batch: one reply for all": batch((ids) => ids.map(() => ids[0])),
  "batch: none": batch(() => []),
  "batch: 200,000 more": batch((ids) => [...ids, ...Array.from({ length: 200_000 }, (_, at) => `more-${at}`)]),
  "batch: each twice": batch((ids) => [...ids, ...ids]),
}

const idsOf = (body: string): ReadonlyArray<unknown> => {
  const parsed = JSON.parse(body) as { readonly id: unknown } | ReadonlyArray<{ readonly id: unknown }>
  return [parsed].flat().map(({ id }) => id)
}

/** Longest time of a call with a deadline of 5 s, with a tolerance for a busy machine, in milliseconds. */
const maxMillis = 15_000
const maxMebibytes = 700
const maxCharacters = 20_000

const startServer = async () => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    response.on("error", () => {})
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const url = request.url ?? ""
      const attack = attacks[decodeURIComponent(url.split("/")[1] ?? "")]
      attack?.({ response, socket: request.socket, ids: idsOf(Buffer.concat(chunks).toString()), url })
    })
  })
  server.on("clientError", (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Hostile responses to the RPC client. */
export const scenario: Scenario = {
  name: "hostile responses to the RPC client",
  bound: "maxBytes, timeout, maxItems of the client",
  run: async () => {
    const { server, url } = await startServer()
    const input = JSON.stringify({ attacks: Object.keys(attacks), key, url })
    const child = spawn(process.execPath, [new URL("./rpcClient.child.ts", import.meta.url).pathname, input], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let out = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
    server.closeAllConnections()
    server.close()
    if (out === "") return { behaviour: `ended with ${code}`, faults: [`the process of the client ended with ${code}`] }
    const { ended, isClean } = JSON.parse(out) as { readonly ended: ReadonlyArray<Ended>; readonly isClean: boolean }
    const faults = ended.flatMap(({ attack, longest, millis, outcome, showsKey }) => [
      ...(outcome === "value" ? [`${attack}: returned as a value`] : []),
      ...(outcome.startsWith("defect") ? [`${attack}: ${outcome}`] : []),
      ...(millis > maxMillis ? [`${attack}: ${Math.round(millis)} ms`] : []),
      ...(showsKey ? [`${attack}: contains the key`] : []),
      ...(longest > maxCharacters ? [`${attack}: an error of ${longest} characters`] : []),
    ])
    const peak = Math.max(...ended.map(({ mebibytes }) => mebibytes))
    if (peak > maxMebibytes) faults.push(`memory of ${Math.round(peak)} MiB`)
    if (!isClean) faults.push("a prototype was changed")
    const tags = Client.tally(ended.map(({ outcome }) => outcome))
    return { behaviour: `${ended.length} responses: ${tags}; peak ${Math.round(peak)} MiB`, faults }
  },
}
