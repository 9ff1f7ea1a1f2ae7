/** Prepares msw, which replaces `fetch`, before the clients are loaded: no request may reach the network. */
import { http, HttpResponse } from "msw"
import { setupServer } from "msw/node"

const page = { cursor: null, page: 0, page_size: 100, result: [] }
const server = setupServer(
  http.get("http://mock.test/api/v2.2/*", () => HttpResponse.json(page)),
  http.post("http://mock.test/rpc", async ({ request }) => {
    const call = await request.json()
    return HttpResponse.json({ jsonrpc: "2.0", id: call.id, result: "0x10" })
  }),
)
server.listen({ onUnhandledRequest: "error" })
process.env.DAYBOOK_URL = "http://mock.test"
await import("./clients.mjs")
server.close()
