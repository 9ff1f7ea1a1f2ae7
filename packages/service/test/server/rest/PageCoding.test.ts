import * as Zlib from "node:zlib"
import { request } from "node:http"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../node.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

interface Received {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly bytes: Buffer
}

/** GET, or POST of a body, without the decoding that `fetch` does. */
const fetchRaw = (url: string, headers: Record<string, string>, body?: string): Effect.Effect<Received> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        const method = body === undefined ? "GET" : "POST"
        const sent = request(url, { method, headers, agent: false }, (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("end", () => {
            resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) })
          })
        })
        sent.on("error", reject).end(body)
      }),
  )

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  zstd: Zlib.zstdDecompressSync,
  br: Zlib.brotliDecompressSync,
  gzip: Zlib.gunzipSync,
}

const started = Effect.gen(function* () {
  const service = yield* start({ chains: { eth: { blocks: Rows.chain(0, 5) } } })
  return (more: Record<string, string> = {}, wallet = Rows.alice) =>
    fetchRaw(`${service.url}/api/v2.2/${wallet}/verbose`, { "x-api-key": service.key, ...more })
})

describe("codings and tags of pages", () => {
  it.live(
    "a page is sent in the coding that the client prefers, with the same tag, and decodes to the same bytes",
    () =>
      Effect.gen(function* () {
        const page = yield* started
        const plain = yield* page()

        expect(plain.headers["content-encoding"]).toBeUndefined()
        expect(plain.headers).toMatchObject({ vary: "accept-encoding", "cache-control": "no-store" })
        for (const [accepted, coding] of [
          ["gzip, deflate, br, zstd", "zstd"],
          ["gzip, br", "br"],
          ["gzip", "gzip"],
          ["gzip;q=1, br;q=0.5, zstd;q=0", "gzip"],
        ] as const) {
          const coded = yield* page({ "accept-encoding": accepted })
          expect([accepted, coded.headers["content-encoding"]]).toEqual([accepted, coding])
          expect(coded.headers["etag"]).toBe(plain.headers["etag"])
          expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2)
          expect(decoders[coding]!(coded.bytes).equals(plain.bytes)).toBe(true)
        }
      }),
  )

  it.live("a page under a kilobyte, and one for a client without codings, is sent uncompressed", () =>
    Effect.gen(function* () {
      const page = yield* started
      const small = yield* page({ "accept-encoding": "zstd" }, `0x${"7".repeat(40)}`)
      const plain = yield* page({ "accept-encoding": "deflate, identity;q=0.5" })

      expect([small.headers["content-encoding"], plain.headers["content-encoding"]]).toEqual([undefined, undefined])
      expect(JSON.parse(small.bytes.toString())).toMatchObject({ result: [] })
    }),
  )

  it.live(
    "a relayed response of a kilobyte is sent in a fast coding that the client accepts, alone and in a batch",
    () =>
      Effect.gen(function* () {
        const result = JSON.stringify("ab".repeat(1_000))
        const node = yield* Node.start(() => Node.result(result))
        const service = yield* start({ chains: { eth: { config: { rpc: [node.url] } } } })
        const call = { jsonrpc: "2.0", id: 1, method: "eth_getCode", params: [Rows.alice, "latest"] }
        for (const body of [call, [call, { ...call, id: 2 }]]) {
          for (const coding of ["zstd", "br"] as const) {
            const coded = yield* fetchRaw(
              `${service.url}/rpc/eth/${service.key}`,
              { "accept-encoding": `gzip, ${coding}` },
              JSON.stringify(body),
            )
            expect(coded.headers["content-encoding"]).toBe(coding)
            expect(coded.bytes.length).toBeLessThan(200)
            const [answer] = [JSON.parse(decoders[coding]!(coded.bytes).toString())].flat()
            expect(JSON.stringify(answer.result)).toBe(result)
          }
        }
        for (const [accepted, body] of [
          ["gzip, deflate", call],
          ["zstd", { ...call, method: "none" }],
        ] as const) {
          const plain = yield* fetchRaw(
            `${service.url}/rpc/eth/${service.key}`,
            { "accept-encoding": accepted },
            JSON.stringify(body),
          )
          expect(plain.headers["content-encoding"]).toBeUndefined()
        }
      }),
  )

  it.live("a client that has the page receives 304 without it, with the current coverage of the index", () =>
    Effect.gen(function* () {
      const page = yield* started
      const etag = String((yield* page()).headers["etag"])
      const known = yield* page({ "if-none-match": `"other", ${etag}`, "accept-encoding": "gzip" })
      const strong = yield* page({ "if-none-match": etag.replace("W/", "") })
      const other = yield* page({ "if-none-match": `W/"other"` })

      expect([known.status, known.bytes.length, known.headers["etag"]]).toEqual([304, 0, etag])
      expect(known.headers["daybook-indexed-to"]).toBe("5")
      expect([strong.status, other.status]).toEqual([304, 200])
    }),
  )
})
