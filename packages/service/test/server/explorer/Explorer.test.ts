import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expect } from "vitest"
import * as Config from "../../../src/config/Config.ts"
import * as Explorer from "../../../src/config/Explorer.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as ExplorerFiles from "../../../src/server/explorer/ExplorerFiles.ts"
import * as ExplorerRoutes from "../../../src/server/explorer/ExplorerRoutes.ts"
import * as HttpServer from "../../../src/server/HttpServer.ts"
import * as Node from "../node.ts"
import { folder, request, start } from "../service.ts"

const configOf = (more: Readonly<Record<string, unknown>>) =>
  Config.decode({
    ...{ listen: { host: "127.0.0.1", port: 0 }, database: "sqlite:data" },
    limits: { drainIdleMillis: 1 },
    chains: { polygon: { rpc: ["http://127.0.0.1:1"] }, "my chain": { id: 31337, rpc: ["http://127.0.0.1:1"] } },
    ...more,
  })

/** The routes of the explorer alone, with the files of a folder. */
const serve = (files: Readonly<Record<string, string>>, access: "open" | "keyed" = "open") =>
  Effect.gen(function* () {
    const root = yield* folder
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(root, name, ".."), { recursive: true })
      writeFileSync(join(root, name), text)
    }
    const config = yield* Effect.fromResult(configOf({}))
    const chains = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
    const routes = ExplorerRoutes.layer({ access, chains, files: ExplorerFiles.read(root) })
    const { address } = Context.get(yield* Layer.build(HttpServer.layer(routes, config)), HttpServer.HttpServer)
    return (path: string) => request(`${address.url}${path}`)
  })

const built = {
  "index.html": "<!doctype html><title>Daybook</title>",
  "favicon.svg": "<svg/>",
  "assets/index-4f2a.js": "export {}",
  "assets/index-4f2a.js.map": "{}",
}

