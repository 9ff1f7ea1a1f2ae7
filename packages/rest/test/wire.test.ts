/** Answers of real providers, served from a real socket. They lie outside the repository; without them only our own fixtures count. */
import { assert, describe, it } from "@effect/vitest"
import { WalletPage } from "@daybook/schema"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { RestClient } from "../src/index.ts"
import { page, row, wallet } from "./history.ts"
import { reply, script } from "./server.ts"

const folder = join(import.meta.dirname, "../../../../shared/wire/rest")
const isThere = existsSync(folder)
if (!isThere) console.log(`wire: ${folder} is not there, so recorded answers were not read`)

const names = isThere ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"))

const ask = (status: number, body: string) =>
  Effect.gen(function* () {
    const server = yield* script(reply(status, body, { "content-type": "application/json; charset=utf-8" }))
    const rest = yield* RestClient.make({ baseUrl: server.url, apiKey: "key-1", retry: { maxAttempts: 1 } })
    return yield* rest.walletTransactions({ address: wallet })
  })

/** Every value of the answer is in the decoded page, but for spelling: numbers as numbers, nothing as null, one case of hex. */
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
    assert.isArray(kept, path)
    return sent.forEach((inner, at) => expectKept(inner, (kept as ReadonlyArray<unknown>)[at], `${path}[${at}]`))
  }
  if (typeof sent === "object" && sent !== null) {
    for (const [name, inner] of Object.entries(sent))
      expectKept(inner, Reflect.get(Object(kept), name), `${path}.${name}`)
    return
  }
  assert.deepStrictEqual(plain(kept) ?? null, plain(sent) ?? null, path)
}

describe("wire", () => {
  for (const name of names.filter((one) => one.startsWith("verbose-"))) {
    it.live(`decodes ${name} and keeps every value of it`, () =>
      Effect.gen(function* () {
        const recorded = read(name)
        const sent: object =
          typeof recorded === "object" && recorded !== null && "result" in recorded
            ? recorded
            : { page: 0, page_size: 100, cursor: null, result: recorded }
        const got = yield* ask(200, JSON.stringify(sent))
        const kept = Schema.encodeSync(WalletPage.WalletPage)(got)

        const list = "result" in sent && !Array.isArray(sent.result) ? { ...sent, result: [sent.result] } : sent
        expectKept(list, kept, "page")
        assert.isAtLeast(got.result.length, 1)
      }),
    )
  }

  const errors: ReadonlyArray<{ readonly name: string; readonly status: number; readonly body: unknown }> =
    names.flatMap((name) => {
      const recorded = read(name) as { readonly status?: unknown; readonly body?: unknown }
      const { body, status } = recorded
      return typeof status === "number" && status >= 400 ? [{ name, status, body }] : []
    })
  for (const { body, name, status } of errors) {
    it.live(`reads the ${status} of ${name} as its tag`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask(status, JSON.stringify(body)))

        assert.strictEqual(error._tag, { 400: "BadRequest", 401: "Unauthorized", 404: "NotFound" }[status])
        assert.include(error.message, (body as { readonly message: string }).message.slice(0, 40))
      }),
    )
  }

  it.live("keeps entities, logos, fees and transfer indexes of a hosted provider", () =>
    Effect.gen(function* () {
      const extras = { from_address_entity: "Some Exchange", from_address_entity_logo: null, transaction_fee: "0.0001" }
      const body = page([{ ...row(5, 0), ...extras, transfer_index: [5, 0] }], null, { page: 0, page_size: 100 })
      const got = yield* ask(200, body)

      assert.deepInclude<object | undefined>(got.result[0], { ...extras, transfer_index: [5, 0] })
    }),
  )
})
