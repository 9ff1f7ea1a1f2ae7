/** A service with Etherscan's API that has indexed a scenario chain. */
import { Effect } from "effect"
import { expect } from "vitest"
import * as BookChain from "../../books/BookChain.ts"
import { caughtUp, start as startIndexer } from "../../indexer/chain.ts"
import * as service from "../service.ts"
import * as chainScan from "./chainScan.ts"

/** A row of a list. */
export type Row = Readonly<Record<string, string>>

/** A service whose indexer follows a scenario chain, with further configuration. */
export const follow = Effect.fnUntraced(function* (config: service.Options["config"] = {}) {
  const chain = yield* BookChain.make({ seed: 4, blobs: false, blocks: 12 })
  const { last, url } = chain
  const { id, name } = chain.chain
  const idConfig = id === 31_337 ? { id } : {}
  const started = yield* service.start({ config, chains: { [name]: { config: { ...idConfig, rpc: [url] } } } })
  const indexer = yield* startIndexer(started.stores[name]!, [url], { checks: "full" })
  yield* indexer.until(caughtUp(last))
  const get = (query: string) =>
    Effect.map(started.fetch(`/v2/api?chainid=${id}&${query}&apikey=${started.key}`), ({ json, status }) => {
      expect(status).toBe(200)
      return json
    })
  const list = (action: string, address: string, query = "") =>
    Effect.map(get(`module=account&action=${action}&address=${address}${query}`), (body) => {
      if (body.result.length === 0)
        expect(body).toEqual({ status: "0", message: expect.stringMatching(/^No /), result: [] })
      else expect([body.status, body.message, Array.isArray(body.result)]).toEqual(["1", "OK", true])
      return body.result as ReadonlyArray<Row>
    })
  return { ...started, chain, get, list, indexer, scan: yield* chainScan.scan({ url }, last) }
})

/** A service that has indexed a scenario chain and uses its node for calls. */
export const start = follow()

/** Result of `start`. */
export type Indexed = Effect.Success<typeof start>
