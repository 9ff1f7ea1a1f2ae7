import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { describe, it } from "@effect/vitest"
import * as ExplorerOperation from "@daybook/schema/ExplorerOperation"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { expect } from "vitest"
import * as Config from "../../../src/config/Config.ts"
import * as Explorer from "../../../src/config/Explorer.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as Signature from "@daybook/abi/Signature"
import * as ExplorerFiles from "../../../src/server/explorer/ExplorerFiles.ts"
import * as ExplorerRoutes from "../../../src/server/explorer/ExplorerRoutes.ts"
import * as HttpServer from "../../../src/server/HttpServer.ts"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { request, start } from "../service.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"

const configOf = (more: Readonly<Record<string, unknown>>) =>
  Config.decode({
    listen: {
      host: "127.0.0.1",
      port: 0,
    },
    database: "sqlite:data",
    limits: { drainIdleMillis: 1 },
    chains: {
      polygon: { rpc: ["http://127.0.0.1:1"] },
      "my chain": {
        id: 31337,
        rpc: ["http://127.0.0.1:1"],
      },
    },
    ...more,
  })

/** Only the routes of the explorer, with the files of a folder. */
const serve = (files: Readonly<Record<string, string | Uint8Array>>, access: "open" | "keyed" = "open") =>
  Effect.gen(function* () {
    const root = yield* temporaryFolder
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(root, name, ".."), { recursive: true })
      writeFileSync(join(root, name), text)
    }
    const config = yield* Effect.fromResult(configOf({}))
    const chains = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
    const routes = ExplorerRoutes.layer({ access, chains, sendsWebhooks: false, files: ExplorerFiles.read(root) })
    const { address } = Context.get(yield* Layer.build(HttpServer.layer(routes, config)), HttpServer.HttpServer)
    return (path: string, headers: Readonly<Record<string, string>> = {}) =>
      request(`${address.url}${path}`, { headers })
  })

const built = {
  "index.html": "<!doctype html><title>Daybook</title>",
  "favicon.svg": "<svg/>",
  "assets/index-4f2a.js": "export {}",
  "assets/index-4f2a.js.map": "{}",
}

