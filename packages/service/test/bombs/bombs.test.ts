/**
 * An indexer and transactions with little gas whose traces are large: no block stops it, and what it stores of one is
 * bounded.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { LocalServer } from "@daybook/harness"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import { Engine } from "../../src/store/Engine.ts"
import { decoder, openStore } from "../indexer/chain.ts"
import * as fixture from "../indexer/fixture.ts"
import * as BombNode from "./node.ts"

const timeout = 60_000
const traceLimits = { transactionBytes: 1_000_000, blockBytes: 3_000_000, frames: 1_100, depth: 1_024 }
const blocks: ReadonlyArray<ReadonlyArray<BombNode.Kind>> = [
  ["plain"],
  ["input", "plain"],
  ["unique input", "output", "input", "input", "plain"],
  ["frames", "depth", "plain"],
  ["plain"],
]

interface Row {
  readonly input: string | null
  readonly input_length?: string
  readonly input_hash?: string
}

/** Frames with inputs that exceed the limits many times; `pnpm --filter @daybook/service bombs` has more of them. */
const largeFrames = 45

/** Indexes the blocks of a node with these methods; returns the rows by block and index, and the gaps. */
const index = Effect.fnUntraced(function* (methods: ReadonlyArray<string>) {
  const bombs = yield* LocalServer.scoped(() => BombNode.start(blocks, new Set(methods), { largeFrames }))
  const store = yield* openStore
  const node = yield* Node.make({ urls: [bombs.url], chainId: 31337, traceLimits })
  const options = { chain: store.ref.name, chainId: store.ref.id, owner: "me", decoder, checks: "links" } as const
  yield* ChainIndexer.run(node, { ...options, frames: traceLimits.frames }).pipe(
    Effect.provideService(Engine, store.database),
    Effect.forkScoped,
  )
  const head = store.snapshot(({ checkpoint }) => checkpoint)
  while ((yield* head)?.head.number !== blocks.length - 1) yield* Effect.sleep(20)
  const query = { key: fixture.sender, from: 0, to: 9, order: "ASC", after: null, limit: 100 } as const
  const { rows } = yield* store.snapshot(({ page }) => page(WalletTransactions.projection, query))
  return { rows, gaps: yield* store.gaps({ from: 0, to: 9, limit: 100 }), calls: bombs.calls }
})

describe("trace bombs", () => {
  it.live.each(["debug_traceBlockByNumber", "trace_block", "debug_traceTransaction"])(
    "run: indexes blocks of bombs with bounded rows: %s",
    (method) =>
      Effect.gen(function* () {
        const { gaps, rows } = yield* index([method])
        const internal = rows.map((row) => JSON.parse(row.internal ?? "null") as ReadonlyArray<Row> | null)

        expect(rows.length).toBe(blocks.flat().length)
        expect(Math.max(...rows.map((row) => row.internal?.length ?? 0))).toBeLessThan(1_400_000)
        expect(internal[1]?.length).toBe(largeFrames)
        expect(internal[1]?.[0]?.input).toBe(`0x${"5a".repeat(100_000)}`)
        expect(internal[1]?.at(-1)).toMatchObject({
          input: null,
          input_length: "100000",
          input_hash: "0xf734fc90ca6f928f4e772a31dba36dd6924c80bd654c3681f15ee7725eaac713",
        })
        expect(internal[2]).toHaveLength(1)
        expect(gaps).toMatchObject([
          { block: 3, kind: "trace", reason: "Trace beyond the limits: more than 1100 frames." },
        ])
      }).pipe(Effect.scoped),
    timeout,
  )
})
