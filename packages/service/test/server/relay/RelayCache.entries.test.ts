/** Which results are kept, by a cache over a node in memory. */
import { describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expect } from "vitest"
import * as RelayCache from "../../../src/server/relay/RelayCache.ts"
import * as Metrics from "../../../src/server/monitoring/Metrics.ts"
import type { ChainReader } from "../../../src/store/ChainReader.ts"

const mebibyte = 1024 * 1024

/** How often a node is called for a result that is requested three times, and whether the last response is the same. */
const asked = Effect.fnUntraced(function* (
  text: string,
  method: "net_version" | "eth_getTransactionReceipt" = "net_version",
) {
  let calls = 0
  const chain: RelayCache.CachedChain = {
    id: 1,
    name: "eth",
    reader: {} as ChainReader,
    upstream: {
      call: () =>
        Effect.sync(() => {
          calls++
          return Buffer.from(text)
        }),
    },
  }
  const registry = Context.get(yield* Layer.build(Metrics.layer(undefined)), Metrics.Metrics)
  const cache = RelayCache.make(64 * mebibyte, registry)
  const found = yield* Effect.forEach([1, 2, 3], () => cache.call(chain, method, [`0x${"1".repeat(64)}`]))
  return [calls, Buffer.from(found[2]!).toString() === text]
})

const list = (values: number) => `[${Array.from({ length: values - 1 }, () => "0").join(",")}]`

describe("RelayCache", () => {
  it.effect("call: keeps a result of up to 2 MiB", () =>
    Effect.gen(function* () {
      const text = (bytes: number) => `"${"x".repeat(bytes - 2)}"`

      expect(yield* asked(text(2 * mebibyte))).toEqual([1, true])
      expect(yield* asked(text(2 * mebibyte + 1))).toEqual([3, true])
    }),
  )

  it.effect("call: keeps a large result of up to 150,000 values, which are counted before it is parsed", () =>
    Effect.gen(function* () {
      expect(yield* asked(list(150_000))).toEqual([1, true])
      expect(yield* asked(list(150_001))).toEqual([3, true])
    }),
  )

  it.effect("call: does not keep an empty result, however it is written", () =>
    Effect.gen(function* () {
      for (const empty of ["null", " null ", "[]", " [ ] "]) {
        expect(yield* asked(empty)).toEqual([3, true])
      }
      expect(yield* asked("[null]")).toEqual([1, true])
    }),
  )

  it.effect("call: returns a result that names no block unchanged, and does not keep it", () =>
    Effect.gen(function* () {
      expect(yield* asked('{"status":"0x1"}', "eth_getTransactionReceipt")).toEqual([3, true])
    }),
  )
})
