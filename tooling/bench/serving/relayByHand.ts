/**
 * A handwritten relay with node:http and undici, without keys, limits, a list of methods or validation: it parses the body for its id,
 * forwards the call and returns the node's text. `node relayByHand.ts <url>` prints its port. An upper bound for a relay on Node.js.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Pool } from "undici"

const [url = ""] = process.argv.slice(2)
const { origin, pathname } = new URL(url)
const pool = new Pool(origin)
let lastId = 0

const server = createServer((message, response) => {
  const chunks: Array<Buffer> = []
  message.on("data", (chunk: Buffer) => chunks.push(chunk))
  message.on("end", async () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString("utf8"))
    const upstreamId = ++lastId
    const upstream = await pool.request({
      path: pathname,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: upstreamId, method, params }),
    })
    const text = await upstream.body.text()
    const result = text.slice(text.indexOf('"result":'))
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${result}`)
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length }).end(bytes)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
