/** One node as the node of many chains: the path of a request is the id of the chain that it is asked as. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

interface Call {
  readonly id: unknown
  readonly method: string
}

const responseTo = ({ id, method }: Call, chain: number): object | null => {
  if (method === "eth_chainId") return { jsonrpc: "2.0", id, result: `0x${chain.toString(16)}` }
  return method === "net_version" ? { jsonrpc: "2.0", id, result: String(chain) } : null
}

/** Answers a body: what states the chain by itself, all else by the node. */
const answer = async (node: string, chain: number, body: string): Promise<string> => {
  const parsed = JSON.parse(body) as Call | ReadonlyArray<Call>
  const calls = Array.isArray(parsed) ? (parsed as ReadonlyArray<Call>) : [parsed as Call]
  const own = calls.map((call) => responseTo(call, chain))
  const others = calls.filter((_, at) => own[at] === null)
  const sent =
    others.length === 0
      ? []
      : ((await (
          await fetch(node, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(others),
          })
        ).json()) as ReadonlyArray<object>)
  let next = 0
  const all = own.map((response) => response ?? sent[next++])
  return JSON.stringify(Array.isArray(parsed) ? all : all[0])
}

/** Listens until the scope ends; gives the URL of a chain's node. */
export const serve = (node: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          let body = ""
          request.on("data", (chunk: Buffer) => (body += chunk.toString()))
          request.on("end", () => {
            const send = async () => {
              const text = await answer(node, Number(request.url?.slice(1)), body)
              response.setHeader("content-type", "application/json").end(text)
            }
            send().catch(() => response.destroy())
          })
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        }),
    ),
    (server) => (chain: number) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${chain}`,
  )
