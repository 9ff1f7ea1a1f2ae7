import { describe, expect, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Replay, Rpc } from "@daybook/harness"
import { Effect, Schema } from "effect"

const Block = Schema.Struct({
  transactions: Schema.Array(Schema.String).check(Schema.isMaxLength(3)),
  receipts: Schema.Array(Schema.String).check(Schema.isMaxLength(3)),
  hasTraces: Schema.Boolean,
})
const Blocks = Schema.Array(Block).check(Schema.isMinLength(1), Schema.isMaxLength(5))

const hashOf = (number: number) => `0x${(number + 1).toString(16).padStart(64, "0")}`
const bodiesOf = ({ transactions }: typeof Block.Type) => transactions.map((hash) => ({ hash, value: "0x1" }))

const recordingOf = (blocks: typeof Blocks.Type): Replay.Recording => ({
  chainId: "0x1",
  blocks: blocks.map((block, number) => ({
    hash: hashOf(number),
    hydrated: JSON.stringify({ hash: hashOf(number), transactions: bodiesOf(block) }),
    receipts: JSON.stringify(block.receipts),
    flatTraces: block.hasTraces ? "[]" : undefined,
    callTraces: undefined,
  })),
})

const file = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-replay-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
).pipe(Effect.map((folder) => join(folder, "chain.jsonl")))

describe("Replay", () => {
  it.effect.prop("load: inverts save", [Blocks], ([blocks]) =>
    Effect.gen(function* () {
      const path = yield* file
      yield* Replay.save(recordingOf(blocks), path)

      expect(yield* Replay.load(path)).toEqual(recordingOf(blocks))
    }),
  )

  it.effect.prop(
    "make: replies equal the recording, for every block by number and by hash",
    [Blocks],
    ([blocks]) =>
      Effect.gen(function* () {
        const { url } = yield* Replay.make(recordingOf(blocks))
        const calls = blocks.flatMap((_, number) => [
          { method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, true] },
          { method: "eth_getBlockByHash", params: [hashOf(number), false] },
          { method: "eth_getBlockReceipts", params: [hashOf(number)] },
        ])

        expect(yield* Rpc.batch(url, calls)).toEqual(
          blocks.flatMap((block, number) => [
            { hash: hashOf(number), transactions: bodiesOf(block) },
            { hash: hashOf(number), transactions: block.transactions },
            block.receipts,
          ]),
        )
      }),
    { arbitrary: { runs: 25 } },
  )

  it.effect("make: rejects traces that were not recorded with -32601", () =>
    Effect.gen(function* () {
      const { url } = yield* Replay.make(recordingOf([{ transactions: [], receipts: [], hasTraces: false }]))

      expect((yield* Effect.flip(Rpc.call(url, "trace_block", ["0x0"]))).code).toBe(-32601)
    }),
  )
})
