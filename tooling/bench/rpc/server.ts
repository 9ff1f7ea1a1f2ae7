/** Serves one block to every client from its own process: `node server.ts` prints its port. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { blocks } from "./Blocks.ts"

interface Call {
  readonly id: number
  readonly params: readonly [string, boolean]
}

const respond = ({ id, params }: Call): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${params[1] ? blocks.hydrated : blocks.hashes}}`

const server = createServer((request, reply) => {
  let text = ""
  request.setEncoding("utf8").on("data", (part: string) => (text += part))
  request.on("end", () => {
    const body = JSON.parse(text) as Call | ReadonlyArray<Call>
    const response = Array.isArray(body) ? `[${body.map(respond).join(",")}]` : respond(body as Call)
    reply.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(response) })
    reply.end(response)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
