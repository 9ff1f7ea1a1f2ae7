import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import type { IndexerStatus } from "../../../src/store/StatusBoard.ts"
import * as Rows from "../rows.ts"
import { start } from "../service.ts"

const { stranger } = Rows

const reported = (state: IndexerStatus["state"], traces: IndexerStatus["traces"]): IndexerStatus => ({
  state,
  traces,
  nodeHead: 8,
  message: "",
})

/** The status of an empty page with internal transactions, of a chain whose indexer has reported a status. */
const statusOf = (blocks: ReadonlyArray<ReturnType<typeof Rows.block>>, status: IndexerStatus | undefined) =>
  Effect.gen(function* () {
    const service = yield* start({ chains: { eth: { blocks } } })
    if (status !== undefined) yield* Effect.orDie(service.stores["eth"]!.writeStatus(status))
    return (yield* service.wallet(Rows.address("1"), "include=internal_transactions")).status
  }).pipe(Effect.scoped)

describe("include", () => {
  it.live.each([
    [200, "has reported nothing", undefined],
    [200, "traces and is in sync", reported("synced", "debug_traceBlock")],
    [200, "traces and catches up", reported("backfill", "debug_traceBlock")],
    [400, "finds no traces and is in sync", reported("synced", "off")],
    [400, "finds no traces and catches up", reported("backfill", "off")],
    [200, "waits for its node, and cannot know yet", reported("waiting", "off")],
  ] as const)("include: responds %i for a wallet without transactions if the indexer %s", ([expected, , status]) =>
    Effect.gen(function* () {
      expect(yield* statusOf([Rows.block(0, [{ from: stranger, to: stranger }])], status)).toBe(expected)
    }),
  )

  it.live("include: responds 200 on a chain without blocks, whatever its indexer has reported", () =>
    Effect.gen(function* () {
      expect(yield* statusOf([], reported("backfill", "off"))).toBe(200)
    }),
  )
})
