/** A program that indexes the jobs given as JSON, prints each event and log line as a line of JSON, and stops on SIGTERM. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Logger, References } from "effect"
import type { ChainJob } from "../../src/indexer/ChainJob.ts"
import * as Supervisor from "../../src/indexer/Supervisor.ts"

const jobs = JSON.parse(process.argv[2] ?? "[]") as ReadonlyArray<ChainJob>
const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)
const logger = Logger.make(({ fiber, logLevel, message }) => {
  const { chain } = fiber.getRef(References.CurrentLogAnnotations)
  print({ _tag: "Log", chain, logLevel, text: String(message) })
})

const program = Supervisor.run({ jobs, onEvent: (chain, event) => Effect.sync(() => print({ chain, ...event })) })
NodeRuntime.runMain(program.pipe(Effect.provide(Logger.layer([logger]))))