describe("Explorer", () => {
  it.live("the page is served at the root and at each path of its own, and is asked for again each time", () =>
    Effect.gen(function* () {
      const get = yield* serve(built)
      for (const path of ["/", "/address/0xabc", "/tx/0x1?chain=eth", "/block/17"]) {
        const { headers, status, text } = yield* get(path)
        expect([status, text]).toEqual([200, built["index.html"]])
        expect(headers).toMatchObject({
          "cache-control": "no-cache",
          "content-type": "text/html; charset=utf-8",
          "content-security-policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "cross-origin-resource-policy": "same-origin",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY",
        })
        expect(headers["access-control-allow-origin"]).toBeUndefined()
      }
    }).pipe(Effect.scoped),
  )

  it.live("a file with a hash in its name is kept by browsers, and others are asked for again", () =>
    Effect.gen(function* () {
      const get = yield* serve(built)

      const script = yield* get("/assets/index-4f2a.js")
      const icon = yield* get("/favicon.svg")

      expect([script.status, script.text, script.headers["content-type"]]).toEqual([
        200,
        "export {}",
        "text/javascript; charset=utf-8",
      ])
      expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable")
      expect([icon.headers["cache-control"], icon.headers["content-type"]]).toEqual(["no-cache", "image/svg+xml"])
    }).pipe(Effect.scoped),
  )

  it.live("files of another build, of unknown type and outside the folder are 404 in JSON", () =>
    Effect.gen(function* () {
      const get = yield* serve(built)
      for (const path of [
        "/assets/index-0000.js",
        "/assets/index-4f2a.js.map",
        "/assets/..%2findex.html",
        "/index.html",
        "/other",
      ]) {
        const { headers, json, status } = yield* get(path)
        expect([path, status, json?.code]).toEqual([path, 404, "not_found"])
        expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'")
      }
    }).pipe(Effect.scoped),
  )

  it.live("without built files the page says how to build them", () =>
    Effect.gen(function* () {
      const get = yield* serve({})

      const { headers, status, text } = yield* get("/")

      expect([status, headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"])
      expect(text).toContain("pnpm --filter @daybook/explorer build")
    }).pipe(Effect.scoped),
  )

  it.live("explorer.json names the chains with their currency, and whether a key is needed", () =>
    Effect.gen(function* () {
      const open = yield* serve(built)
      const keyed = yield* serve(built, "keyed")

      expect((yield* open("/explorer.json")).json).toEqual({
        access: "open",
        tracing: true,
        chains: [
          { name: "polygon", chainId: 137, checks: "standard", currency: { symbol: "POL", decimals: 18 } },
          { name: "my chain", chainId: 31337, checks: "standard", currency: { symbol: "ETH", decimals: 18 } },
        ],
      })
      expect((yield* keyed("/explorer.json")).json).toMatchObject({ access: "keyed", tracing: false })
    }).pipe(Effect.scoped),
  )

  it("the explorer is open on a loopback address, keyed where a proxy passes other names to it, and off elsewhere", () => {
    const accessOf = (host: string, more: object = {}) =>
      Explorer.accessOf({ listen: { host, port: 0 }, allowedHosts: [], ...more })

    expect(["127.0.0.1", "localhost", "::1"].map((host) => accessOf(host))).toEqual(["open", "open", "open"])
    expect(accessOf("127.0.0.1", { allowedHosts: ["wallets.example"] })).toBe("keyed")
    expect(["0.0.0.0", "::", "192.168.1.9"].map((host) => accessOf(host))).toEqual(["off", "off", "off"])
    expect(accessOf("0.0.0.0", { explorer: "keyed" })).toBe("keyed")
  })

  it.effect("an explorer that needs no key is refused on an address that other machines reach", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(
        Effect.fromResult(configOf({ listen: { host: "0.0.0.0", port: 0 }, explorer: "open" })),
      )
      expect(message).toBe(
        'Invalid configuration "explorer": expected keyed or off where "listen" is no loopback address, received "open".',
      )
    }),
  )

  it.live("requests of the page need no key for pages and relayed calls, traces included; all others need one", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result('"0x1"'))
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const address = "0x00000000000000000000000000000000000000aa"
      const own = { "sec-fetch-site": "same-origin" }
      const get = (headers: Readonly<Record<string, string>>) =>
        Effect.map(service.fetch(`/api/v2.2/${address}/verbose`, { headers }), ({ status }) => status)
      const call = (headers: Readonly<Record<string, string>>, path = "/rpc/eth") =>
        service.fetch(path, {
          method: "POST",
          headers,
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "debug_traceTransaction",
            params: [`0x${"ab".repeat(32)}`, { tracer: "callTracer" }],
          }),
        })

      expect([yield* get(own), yield* get({ ...own, "x-api-key": "stale" })]).toEqual([200, 200])
      expect((yield* call({ ...own, origin: service.url })).json.result).toBe("0x1")
      for (const headers of [{}, { "sec-fetch-site": "cross-site" }, { ...own, origin: "https://evil.example" }]) {
        expect(yield* get(headers)).toBe(401)
        expect((yield* call(headers)).json.error.code).toBe(4100)
      }
    }).pipe(Effect.scoped),
  )

  it.live(
    "the search finds labels and contracts by a part of their names and by address, and needs what a page needs",
    () =>
      Effect.gen(function* () {
        const [vault, treasury] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`) as [string, string]
        const labels = { [treasury]: "Treasury of the vault" }
        const service = yield* start({ chains: { eth: { config: { labels } } } })
        const search = (
          query: string,
          headers: Readonly<Record<string, string>> = { "sec-fetch-site": "same-origin" },
        ) => service.fetch(`/api/v2.2/search?${query}`, { headers })
        const contract = { address: vault, name: "Vault", source: "command", abi: "[]", implementations: [] }
        yield* service.stores["eth"]!.database.contracts.put({ name: "eth", id: 1 }, [contract])
        const found = (query: string) =>
          Effect.map(search(query), ({ json }) => json.result.map((one: { name: string }) => one.name))

        expect((yield* search("q=VAULT")).json.result).toEqual([
          { kind: "contract", address: vault, name: "Vault", symbol: null },
          { kind: "label", address: treasury, name: "Treasury of the vault", symbol: null },
        ])
        expect(yield* found("q=vault&limit=1&chain=eth")).toEqual(["Vault"])
        expect(yield* found(`q=${treasury}`)).toEqual(["Treasury of the vault"])
        expect(yield* found("q=permit2")).toEqual(["Permit2"])
        expect(yield* found("q=%25")).toEqual([])
        expect((yield* search("q=vault", {})).status).toBe(401)
        for (const query of [
          "",
          "q=",
          `q=${"x".repeat(101)}`,
          "q=a&limit=0",
          "q=a&limit=1000",
          "q=a&chain=nowhere",
          "q=a&other=1",
        ]) {
          expect([query, (yield* search(query)).status]).toEqual([query, 400])
        }
      }).pipe(Effect.scoped),
  )
})
