/**
 * Responds to each GET with a page of a wallet's transactions and to each POST with a block of 150 transactions: `node server.ts` prints
 * its port.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inputs } from "../codecs/Inputs.ts"
import { blocks } from "../rpc/Blocks.ts"

/** In the form of hosted providers: `null` for empty values. No row creates a contract, because moralis rejects those. */
const page = inputs.page
  .replaceAll(':""', ":null")
  .replaceAll('"to_address":null', `"to_address":"0x${"1".repeat(40)}"`)

interface Call {
  readonly id: number
}

const answerOne = ({ id }: Call): string => `{"jsonrpc":"2.0","id":${id},"result":${blocks.hydrated}}`

const answer = (body: Call | ReadonlyArray<Call>): string =>
  Array.isArray(body) ? `[${body.map(answerOne).join()}]` : answerOne(body as Call)

const server = createServer((request, reply) => {
  let text = ""
  request.setEncoding("utf8").on("data", (part: string) => (text += part))
  request.on("end", () => {
    const response = request.method === "POST" ? answer(JSON.parse(text) as Call | ReadonlyArray<Call>) : page
    reply.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(response) })
    reply.end(response)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
