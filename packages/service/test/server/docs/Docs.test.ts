import { gzipSync } from "node:zlib"
import { describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expect } from "vitest"
import * as Config from "../../../src/config/Config.ts"
import * as Docs from "../../../src/config/Docs.ts"
import type * as DocsFiles from "../../../src/server/docs/DocsFiles.ts"
import * as DocsRoutes from "../../../src/server/docs/DocsRoutes.ts"
import * as HttpServer from "../../../src/server/HttpServer.ts"
import { request, start } from "../service.ts"

/** Only the routes of the page. */
const serve = (files: ReadonlyArray<DocsFiles.File> | null) =>
  Effect.gen(function* () {
    const chains = { eth: { rpc: ["http://127.0.0.1:1"] } }
    const wire = { listen: "127.0.0.1:0", database: "sqlite:data", chains, limits: { drainIdleMillis: 1 } }
    const config = yield* Effect.fromResult(Config.decode(wire))
    const server = yield* Layer.build(
      HttpServer.layer(
        DocsRoutes.layer(() => files),
        config,
      ),
    )
    const { address } = Context.get(server, HttpServer.HttpServer)
    return (path: string, headers: Readonly<Record<string, string>> = {}) =>
      request(`${address.url}${path}`, { headers })
  })

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe("the page of the API", () => {
  it.live("the page has nothing inline and nothing from another host, and browsers cache its files", () =>
    Effect.gen(function* () {
      const service = yield* start()

      const page = yield* service.fetch("/docs")

      expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
      expect(page.headers).toMatchObject({ "content-security-policy": policy, "cache-control": "no-cache" })
      expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|\/\//)
      const paths = [...page.text.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path!)
      expect(paths.map((path) => path.replace(/[0-9a-f]{10}-/, ""))).toEqual([
        "/docs/swagger-ui.css",
        "/docs/swagger-ui-bundle.js",
        "/docs/start.js",
      ])
      for (const path of paths) {
        const { headers, status } = yield* service.fetch(path)
        const contentType = path.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
        expect([path, status, headers["content-type"]]).toEqual([path, 200, contentType])
        expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable")
      }
    }).pipe(Effect.scoped),
  )

  it.live("the page is built from the document of this service, and stores no key", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const { text } = yield* service.fetch("/docs")
      const path = /\/docs\/[0-9a-f]+-start\.js/.exec(text)![0]

      const script = yield* service.fetch(path)

      const [, settings] = /^SwaggerUIBundle\((.*)\)$/s.exec(script.text.trim())!
      expect(JSON.parse(settings!)).toMatchObject({
        url: "/openapi.json",
        persistAuthorization: false,
        queryConfigEnabled: false,
        validatorUrl: null,
      })
      expect((yield* service.fetch("/openapi.json")).status).toBe(200)
    }).pipe(Effect.scoped),
  )

  it.live("a compressed file is sent to clients that accept it, and other names respond 404", () =>
    Effect.gen(function* () {
      const identity = Buffer.from("a{}")
      const get = yield* serve([{ name: "a.css", identity, gzip: gzipSync(identity) }])
      const path = /\/docs\/[0-9a-f]+-a\.css/.exec((yield* get("/docs")).text)![0]

      const coded = yield* get(path, { "accept-encoding": "gzip" })
      const plain = yield* get(path, { "accept-encoding": "identity" })

      expect([coded.headers["content-encoding"], coded.text]).toEqual(["gzip", "a{}"])
      expect([plain.headers["content-encoding"], plain.text]).toEqual([undefined, "a{}"])
      expect((yield* get("/docs/a.css")).json).toMatchObject({ code: "not_found" })
    }).pipe(Effect.scoped),
  )

  it.live("without its files, the page states how to install them", () =>
    Effect.gen(function* () {
      const get = yield* serve(null)

      const { status, text } = yield* get("/docs")

      expect(status).toBe(503)
      expect(text).toContain("pnpm install")
    }).pipe(Effect.scoped),
  )

  it.live("the page is not served if it is off", () =>
    Effect.gen(function* () {
      const service = yield* start({ config: { docs: "off" } })

      expect((yield* service.fetch("/docs")).json).toMatchObject({ code: "not_found" })
    }).pipe(Effect.scoped),
  )

  it("the page is on by default only on a loopback address", () => {
    const docsOf = (host: string, more: object = {}) => Docs.docsOf({ listen: { host, port: 0 }, ...more })

    expect(["127.0.0.1", "::1", "0.0.0.0", "192.168.1.9"].map((host) => docsOf(host))).toEqual([
      "on",
      "on",
      "off",
      "off",
    ])
    expect([docsOf("0.0.0.0", { docs: "on" }), docsOf("::1", { docs: "off" })]).toEqual(["on", "off"])
  })
})
