import { request } from "node:http"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../node.ts"
import { start, type Started } from "../service.ts"

const call = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'

/** The status of a body of this many bytes, sent with its length or in chunks without one. */
const statusOf = ({ key, url }: Started, bytes: number, isDeclared: boolean) =>
  Effect.promise(
    () =>
      new Promise<number | undefined>((resolve, reject) => {
        const body = call.padEnd(bytes, " ")
        const headers = isDeclared ? { "content-length": bytes } : { "transfer-encoding": "chunked" }
        const sent = request(`${url}/rpc/eth/${key}`, { method: "POST", headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on("error", reject)
        sent.write(body.slice(0, 10))
        sent.end(body.slice(10))
      }),
  )

describe("RequestBody", () => {
  it.live("read: accepts a body of exactly the limit and rejects one more byte, with and without a length", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result('"0x1"'))
      const service = yield* start({
        chains: { eth: { config: { rpc: [node.url] } } },
        config: { limits: { bodyBytes: 2e3 } },
      })

      for (const isDeclared of [true, false]) {
        expect([isDeclared, yield* statusOf(service, 2_000, isDeclared)]).toEqual([isDeclared, 200])
        expect([isDeclared, yield* statusOf(service, 2_001, isDeclared)]).toEqual([isDeclared, 413])
      }
    }),
  )
})
