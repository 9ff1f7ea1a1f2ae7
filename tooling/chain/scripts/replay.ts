/** Records a node's chain to a file, or serves a recording until it is stopped. See `Replay` of `@daybook/harness`. */
import { Effect } from "effect"
import * as Replay from "@daybook/harness/Replay"

const usage = "node scripts/replay.ts record URL FILE | serve FILE [LATENCY_MS]"

const record = (url: string, file: string) =>
  Effect.gen(function* () {
    const recording = yield* Replay.record(url)
    yield* Replay.save(recording, file)
    console.log(`${recording.blocks.length} blocks of chain ${Number(recording.chainId)} written to ${file}`)
  })

const serve = (file: string, latencyMillis: number) =>
  Effect.gen(function* () {
    const { url } = yield* Replay.make(yield* Replay.load(file), { latencyMillis })
    console.log(url)
    return yield* Effect.never
  })

const [command, first, second] = process.argv.slice(2)
if (command === "record" && first !== undefined && second !== undefined) {
  await Effect.runPromise(record(first, second))
} else if (command === "serve" && first !== undefined) {
  await Effect.runPromise(Effect.scoped(serve(first, Number(second ?? 0))))
} else {
  console.error(usage)
  process.exitCode = 1
}
