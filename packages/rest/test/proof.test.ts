/** The comparison of a wallet with the chain, requested in both styles of the client. */
import type { ProofProgressWire } from "@daybook/schema/ProofProgress"
import { describe, expect, it } from "@effect/vitest"
import { serve } from "@daybook/harness/ScriptedServer"
import { Effect } from "effect"
import { RestClient } from "../src/index.ts"
import { createRestClient } from "../src/promise.ts"

const address = `0x${"ab".repeat(20)}`

const progressOf = (calls: number, proof: ProofProgressWire["proof"]): ProofProgressWire => ({
  address,
  block_number: "90",
  calls: String(calls),
  proof,
})

const different = {
  block_number: "90",
  proved: false,
  proved_at_block: null,
  differences: [{ asset: "native", token_id: null, expected: "5", found: "7", first_block: "12" }],
  not_compared: [],
}

/** Serves bodies in turn. */
const serveInTurn = Effect.fnUntraced(function* (...answers: ReadonlyArray<readonly [status: number, body: object]>) {
  const server = yield* serve((_, response, number) => {
    const [status, answer] = answers[number - 1] ?? [500, {}]
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(answer))
  })
  const received = () => server.seen.map(({ method, url }) => `${method} ${url}`)
  return { received, options: { baseUrl: server.url, apiKey: "key-1", retry: { base: 1, cap: 5 } } }
})

describe("proveWallet", () => {
  it.live("polls until the comparison is complete, reports its progress, and returns the differences", () =>
    Effect.gen(function* () {
      const { options, received } = yield* serveInTurn(
        [200, progressOf(0, null)],
        [503, { code: "unavailable", message: "Retry later.", requestId: "1" }],
        [200, progressOf(40, null)],
        [200, progressOf(0, different)],
      )
      const client = yield* RestClient.make(options)
      const calls: Array<number> = []

      const proof = yield* client.proveWallet(
        { address, chain: "polygon" },
        { onProgress: (progress) => void calls.push(progress.calls) },
      )

      const later = `PUT /api/v2.2/${address}/proof?chain=polygon&to_block=90`
      expect(received()).toEqual([`PUT /api/v2.2/${address}/proof?chain=polygon`, later, later, later])
      expect(calls).toEqual([0, 40])
      expect(proof).toMatchObject({ block_number: 90n, proved: false, differences: [{ expected: 5n, found: 7n }] })
    }),
  )

  it.live(
    "with promises: a known comparison is returned at once, an error response rejects, and a signal ends the wait",
    () =>
      Effect.gen(function* () {
        const { options, received } = yield* serveInTurn(
          [200, progressOf(0, { ...different, proved: true, proved_at_block: "90", differences: [] })],
          [403, { code: "forbidden", message: "API key not allowed for the operation proveWallet.", requestId: "1" }],
          [200, progressOf(0, null)],
        )
        const rest = createRestClient(options)
        const stop = new AbortController()

        const proof = yield* Effect.promise(() => rest.proveWallet({ address, to_block: 80 }))
        const refused = yield* Effect.promise(() => rest.proveWallet({ address }).catch((error: unknown) => error))
        const stopped = yield* Effect.promise(() =>
          rest
            .proveWallet({ address }, { signal: stop.signal, onProgress: () => stop.abort(new Error("stopped")) })
            .catch((error: unknown) => error),
        )

        expect([proof.proved, proof.proved_at_block]).toEqual([true, 90n])
        expect(refused).toMatchObject({ _tag: "Forbidden", isRetryable: false })
        expect(stopped).toMatchObject({ message: "stopped" })
        expect(received()[0]).toBe(`PUT /api/v2.2/${address}/proof?to_block=80`)
      }),
  )

  it.live("names an unknown option", () =>
    Effect.gen(function* () {
      const client = yield* RestClient.make({ baseUrl: "http://127.0.0.1:9", apiKey: "key-1" })
      const options: object = { onProgres: () => undefined }

      const error = yield* Effect.flip(client.proveWallet({ address }, options))

      expect(error).toMatchObject({ _tag: "BadRequest", parameter: "onProgres" })
    }),
  )
})
