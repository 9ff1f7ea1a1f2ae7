/** A node that answers each call with what a function gives, as text and without parsing it. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Call {
  readonly id: number
  readonly method: string
}

/** A node at work. */
export interface FakeNode {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts a node of the attacked chain; `resultOf` gives the JSON text of a result. */
export const start = async (resultOf: (method: string) => string | Buffer): Promise<FakeNode> => {
  const answer = ({ id, method }: Call): Buffer =>
    Buffer.concat([
      Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`),
      Buffer.from(method === "eth_chainId" ? '"0x7a69"' : resultOf(method)),
      Buffer.from("}"),
    ])
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const call = JSON.parse(Buffer.concat(chunks).toString()) as Call
      response.writeHead(200, { "content-type": "application/json" }).end(answer(call))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