describe("Explorer", () => {
  it.live("an unknown path responds 404 with the page for a browser, and with JSON for a program", () =>
    Effect.gen(function* () {
      const get = yield* serve(built)
      const accept = "text/html,application/xhtml+xml,*/*;q=0.8"

      for (const path of ["/nothing/here", "/api/v2.2/nothing/at/all", "/tx//"]) {
        const { headers, status, text } = yield* get(path, { accept })
        expect([status, text]).toEqual([404, built["index.html"]])
        expect(headers["content-security-policy"]).toContain("script-src 'self'")
      }
      const { json, status } = yield* get("/nothing/here", { accept: "*/*" })
      expect([status, json?.code]).toEqual([404, "not_found"])
    }).pipe(Effect.scoped),
  )

  it.live("the page is served at the root and at each of its paths, and revalidated each time", () =>
    Effect.gen(function* () {
      const get = yield* serve(built)
      for (const path of ["/", "/address/0xabc", "/tx/0x1?chain=eth", "/block/17", "/webhooks"]) {
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

  it.live("browsers cache a file with a hash in its name, and revalidate others", () =>
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

  it.live("a precompressed file is sent in the coding that the request prefers", () =>
    Effect.gen(function* () {
      const script = "export const answer = 42"
      const get = yield* serve({
        ...built,
        "assets/index-4f2a.js": script,
        "assets/index-4f2a.js.br": brotliCompressSync(script),
        "assets/index-4f2a.js.gz": gzipSync(script),
      })
      for (const [accepted, coding] of [
        ["gzip, deflate, br", "br"],
        ["gzip", "gzip"],
        ["identity", undefined],
      ] as const) {
        const { headers, text } = yield* get("/assets/index-4f2a.js", { "accept-encoding": accepted })
        expect([headers["content-encoding"], headers["vary"], text]).toEqual([coding, "accept-encoding", script])
        expect(headers["content-type"]).toBe("text/javascript; charset=utf-8")
      }
      const page = yield* get("/tx/0x1", { "accept-encoding": "br" })
      expect([page.headers["content-encoding"], page.text]).toEqual([undefined, built["index.html"]])
    }).pipe(Effect.scoped),
  )

  it.live("files of another build, of unknown type and outside the folder respond 404 in JSON", () =>
    Effect.gen(function* () {
      const get = yield* serve(built)
      for (const path of [
        "/assets/index-0000.js",
        "/assets/index-4f2a.js.map",
        "/assets/index-4f2a.js.gz",
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

  it.live("without built files the page states how to build them", () =>
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
        webhooks: false,
        chains: [
          { name: "polygon", chainId: 137, checks: "standard", currency: { symbol: "POL", decimals: 18 } },
          { name: "my chain", chainId: 31337, checks: "standard", currency: { symbol: "ETH", decimals: 18 } },
        ],
      })
      expect((yield* keyed("/explorer.json")).json).toMatchObject({ access: "keyed", tracing: false })
    }).pipe(Effect.scoped),
  )

  it("the explorer is open on a loopback address, keyed if a proxy forwards other names to it, and off elsewhere", () => {
    const accessOf = (host: string, more: object = {}) =>
      Explorer.accessOf({ listen: { host, port: 0 }, allowedHosts: [], ...more })

    expect(["127.0.0.1", "localhost", "::1"].map((host) => accessOf(host))).toEqual(["open", "open", "open"])
    expect(accessOf("127.0.0.1", { allowedHosts: ["wallets.example"] })).toBe("keyed")
    expect(["0.0.0.0", "::", "192.168.1.9"].map((host) => accessOf(host))).toEqual(["off", "off", "off"])
    expect(accessOf("0.0.0.0", { explorer: "keyed" })).toBe("keyed")
  })

  it.effect("an explorer without a key is rejected on an address that other machines can reach", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(
        Effect.fromResult(configOf({ listen: { host: "0.0.0.0", port: 0 }, explorer: "open" })),
      )
      expect(message).toBe(
        'Invalid configuration "explorer": expected keyed or off if "listen" is not a loopback address, received "open".',
      )
    }),
  )

  it.live("requests of the page need no key for pages and relayed calls, including traces; all others need one", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result('"0x1"'))
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const address = "0x00000000000000000000000000000000000000aa"
      const own = { "sec-fetch-site": "same-origin" }
      const get = (headers: Readonly<Record<string, string>>) =>
        Effect.map(service.fetch(`/api/v2.2/${address}/verbose`, { headers }), ({ status }) => status)
      const callTracer = { tracer: "callTracer" }
      const call = (headers: Readonly<Record<string, string>>, options: object = callTracer) =>
        service.fetch("/rpc/eth", {
          method: "POST",
          headers,
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "debug_traceTransaction",
            params: [`0x${"ab".repeat(32)}`, options],
          }),
        })

      expect([yield* get(own), yield* get({ ...own, "x-api-key": "stale" })]).toEqual([200, 200])
      expect((yield* call({ ...own, origin: service.url })).json.result).toBe("0x1")
      const stateDiff = { tracer: "prestateTracer", tracerConfig: { diffMode: true } }
      expect((yield* call(own, stateDiff)).json.result).toBe("0x1")
      expect((yield* call(own, { tracer: "prestateTracer" })).json.error.code).toBe(-32602)
      for (const headers of [{}, { "sec-fetch-site": "cross-site" }, { ...own, origin: "https://evil.example" }]) {
        expect(yield* get(headers)).toBe(401)
        expect((yield* call(headers)).json.error.code).toBe(4100)
      }
    }).pipe(Effect.scoped),
  )

  it.live("the names of addresses, functions and errors are returned in the requested order", () =>
    Effect.gen(function* () {
      const [vault, treasury, other] = ["1", "2", "3"].map((digit) => `0x${digit.repeat(40)}`) as [
        string,
        string,
        string,
      ]
      const service = yield* start({ chains: { eth: { config: { labels: { [treasury]: "Treasury" } } } } })
      const abi = JSON.stringify([
        { type: "function", name: "poke", inputs: [{ name: "times", type: "uint256" }], stateMutability: "view" },
        { type: "error", name: "TooMany", inputs: [{ name: "limit", type: "uint8" }] },
      ])
      const contract = { address: vault, name: "Vault", source: "/home/ann/project", abi, implementations: [] }
      yield* service.stores["eth"]!.database.contracts.put({ name: "eth", id: 1 }, [contract])
      const get = (path: string, headers: Readonly<Record<string, string>> = { "sec-fetch-site": "same-origin" }) =>
        service.fetch(path, { headers })
      const [poke, tooMany] = ["function poke(uint256)", "function TooMany(uint8)"].map(
        (text) => Result.getOrThrow(Signature.fromText(text)).key,
      ) as [string, string]
      const data = `${tooMany}${"7".padStart(64, "0")}`

      const names = yield* get(
        `/api/v2.2/names?address=${treasury},${other},${vault}&call=${vault}:${poke},${other}:0xa9059cbb,${other}:0xffffffff&error=${other}:${data},${other}:0xffffffff`,
      )
      const view = yield* get(`/api/v2.2/contracts/${vault}?chain=eth`)

      expect(names.json.result).toEqual({
        addresses: ["Treasury", null, "Vault"],
        calls: [
          { label: "poke", signature: "poke(uint256)" },
          { label: "transfer", signature: "transfer(address,uint256)" },
          null,
        ],
        errors: [
          {
            label: "TooMany",
            signature: "TooMany(uint8)",
            type: "function",
            params: [{ name: "limit", type: "uint8", value: "7" }],
          },
          null,
        ],
      })
      expect(view.json.result).toEqual({
        contract: { address: vault, name: "Vault", source: "project", abi: JSON.parse(abi) },
        implementation: null,
      })
      expect((yield* get(`/api/v2.2/contracts/${other}`)).json).toEqual({ result: null })
      expect((yield* get(`/api/v2.2/names?address=${vault}`, {})).status).toBe(401)
      for (const query of [
        "address=0x1",
        `call=${vault}`,
        `error=${vault}:0x00`,
        `address=${vault},`,
        "chain=nowhere",
      ]) {
        expect([query, (yield* get(`/api/v2.2/names?${query}`)).status]).toEqual([query, 400])
      }
    }).pipe(Effect.scoped),
  )

  it.live("what the pages read decodes with the operations of the contract, and encodes to the same JSON", () =>
    Effect.gen(function* () {
      const [vault, proxy] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`) as [string, string]
      const service = yield* start({ chains: { eth: { config: { labels: { [proxy]: "Proxy" } } } } })
      const inputs = [{ name: "a", type: "tuple", components: [{ name: "b", type: "uint8" }] }]
      const abi = JSON.stringify([
        { type: "function", name: "poke", inputs, outputs: [], stateMutability: "view" },
        { type: "event", name: "Poked", inputs: [{ name: "by", type: "address", indexed: true }] },
      ])
      yield* service.stores["eth"]!.database.contracts.put({ name: "eth", id: 1 }, [
        { address: vault, name: "Vault", source: "upload", abi, implementations: [] },
        { address: proxy, name: "Proxy", source: "upload", abi: "[]", implementations: [{ from: 0, address: vault }] },
      ])
      const { contract, names, ready, search, settings } = ExplorerOperation.all
      const panic = `0x4e487b71${"1".padStart(64, "0")}`
      const reads = [
        [names, `/api/v2.2/names?address=${vault}&call=${vault}:0xa9059cbb&error=${vault}:${panic}`],
        [search, "/api/v2.2/search?q=v&limit=5"],
        [contract, `/api/v2.2/contracts/${proxy}`],
        [settings, "/explorer.json"],
        [ready, "/ready?unknown=1"],
        [ready, "/ready?chain=eth"],
      ] as const
      for (const [{ response }, path] of reads) {
        const { json } = yield* service.fetch(path, { headers: { "sec-fetch-site": "same-origin" } })
        const codec: Schema.Codec<unknown, unknown> = response
        const decoded = Schema.decodeUnknownResult(codec)(json)

        expect([path, Result.map(decoded, (value) => Schema.encodeSync(codec)(value))]).toEqual([
          path,
          Result.succeed(json),
        ])
      }
    }).pipe(Effect.scoped),
  )

  it.live(
    "the search finds labels and contracts by address and by part of their name, and requires the same access as a page",
    () =>
      Effect.gen(function* () {
        const [vault, treasury] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`) as [string, string]
        const labels = { [treasury]: "Treasury of the vault" }
        const service = yield* start({ chains: { eth: { config: { labels } } } })
        const search = (
          query: string,
          headers: Readonly<Record<string, string>> = { "sec-fetch-site": "same-origin" },
        ) => service.fetch(`/api/v2.2/search?${query}`, { headers })
        const abi = '[{"type":"error","name":"No","inputs":[]}]'
        const contract = { address: vault, name: "Vault", source: "command", abi, implementations: [] }
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

  it.live("the search finds tokens by symbol and name, exact matches first, after a label of the same address", () =>
    Effect.gen(function* () {
      const [coin, copy, vault, labelled] = ["1", "2", "3", "4"].map((digit) => `0x${digit.repeat(40)}`) as [
        ...[string, string, string, string],
      ]
      const blocks = Rows.chain(0, 1)
      const labels = { [labelled]: "USDX treasury" }
      const service = yield* start({ chains: { eth: { config: { labels }, blocks } } })
      const { database, ref } = service.stores["eth"]!
      const proofs = yield* database.chain(ref).proofs
      const tokenOf = (name: string | null, symbol: string | null) => ({ name, symbol, decimals: 6, block: 1 })
      yield* proofs.writeTokens(
        { number: 0, parentHash: blocks[0]!.parentHash },
        new Map([
          [vault, tokenOf("USDX Vault", null)],
          [copy, tokenOf("<img src=x onerror=alert(1)>", "USDX2")],
          [coin, tokenOf("Coin", "USDX")],
          [labelled, tokenOf("Other", "USDX")],
        ]),
        2,
      )
      const search = (text: string, more = "") =>
        Effect.map(
          service.fetch(`/api/v2.2/search?q=${encodeURIComponent(text)}${more}`, {
            headers: { "sec-fetch-site": "same-origin" },
          }),
          ({ json, status }) => (status === 200 ? json.result : status),
        )

      expect(yield* search(" usdx\n")).toEqual([
        { kind: "label", address: labelled, name: "USDX treasury", symbol: null },
        { kind: "token", address: coin, name: "Coin", symbol: "USDX" },
        { kind: "token", address: copy, name: "<img src=x onerror=alert(1)>", symbol: "USDX2" },
        { kind: "token", address: vault, name: "USDX Vault", symbol: null },
      ])
      expect(yield* search("USDX", "&limit=2")).toEqual([
        { kind: "label", address: labelled, name: "USDX treasury", symbol: null },
        { kind: "token", address: coin, name: "Coin", symbol: "USDX" },
      ])
      for (const text of ["\u0000", "\u202e", "usd\u202ex", "%", "'; --", "x".repeat(100)]) {
        expect([text, yield* search(text)]).toEqual([text, []])
      }
    }).pipe(Effect.scoped),
  )
})
