import { it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, vi } from "vitest"
import * as Latencies from "./Latencies.ts"

vi.setConfig({ testTimeout: 120_000 })

it.live("measure: server-sent events, WebSocket, webhook and polling each receive every block", () =>
  Effect.gen(function* () {
    const measured = yield* Latencies.measure({ blocks: 5, blockMillis: 50, pollMillis: 50 })

    expect(measured.map(({ millis, way }) => [way, millis.length])).toEqual([
      ["server-sent events", 5],
      ["WebSocket", 5],
      ["webhook", 5],
      ["polling each second", 5],
    ])
  }).pipe(Effect.scoped),
)
