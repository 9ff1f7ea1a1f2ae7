import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import * as ApiError from "@daybook/schema/ApiError"
import { describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import * as ErrorResponse from "../../src/server/http/ErrorResponse.ts"
import * as Folder from "../../src/store/sqlite/Folder.ts"
import * as Node from "./node.ts"
import * as Rows from "./rows.ts"
import { start } from "./service.ts"

const { alice } = Rows
const page = `/api/v2.2/${alice}/verbose`
const decodeError = Schema.decodeUnknownSync(ApiError.ApiError)

/** Sends bytes, ends its side of the connection, and returns what is received. */
const rawEnded = (url: string, text: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port } = new URL(url)
        let answer = ""
        const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => socket.end(text))
        socket.on("data", (chunk: Buffer) => (answer += chunk.toString()))
        socket.on("end", () => resolve(answer))
        socket.on("error", reject)
      }),
  )

describe("HttpServer", () => {
  it.live("a client that half-closes its connection after a request receives the response", () =>
    Effect.gen(function* () {
      const node = yield* Node.start(() => Node.result(`"0x1"`))
      const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
      const head = `POST /rpc/eth/${service.key} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n`

      const answer = yield* rawEnded(service.url, head + body)

      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(answer).toContain('"result":"0x1"')
    }),
  )

  describe("API key", () => {
    it.live("a key is read from the header X-API-Key, whatever the case of its name", () =>
      Effect.gen(function* () {
        const service = yield* start()
        for (const name of ["X-API-Key", "x-api-key", "X-Api-Key"]) {
          expect((yield* service.fetch(page, { headers: { [name]: service.key } })).status).toBe(200)
        }

        const missing = yield* service.fetch(page)
        const wrong = yield* service.fetch(page, { headers: { "x-api-key": "dbk_wrong" } })

        expect(decodeError(missing.json)).toBeInstanceOf(ApiError.Unauthorized)
        expect([missing.status, missing.json.code, missing.json.message]).toEqual([
          401,
          "unauthorized",
          "Missing API key. Send it in the X-API-Key header.",
        ])
        expect([wrong.status, wrong.json.code, wrong.json.message]).toEqual([
          401,
          "unauthorized",
          "Unknown API key. Send it in the X-API-Key header.",
        ])
      }),
    )

    it.live("the key is checked before the parameters", () =>
      Effect.gen(function* () {
        const service = yield* start()
        expect((yield* service.fetch("/api/v2.2/nonsense/verbose?limit=0&nonsense=1")).status).toBe(401)
      }),
    )

    it.live("the key is also accepted as a bearer token, and by the relay in a header instead of the path", () =>
      Effect.gen(function* () {
        const node = yield* Node.start(() => Node.result('"0x1"'))
        const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
        const bearer = { authorization: `Bearer ${service.key}` }
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber" })
        const relay = (headers: Readonly<Record<string, string>>) =>
          service.fetch("/rpc/eth", { method: "POST", headers, body })

        expect((yield* service.fetch(page, { headers: bearer })).status).toBe(200)
        expect((yield* relay({ "x-api-key": service.key })).json.result).toBe("0x1")
        expect((yield* relay(bearer)).json.result).toBe("0x1")
        for (const wrong of [{}, { "x-api-key": "wrong" }, { authorization: `Basic ${service.key}` }]) {
          const refused = yield* relay(wrong)
          expect([refused.status, refused.json.error.code]).toEqual([401, 4100])
        }
      }),
    )

    it.live("a key that is added while the service runs is accepted", () =>
      Effect.gen(function* () {
        const service = yield* start()
        const key = yield* service.addKey({ name: "later" })
        expect((yield* service.fetch(page, { headers: { "x-api-key": key } })).status).toBe(200)
      }),
    )

    it.live("each key has its own rate limit, reported in headers", () =>
      Effect.gen(function* () {
        const service = yield* start({ config: { rateLimit: { perSecond: 1, burst: 2 } } })
        const other = yield* service.addKey({ name: "other" })

        const answers = yield* Effect.forEach([1, 2, 3], () => service.get(page))
        const others = yield* service.fetch(page, { headers: { "x-api-key": other } })

        expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
        expect(answers[0]!.headers).toMatchObject({ "ratelimit-limit": "2", "ratelimit-remaining": "1" })
        expect(answers[2]!.headers).toMatchObject({
          "retry-after": "1",
          "ratelimit-limit": "2",
          "ratelimit-remaining": "0",
          "ratelimit-reset": "2",
        })
        expect(decodeError(answers[2]!.json)).toBeInstanceOf(ApiError.RateLimited)
        expect(answers[2]!.json.message).toBe("Rate limit exceeded: 1 requests per second, 2 at once. Retry after 1 s.")
        expect(others.status).toBe(200)
      }),
    )
  })

  describe("path", () => {
    it.live("an unknown path responds 404 in JSON without repeating the path", () =>
      Effect.gen(function* () {
        const service = yield* start()
        for (const path of [
          "/pages",
          "/v3/api",
          `/api/v2/${alice}/verbose`,
          `/api/v2.1/${alice}/verbose`,
          `/api/v3/${alice}/verbose`,
          `/api/v2.2/${alice}`,
          `/api/v2.2//verbose`,
          `${page}/`,
          `/rpcs/eth/${service.key}`,
          "/healthy",
        ]) {
          const answer = yield* service.get(path)
          expect([path, answer.status, answer.json.code]).toEqual([path, 404, "not_found"])
          expect(answer.headers["content-type"]).toBe("application/json")
          expect(answer.json.message).toBe(
            "Path not found. GET /openapi.json describes the operations. JSON-RPC calls go to POST /rpc/:chain/:apiKey.",
          )
          expect(answer.text).not.toContain(service.key)
        }
      }),
    )

    it.live("a method that a path does not have responds 405 in JSON with the allowed methods", () =>
      Effect.gen(function* () {
        const service = yield* start()
        const cases: ReadonlyArray<readonly [method: string, path: string, allow: string]> = [
          ["POST", page, "GET, HEAD, OPTIONS"],
          ["DELETE", page, "GET, HEAD, OPTIONS"],
          ["PUT", "/health", "GET, HEAD, OPTIONS"],
          ["PUT", `/rpc/eth/${service.key}`, "POST, GET, HEAD, OPTIONS"],
          ["PATCH", `/rpc/eth/${service.key}`, "POST, GET, HEAD, OPTIONS"],
        ]
        for (const [method, path, allow] of cases) {
          const answer = yield* service.fetch(path, { method })
          expect([answer.status, answer.headers["allow"], answer.json.code]).toEqual([405, allow, "method_not_allowed"])
          expect(answer.json.message).toBe(`Method not allowed: ${method}. Use ${allow}.`)
        }
      }),
    )

    it.live("HEAD responds with the headers of GET and no body", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { blocks: Rows.chain(0, 3) } } })
        const headers = { "x-api-key": service.key }

        const got = yield* service.fetch(page, { headers })
        const head = yield* service.fetch(page, { headers, method: "HEAD" })

        expect([head.status, head.text]).toEqual([200, ""])
        for (const name of ["content-length", "content-type", "daybook-indexed-to"]) {
          expect(head.headers[name]).toBe(got.headers[name])
        }
        expect((yield* service.fetch(page, { method: "HEAD" })).status).toBe(401)
      }),
    )
  })

  describe("CORS", () => {
    it.live("with every origin allowed, a preflight succeeds and responses expose their headers", () =>
      Effect.gen(function* () {
        const service = yield* start()

        const asked = yield* service.fetch(page, {
          method: "OPTIONS",
          headers: {
            origin: "https://app.example",
            "access-control-request-method": "GET",
            "access-control-request-headers": "x-api-key,traceparent",
          },
        })
        const relay = yield* service.fetch(`/rpc/eth/${service.key}`, { method: "OPTIONS" })
        const refused = yield* service.fetch(page, { headers: { origin: "https://app.example" } })

        expect(asked.status).toBe(204)
        expect(asked.headers).toMatchObject({
          "access-control-allow-origin": "*",
          "access-control-allow-methods": "GET, HEAD, OPTIONS",
          "access-control-allow-headers": "x-api-key,traceparent",
        })
        expect(relay.headers["access-control-allow-methods"]).toBe("POST, GET, HEAD, OPTIONS")
        expect(refused.status).toBe(401)
        expect(refused.headers["access-control-allow-origin"]).toBe("*")
        expect(refused.headers["access-control-expose-headers"]!.split(",")).toEqual(
          expect.arrayContaining(["x-request-id", "retry-after", "ratelimit-remaining", "daybook-indexed-to"]),
        )
      }),
    )

    it.live("an origin that is not listed gets no access-control headers", () =>
      Effect.gen(function* () {
        const service = yield* start({ config: { allowedOrigins: ["https://app.example"] } })

        const listed = yield* service.fetch("/health", { headers: { origin: "https://app.example" } })
        const other = yield* service.fetch("/health", { headers: { origin: "https://evil.example" } })

        expect(listed.headers).toMatchObject({ "access-control-allow-origin": "https://app.example", vary: "Origin" })
        expect(other.headers["access-control-allow-origin"]).toBeUndefined()
        expect(other.headers["vary"]).toBe("Origin")
      }),
    )
  })

  describe("failure", () => {
    it.live("a defect responds 500 with the request id only and logs its cause without the key", () =>
      Effect.gen(function* () {
        const service = yield* start()
        const broken: Record<string, unknown> = { ...Rows.block(0, [{ from: alice, to: alice }]) }
        broken["transactions"] = [
          { index: 0, hash: Rows.hashOf("x"), body: `not JSON ${service.key}`, internal: null, addresses: [alice] },
        ]
        broken["decoderRevision"] = 1
        yield* Effect.orDie(service.stores["eth"]!.append(null, [broken as never]))

        const answer = yield* service.get(page)

        expect([answer.status, answer.json]).toEqual([
          500,
          {
            code: "internal",
            message: "Internal server error. The server log has details under this requestId.",
            requestId: answer.headers["x-request-id"],
          },
        ])
        const line = service.logs.find((text) => text.includes(answer.json.requestId) && text.startsWith("Error"))
        expect(line).toContain("to /api/v2.2/:address/verbose failed: ")
        expect(line).toContain("JSON")
        expect(service.logs.join("\n")).not.toContain(service.key)
      }),
    )

    it.live("a database that does not exist yet responds 503 with Retry-After", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { isAbsent: true } } })

        const answer = yield* service.get(page)

        expect([answer.status, answer.headers["retry-after"], answer.json.code, answer.json.message]).toEqual([
          503,
          "1",
          "unavailable",
          "The index cannot be read now. Retry later.",
        ])
      }),
    )

    it.live("a file that is no database responds 500 with that reason, which is logged once and without a stack", () =>
      Effect.gen(function* () {
        const service = yield* start({ chains: { eth: { isAbsent: true } } })
        writeFileSync(join(service.folder, Folder.chainFile("eth")), "not a database\n".repeat(100))

        const answer = yield* service.get(page)
        yield* service.get(page)

        expect([answer.status, answer.json.code, answer.json.message]).toEqual([
          500,
          "internal",
          "Not a database. The log of the server states where, and what to do.",
        ])
        expect(service.logs.filter((line) => line.startsWith("Error"))).toEqual([
          `Error Requests fail: Not a database: ${Folder.chainFile("eth")}. Move the file away, or name another folder. (file is not a database)`,
        ])
      }),
    )

    it("each error of the contract has the status of decision 0012", () => {
      const codes = [
        "bad_request",
        "chain_not_served",
        "traces_not_indexed",
        "address_not_watched",
        "unauthorized",
        "forbidden",
        "not_found",
        "method_not_allowed",
        "stale_cursor",
        "payload_too_large",
        "rate_limited",
        "internal",
        "unavailable",
      ] as const
      expect(codes.map(ErrorResponse.statusOfCode)).toEqual([
        400, 400, 400, 400, 401, 403, 404, 405, 409, 413, 429, 500, 503,
      ])
    })
  })
})
