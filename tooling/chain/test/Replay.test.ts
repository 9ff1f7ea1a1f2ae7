import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, vi } from "vitest"
import { Anvil, Head, Scenario } from "@daybook/chain"
import { Replay, Rpc } from "@daybook/harness"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-replay-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const callTracer = { tracer: "callTracer" }

const callsFor = (number: number, hash: string): ReadonlyArray<Rpc.Call> => {
  const id = `0x${number.toString(16)}`
  return [
    { method: "eth_getBlockByNumber", params: [id, true] },
    { method: "eth_getBlockByNumber", params: [id, false] },
    { method: "eth_getBlockByHash", params: [hash, true] },
    { method: "eth_getBlockByHash", params: [hash, false] },
    { method: "eth_getBlockReceipts", params: [id] },
    { method: "eth_getBlockReceipts", params: [hash] },
    { method: "trace_block", params: [id] },
    { method: "debug_traceBlockByNumber", params: [id, callTracer] },
  ]
}

const recorded: Replay.Recording = {
  chainId: "0x1",
  blocks: [
    {
      hash: `0x${"a".repeat(64)}`,
      hydrated: '{"transactions":[]}',
      receipts: "[]",
      flatTraces: undefined,
      callTraces: undefined,
    },
  ],
}

describe("Replay", () => {
  describe("record", () => {
    it.live("make: replies equal those of the recorded node, in single calls and batches, and from a file", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make({ chainId: 5 })
        yield* Scenario.run(node, { seed: 1, blocks: 2, size: 8, blobs: false })
        const recording = yield* Replay.record(node.url)
        const file = join(yield* folder, "chain.jsonl")
        yield* Replay.save(recording, file)
        const replay = yield* Replay.make(yield* Replay.load(file))
        const [last] = (yield* Head.range(node, replay.head, replay.head)).slice(-1)

        expect(recording.blocks.length).toBe(replay.head + 1)
        const calls: ReadonlyArray<Rpc.Call> = [
          { method: "eth_chainId" },
          { method: "eth_blockNumber" },
          { method: "net_version" },
          { method: "eth_getBlockByNumber", params: ["latest", true] },
          { method: "eth_getBlockByNumber", params: ["0xfffff", true] },
          ...callsFor(replay.head, last?.hash ?? ""),
          ...callsFor(1, recording.blocks[1]?.hash ?? ""),
        ]
        expect(yield* Rpc.batch(replay.url, calls)).toEqual(yield* Rpc.batch(node.url, calls))
        for (const { method, params } of calls.slice(0, 8)) {
          expect(yield* Rpc.call(replay.url, method, params)).toEqual(yield* Rpc.call(node.url, method, params))
        }
        expect(replay.counts()).toEqual({ requests: 9, calls: calls.length + 8 })
      }),
    )

    it.live("record: skips unwanted traces", () =>
      Effect.gen(function* () {
        const node = yield* Anvil.make()
        const blocks: Array<number> = []
        const onBlock = (number: number) => blocks.push(number)
        const recording = yield* Replay.record(node.url, { flatTraces: false, callTraces: false, onBlock })
        const { url } = yield* Replay.make(recording)

        expect(blocks).toEqual([0])
        expect((yield* Effect.flip(Rpc.call(url, "trace_block", ["0x0"]))).code).toBe(-32601)
      }),
    )
  })

  describe("make", () => {
    it.live("make: delays a request once, whatever the number of its calls", () =>
      Effect.gen(function* () {
        const latencyMillis = 7
        const { url } = yield* Replay.make(recorded, { latencyMillis })
        const timers = vi.spyOn(globalThis, "setTimeout")
        const calls = Array.from({ length: 20 }, () => ({ method: "eth_chainId" }))
        const results = yield* Rpc.batch(url, calls)
        const delays = timers.mock.calls.filter(([, millis]) => millis === latencyMillis)
        timers.mockRestore()

        expect(results).toHaveLength(20)
        expect(delays).toHaveLength(1)
      }),
    )

    it.live("make: rejects a method that was not recorded, and text that is not JSON", () =>
      Effect.gen(function* () {
        const { url } = yield* Replay.make(recorded)
        const text = yield* Effect.promise(async () => (await fetch(url, { method: "POST", body: "[" })).text())

        expect((yield* Effect.flip(Rpc.call(url, "eth_getBalance"))).code).toBe(-32601)
        expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: -32700 } })
      }),
    )
  })

  describe("load", () => {
    it.live("load: fails with the reason for a file that is not a recording", () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "other.jsonl")
        writeFileSync(file, '{"some":"json"}\n')

        expect((yield* Effect.flip(Replay.load(file))).message).toContain("first line")
        expect((yield* Effect.flip(Replay.load(`${file}.missing`))).message).toContain("ENOENT")
      }),
    )
  })
})
