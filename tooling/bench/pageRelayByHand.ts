/**
 * A relay as one would write it by hand with node:http and undici, without keys, limits, methods or checks: the body is parsed for
 * its id, sent on, and the node's text goes back. `node pageRelayByHand.ts <url>`; prints its port. What a relay on Node can reach.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Pool } from "undici"

const [url = ""] = process.argv.slice(2)
const { origin, pathname } = new URL(url)
const pool = new Pool(origin)
let last = 0

const server = createServer((message, response) => {
  const parts: Array<Buffer> = []
  message.on("data", (part: Buffer) => parts.push(part))
  message.on("end", async () => {
    const { id, method, params } = JSON.parse(Buffer.concat(parts).toString("utf8"))
    const sent = ++last
    const answer = await pool.request({
      path: pathname,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: sent, method, params }),
    })
    const text = await answer.body.text()
    const result = text.slice(text.indexOf('"result":'))
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${result}`)
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length }).end(bytes)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
