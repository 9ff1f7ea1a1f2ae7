import { describe, expect, it } from "@effect/vitest"
import { serve } from "@daybook/harness/ScriptedServer"
import { Effect } from "effect"
import { createExplorerClient, type ExplorerClient } from "../src/ExplorerClient.ts"

const vault = `0x${"ab".repeat(20)}`

/** A client whose server answers every request the same way, and the paths that it received. */
const serveAnswer = Effect.fnUntraced(function* (status: number, body: object | string) {
  const server = yield* serve((_, response) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  })
  const client = createExplorerClient({ baseUrl: server.url, apiKey: "key-1", retry: { maxAttempts: 1 } })
  return { client, received: () => server.seen.map(({ url }) => url) }
})

const settled = (call: () => Promise<unknown>) =>
  Effect.promise(() =>
    call().then(
      (value) => ({ value, error: null }),
      (error: { readonly _tag: string; readonly message: string }) => ({ value: null, error }),
    ),
  )

const status = {
  chain: "eth",
  chainId: 1,
  ready: false,
  state: "backfill",
  indexed: {
    from: 5,
    to: 9,
  },
  finalized: null,
  head: 20,
  lag: 11,
  traces: "off",
  message: "Indexing: 11 blocks behind the head of the node.",
}

describe("ExplorerClient", () => {
  it.live("names: sends lists with commas between their values, and returns the names in order", () =>
    Effect.gen(function* () {
      const call = `${vault}:0xa9059cbb`
      const transfer = { label: "transfer", signature: "transfer(address,uint256)" }
      const result = { addresses: ["Vault", null], calls: [transfer], errors: [] }
      const { client, received } = yield* serveAnswer(200, { result })

      const names = yield* settled(() => client.names({ chain: "eth", address: [vault, vault], call: [call] }))

      expect(received()).toEqual([
        `/api/v2.2/names?chain=eth&address=${encodeURIComponent(`${vault},${vault}`)}&call=${encodeURIComponent(call)}`,
      ])
      expect(names.value).toEqual({ result })
    }),
  )

  it.live("search: sends its text, and rejects a response with an address in another form", () =>
    Effect.gen(function* () {
      const found = { kind: "label", address: "0x12", name: "Vault", symbol: null }
      const { client, received } = yield* serveAnswer(200, { result: [found] })

      const { error } = yield* settled(() => client.search({ q: "a&b", limit: 5 }))

      expect(received()).toEqual(["/api/v2.2/search?q=a%26b&limit=5"])
      expect(error?._tag).toBe("InvalidResponse")
      expect(error?.message).toContain("result[0].address")
    }),
  )

  it.live("contract: sends the address in lower case, and returns null for a contract without a description", () =>
    Effect.gen(function* () {
      const { client, received } = yield* serveAnswer(200, { result: null })

      const { value } = yield* settled(() => client.contract({ contract: vault.toUpperCase().replace("0X", "0x") }))

      expect(received()).toEqual([`/api/v2.2/contracts/${vault}`])
      expect(value).toEqual({ result: null })
    }),
  )

  it.live("settings: returns the chains of the server", () =>
    Effect.gen(function* () {
      const chain = { name: "eth", chainId: 1, checks: "full", currency: { symbol: "ETH", decimals: 18 } }
      const settings = { access: "open", tracing: true, webhooks: false, chains: [chain] }
      const { client, received } = yield* serveAnswer(200, settings)

      expect((yield* settled(() => client.settings({}))).value).toEqual(settings)
      expect(received()).toEqual(["/explorer.json"])
    }),
  )

  it.live("ready: returns the status of a server that is not ready, and of one chain", () =>
    Effect.gen(function* () {
      const all = yield* serveAnswer(503, { ready: false, chains: [status] })
      const one = yield* serveAnswer(503, status)

      expect((yield* settled(() => all.client.ready({}))).value).toEqual({ ready: false, chains: [status] })
      expect((yield* settled(() => one.client.ready({ chain: "eth" }))).value).toEqual(status)
      expect([...all.received(), ...one.received()]).toEqual(["/ready", "/ready?chain=eth"])
    }),
  )

  it.live("ready: fails with Unavailable for a 503 without a status", () =>
    Effect.gen(function* () {
      const tagOf = (body: object | string) =>
        Effect.gen(function* () {
          const { client } = yield* serveAnswer(503, body)
          return (yield* settled(() => client.ready({}))).error?._tag
        })

      expect(yield* tagOf("<html>Bad gateway</html>")).toBe("Unavailable")
      expect(yield* tagOf({ code: "unavailable", message: "Retry later.", requestId: "1" })).toBe("Unavailable")
    }),
  )

  it.live("queries: a value outside the interface is rejected before a request is made", () =>
    Effect.gen(function* () {
      const { client, received } = yield* serveAnswer(200, {})
      // Programs that are not type-checked.
      const calls: ReadonlyArray<(client: ExplorerClient) => Promise<unknown>> = [
        (one) => one.names({ address: ["0x1"] }),
        (one) => one.names({ address: Array.from({ length: 101 }, () => vault) }),
        (one) => one.search({ q: "" }),
        (one) => one.search({ q: "a", limit: 101 }),
        (one) => one.contract({ contract: "orders" }),
        (one) => one.ready({ other: "1" } as never),
      ]
      for (const call of calls) expect((yield* settled(() => call(client))).error?._tag).toBe("BadRequest")
      expect(received()).toEqual([])
    }),
  )
})
