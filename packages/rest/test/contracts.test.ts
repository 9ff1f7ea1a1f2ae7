import { describe, expect, it } from "@effect/vitest"
import { serve } from "@daybook/harness/ScriptedServer"
import { Effect, Result } from "effect"
import { Query, RestClient } from "../src/index.ts"
import { createRestClient } from "../src/promise.ts"

const vault = `0x${"Ab".repeat(20)}`
const abi = [{ type: "function", name: "poke", inputs: [{ name: "times", type: "uint256" }] }]

/** Serves responses in turn. */
const serveAnswers = Effect.fnUntraced(function* (...answers: ReadonlyArray<readonly [status: number, body: object]>) {
  const server = yield* serve((_, response, number) => {
    const [status, answer] = answers[number - 1] ?? [500, {}]
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(answer))
  })
  const received = () =>
    server.seen.map(({ body, headers, method, url }) => ({ method, url, type: headers["content-type"], body }))
  return { received, options: { baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 5 } } }
})

const unavailable = { code: "unavailable", message: "Retry later.", requestId: "1" }

describe("RestClient for contracts", () => {
  it.live("putContract: sends the description as JSON, and again if the server was unavailable", () =>
    Effect.gen(function* () {
      const stored = { contract: vault.toLowerCase(), name: "Vault", items: "1" }
      const { options, received } = yield* serveAnswers([503, unavailable], [200, stored])
      const client = yield* RestClient.make(options)

      const result = yield* client.putContract({ contract: vault, chain: "polygon", name: "Vault", abi })

      const expected = {
        method: "PUT",
        url: `/api/v2.2/contracts/${vault.toLowerCase()}?chain=polygon`,
        type: "application/json",
        body: JSON.stringify({ name: "Vault", abi }),
      }
      expect(received()).toEqual([expected, expected])
      expect(result).toEqual({ ...stored, items: 1 })
    }),
  )

  it.live("removeContract: sends DELETE without a body, also with promises", () =>
    Effect.gen(function* () {
      const { options, received } = yield* serveAnswers([200, { contract: "my pack", removed: false }])

      const result = yield* Effect.promise(() => createRestClient(options).removeContract({ contract: "my pack" }))

      expect(received()).toEqual([
        { method: "DELETE", url: "/api/v2.2/contracts/my%20pack", type: undefined, body: "" },
      ])
      expect(result).toEqual({ contract: "my pack", removed: false })
    }),
  )

  it("encodePutContract: names the first invalid part", () => {
    const circular: Array<unknown> = []
    circular.push(circular)
    const pathOf = (query: unknown) => {
      // A program that is not type-checked.
      const encoded = Query.encodePutContract(query as Query.DescriptionQuery)
      return Result.isFailure(encoded) ? encoded.failure.path : "none"
    }

    expect(
      [
        null,
        {},
        { contract: "0x12" },
        { contract: vault, label: "x" },
        { contract: vault, chain: "" },
        { contract: vault, name: "a\nb" },
        { contract: vault, abi: "x" },
        { contract: vault, abi: circular },
        { contract: vault, name: "Vault", abi },
      ].map(pathOf),
    ).toEqual(["query", "contract", "contract", "label", "chain", "name", "abi", "abi", "none"])
  })
})
