/**
 * Indexes blocks with trace bombs and prints memory, the longest turn of the indexer's event loop and time: `pnpm --filter
 * @daybook/service bombs debug_traceBlockByNumber`. The node runs in a separate process. Turns are measured in CPU time, which excludes
 * other programs on the machine.
 */
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as ChainIndexer from "../../src/indexer/ChainIndexer.ts"
import * as Node from "../../src/node/Node.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as LongestTurn from "../attack/LongestTurn.ts"
import * as BombNode from "./node.ts"

const blocks: ReadonlyArray<ReadonlyArray<BombNode.Kind>> = [
  ["plain"],
  ["input"],
  Array.from({ length: 12 }, () => "input" as const),
  Array.from({ length: 12 }, () => "unique input" as const),
  ["output", "frames", "depth", "plain"],
  ["logs", "logs"],
  ["plain"],
]

if (process.argv[2] === "node") {
  const node = await BombNode.start(blocks, new Set(process.argv.slice(3)))
  process.send?.(node.url)
} else {
  const methods = process.argv.slice(2)
  const child = fork(import.meta.filename, ["node", ...methods])
  const url = await new Promise<string>((resolve) => child.once("message", (message) => resolve(message as string)))
  const folder = mkdtempSync(join(tmpdir(), "daybook-bombs-"))
  const turns = LongestTurn.start()
  let peak = 0
  const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  const started = performance.now()
  const program = Effect.gen(function* () {
    const database = yield* Engine.fromUrl(`sqlite:${folder}`, folder)
    const { reader } = database.chain({ name: "eth", id: 31337 })
    const node = yield* Node.make({ urls: [url], chainId: 31337 })
    const options = {
      chain: "eth",
      chainId: 31337,
      owner: "me",
      decoder: KnownSignatures.decoder(),
      checks: "links",
    } as const
    yield* Effect.forkScoped(ChainIndexer.run(node, options).pipe(Effect.provideService(Engine.Engine, database)))
    const head = Effect.orElseSucceed(
      reader.snapshot(({ checkpoint }) => checkpoint),
      () => null,
    )
    while ((yield* head)?.head.number !== blocks.length - 1) yield* Effect.sleep(50)
    return yield* reader.gaps({ from: 0, to: 100, limit: 100 })
  })
  const gaps = await Effect.runPromise(Effect.scoped(program))
  console.log({
    methods,
    seconds: (performance.now() - started) / 1000,
    peakMiB: Math.round(peak / 2 ** 20),
    longestTurnMillis: Math.round(turns.take()),
    gaps: gaps.map(({ block, reason }) => `${block}: ${reason}`),
  })
  clearInterval(watching)
  child.kill()
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}
