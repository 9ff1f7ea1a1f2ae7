import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { Decoder } from "@daybook/abi/Decoder"
import * as RangeSource from "../../../src/indexer/backfill/RangeSource.ts"
import type { BatchFetcher } from "../../../src/node/BatchFetcher.ts"
import type { Node } from "../../../src/node/Node.ts"
import { decoder } from "../chain.ts"
import * as fixture from "../fixture.ts"

const hex = (number: number) => `0x${number.toString(16)}`
const place = (number: number) => ({
  blockHash: `0x${number.toString(16).padStart(64, "0")}`,
  blockNumber: hex(number),
})

const fetcher: BatchFetcher = {
  size: 3,
  blocks: (numbers) =>
    Effect.succeed(
      numbers.map((number) => {
        const { blockHash: hash } = place(number)
        return fixture.block({
          number: hex(number),
          hash,
          transactions: [{ ...fixture.transferWire, ...place(number) }],
        })
      }),
    ),
  parts: (refs) =>
    Effect.succeed(
      refs.map(({ number }) => ({
        receipts: fixture.receipts([
          { ...fixture.transferReceiptWire, ...place(number), logs: [fixture.logWire(0, 0, place(number))] },
        ]),
        traces: null,
      })),
    ),
}

// Sound: nothing else of a node is called.
const node = { batchFetcher: () => Effect.succeed(fetcher), latencyMillis: () => 0 } as unknown as Node

/** A clock on which a turn of the event loop is over whenever it is read. */
const hurried = (clock: Clock.Clock): Clock.Clock => {
  let nanos = 0n
  // Sound: everything except the monotonic time is read from the clock itself.
  return Object.create(clock, {
    monotonicTimeNanosUnsafe: { value: () => (nanos += 20_000_000n) },
  }) as Clock.Clock
}

describe("RangeSource", () => {
  it.effect("local: assembles ranges that arrived together one after another, so that the first is done first", () =>
    Effect.gen(function* () {
      const decoded: Array<bigint | null> = []
      const noting: Decoder = {
        ...decoder,
        event: (log) => {
          decoded.push((log as { readonly blockNumber?: bigint | null }).blockNumber ?? null)
          return decoder.event(log)
        },
      }
      const source = RangeSource.local({ node, concurrency: 8, assembling: { decoder: noting, checks: "links" } })
      const plans = [
        yield* source.plan({ from: 5, to: 90 }, "lowest"),
        yield* source.plan({ from: 8, to: 90 }, "lowest"),
      ]
      const fetched = yield* Effect.forEach(plans, ({ fetch }) => fetch, { concurrency: 2 }).pipe(
        Effect.provideService(Clock.Clock, hurried(yield* Clock.Clock)),
      )

      expect(fetched.map(({ rows }) => rows.length)).toEqual([3, 3])
      expect(decoded).toEqual([5n, 6n, 7n, 8n, 9n, 10n])
    }),
  )
})
