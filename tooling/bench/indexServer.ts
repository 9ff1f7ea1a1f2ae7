/** Serves a recorded chain in a process of its own: `node indexServer.ts <file> <latency in ms>`; prints its port and its head. */
import { Effect } from "effect"
import * as Replay from "../../packages/testkit/src/Replay.ts"

const [file = "", latency = "0"] = process.argv.slice(2)
const recording = await Effect.runPromise(Replay.load(file))
const { head, port } = await Replay.start(recording, { latencyMillis: Number(latency) })
console.log(`${port} ${head}`)
