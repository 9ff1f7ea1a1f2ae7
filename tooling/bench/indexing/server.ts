/** Serves a recorded chain: `node server.ts <file> <latency in ms>` prints its port and the number of its newest block. */
import { Effect } from "effect"
import * as Replay from "../../../tooling/harness/src/Replay.ts"

const [file = "", latency = "0"] = process.argv.slice(2)
const recording = await Effect.runPromise(Replay.load(file))
const { head, port } = await Replay.start(recording, { latencyMillis: Number(latency) })
console.log(`${port} ${head}`)
