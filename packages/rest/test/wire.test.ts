/** Recorded responses of real providers, served from a real socket. */
import { describe, expect, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import { Effect, Schema } from "effect"
import { RestClient } from "../src/index.ts"
import { page, row, wallet } from "./history.ts"
import * as Recordings from "@daybook/harness/Recordings"
import { reply, script } from "@daybook/harness/ScriptedServer"

const recordings = Recordings.all.filter(({ kind }) => kind === "rest")

const ask = (status: number, body: string) =>
  Effect.gen(function* () {
    const server = yield* script(reply(status, body, { "content-type": "application/json; charset=utf-8" }))
    const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key-1", retry: { maxAttempts: 1 } })
    return yield* rest.walletTransactions({ address: wallet })
  })

/**
 * Every value of the response is in the decoded page, apart from spelling: numbers as numbers, empty values as null,
 * one case of hex.
 */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)] as const))
  }
  if (typeof value === "number") return String(value)
  return value === "" ? null : typeof value === "string" ? value.toLowerCase() : value
}

const expectKept = (sent: unknown, kept: unknown, path: string): void => {
  if (Array.isArray(sent)) {
    expect([path, Array.isArray(kept)]).toStrictEqual([path, true])
    return sent.forEach((inner, at) => expectKept(inner, (kept as ReadonlyArray<unknown>)[at], `${path}[${at}]`))
  }
  if (typeof sent === "object" && sent !== null) {
    for (const [name, inner] of Object.entries(sent))
      expectKept(inner, Reflect.get(Object(kept), name), `${path}.${name}`)
    return
  }
  expect([path, plain(kept) ?? null]).toStrictEqual([path, plain(sent) ?? null])
}

describe("wire", () => {
  for (const { file, json: recorded } of recordings.filter((one) => one.file.startsWith("rest/verbose-"))) {
    it.live(`decodes ${file} and keeps every value of it`, () =>
      Effect.gen(function* () {
        const sent: object =
          typeof recorded === "object" && recorded !== null && "result" in recorded
            ? recorded
            : { page: 0, page_size: 100, cursor: null, result: recorded }
        const got = yield* ask(200, JSON.stringify(sent))
        const kept = Schema.encodeSync(WalletPage.WalletPage)(got)

        const list = "result" in sent && !Array.isArray(sent.result) ? { ...sent, result: [sent.result] } : sent
        expectKept(list, kept, "page")
        expect(got.result.length).toBeGreaterThanOrEqual(1)
      }),
    )
  }

  const table: ReadonlyArray<readonly [file: string, status: number, tag: string, text: string]> = [
    ["rest/001.json", 404, "NotFound", "null"],
    ["rest/002.json", 404, "NotFound", "Block not found"],
    ["rest/017.json", 400, "BadRequest", "Invalid block number or block hash provided"],
    ["rest/030.json", 400, "BadRequest", "address is not a valid hex address"],
    ["rest/032.json", 404, "NotFound", "null"],
    ["rest/035.json", 404, "NotFound", "null"],
    [
      "errors/237.json",
      200,
      "InvalidResponse",
      "page: expected decimal digits of a safe integer such as 12, received nothing",
    ],
    [
      "errors/239.json",
      200,
      "InvalidResponse",
      "page: expected decimal digits of a safe integer such as 12, received nothing",
    ],
    [
      "errors/240.json",
      200,
      "InvalidResponse",
      "page: expected decimal digits of a safe integer such as 12, received nothing",
    ],
    ["errors/253.json", 429, "RateLimited", "Rate limit exceeded"],
    ["errors/255.json", 500, "InvalidResponse", "Parse Error"],
  ]
  const bodyOf = (file: string): string => {
    const recorded = Recordings.json(file)
    const body = typeof recorded === "object" && recorded !== null && "body" in recorded ? recorded.body : recorded
    return typeof body === "string" ? body : JSON.stringify(body)
  }
  for (const [file, status, tag, text] of table) {
    it.live(`reads ${status} with the body of ${file} as ${tag}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask(status, bodyOf(file)))

        expect(error._tag).toBe(tag)
        expect(error.message).toContain(text)
      }),
    )
  }
  it("lists every error of the wallet operation that was recorded", () => {
    const recorded = recordings.filter(({ json }) => Number((json as { readonly status?: unknown }).status) >= 400)

    expect(recorded.map(({ file }) => file)).toStrictEqual(
      table.map(([file]) => file).filter((file) => file.startsWith("rest/")),
    )
  })

  it.live("keeps entities, logos, fees and transfer indexes of a hosted provider", () =>
    Effect.gen(function* () {
      const extras = { from_address_entity: "Some Exchange", from_address_entity_logo: null, transaction_fee: "0.0001" }
      const body = page([{ ...row(5, 0), ...extras, transfer_index: [5, 0] }], null, { page: 0, page_size: 100 })
      const got = yield* ask(200, body)

      expect(got.result[0]).toMatchObject({ ...extras, transfer_index: [5, 0] })
    }),
  )
})
