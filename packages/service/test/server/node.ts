/** A node in a few lines: answers by a table of methods, and can fail in every way that HTTP knows. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A call as it arrived. */
export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

interface RequestItem extends Call {
  readonly id: number
}

/** Reply of the node: the text of its result or error member, or a whole HTTP response. */
export type Reply =
  | { readonly member: string }
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }

/** The text of a result. */
export const result = (text: string): Reply => ({ member: `"result":${text}` })

/** The text of an error. */
export const error = (text: string): Reply => ({ member: `"error":${text}` })

/** A node that runs. */
export interface Node {
  readonly url: string
  /** All calls but `eth_chainId`. */
  readonly calls: ReadonlyArray<Call>
}

/** Starts a node of chain `id` until the scope ends. */
export const start = (reply: (call: Call) => Reply, id = 1) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const calls: Array<Call> = []
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk: Buffer) => (body += chunk.toString()))
        request.on("end", () => {
          const parsed = JSON.parse(body) as RequestItem | ReadonlyArray<RequestItem>
          const answers = [parsed].flat().map((call) => {
            const isChainId = call.method === "eth_chainId"
            if (!isChainId) calls.push({ method: call.method, params: call.params })
            const given = isChainId ? result(`"0x${id.toString(16)}"`) : reply(call)
            return "status" in given ? given : `{"jsonrpc":"2.0","id":${call.id},${given.member}}`
          })
          const whole = answers.find((answer) => typeof answer !== "string")
          if (whole !== undefined) {
            response.writeHead(whole.status, whole.headers).end(whole.body)
            return
          }
          response.writeHead(200, { "content-type": "application/json" })
          const texts = answers.filter((answer) => typeof answer === "string")
          response.end(Array.isArray(parsed) ? `[${texts.join(",")}]` : texts[0])
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo
      return { node: { url: `http://127.0.0.1:${port}/`, calls } satisfies Node, server }
    }),
    ({ server }) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      }),
  ).pipe(Effect.map(({ node }) => node))
