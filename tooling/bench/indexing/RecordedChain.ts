/** The chain on which indexers are measured: seeded traffic on a real node, recorded once and kept in `recordings/`. */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import * as Anvil from "../../chain/src/Anvil.ts"
import * as Scenario from "../../chain/src/Scenario.ts"
import * as Replay from "../../../tooling/harness/src/Replay.ts"
import * as ChildProgram from "../ChildProgram.ts"

/** Number of blocks in the chain, unless a benchmark requests another number. */
export const defaultBlocks = 1000
/** Number of blocks in the chain of the smallest benchmarks. */
export const smallestBlocks = 12
const transactionsPerBlock = 20
const folder = join(import.meta.dirname, "../recordings")

/** The recording's file. It is created if missing, which takes a minute for 1,000 blocks. */
export const file = async (blocks = defaultBlocks): Promise<string> => {
  const path = join(folder, `chain-${blocks}x${transactionsPerBlock}.replay`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const report = (step: string, number: number) =>
    number % 100 === 0 ? console.error(`${step} ${number} of ${blocks}`) : undefined
  const record = Effect.gen(function* () {
    const node = yield* Anvil.make()
    yield* Scenario.run(node, {
      blocks,
      size: transactionsPerBlock,
      blobs: false,
      onProgress: (progress) => report("mined", progress.blocks),
    })
    const recording = yield* Replay.record(node.url, { onBlock: (number) => report("recorded", number) })
    yield* Replay.save(recording, path)
  })
  await Effect.runPromise(Effect.scoped(record))
  return path
}

/** A node in its own process that serves the recording. */
export interface ReplayedNode {
  readonly url: string
  /** Number of the newest block. */
  readonly head: number
  readonly stop: () => Promise<void>
}

/** Serves the recording, with each response delayed by `latencyMillis`. */
export const serve = async (latencyMillis: number, blocks?: number): Promise<ReplayedNode> => {
  const args = [await file(blocks), String(latencyMillis)]
  const { line, stop } = await ChildProgram.start(join(import.meta.dirname, "server.ts"), args)
  const [port, head] = line.split(" ")
  return { url: `http://127.0.0.1:${port}`, head: Number(head), stop }
}
