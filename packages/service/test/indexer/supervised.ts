/** Indexes jobs and prints each event and log line as a line of JSON. */
import { Effect, Logger, References } from "effect"
import type { ChainJob } from "../../src/indexer/job/ChainJob.ts"
import * as Supervisor from "../../src/indexer/Supervisor.ts"

/** Runs the indexers until interrupted. */
export const supervised = (jobs: ReadonlyArray<ChainJob>, print: (line: string) => void) => {
  const write = (value: unknown) => print(JSON.stringify(value))
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    const { chain } = fiber.getRef(References.CurrentLogAnnotations)
    write({ _tag: "Log", chain, logLevel, text: String(message) })
  })
  return Supervisor.run({ jobs, onEvent: (chain, event) => Effect.sync(() => write({ chain, ...event })) }).pipe(
    Effect.provide(Logger.layer([logger])),
  )
}
