/** Serves the requests of a program with the fake service, through msw. */
import { FakeService } from "@daybook/testkit"
import { http } from "msw"
import { setupServer } from "msw/node"
import process from "node:process"

const fake = FakeService.make({ firstBlock: 16, blocks: 1, wallet: `0x${"1".repeat(40)}` })
const server = setupServer(http.all("http://mock.test/*", ({ request }) => fake.fetch(request)))
server.listen({ onUnhandledRequest: "error" })
process.env.DAYBOOK_URL = "http://mock.test"
await import("./clients.mjs")
server.close()
