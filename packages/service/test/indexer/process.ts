/** A program of its own that indexes the plans given as JSON, prints each event as a line of JSON, and stops on SIGTERM. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Logger } from "effect"
import type { ChainRunner } from "../../src/indexer/ChainRunner.ts"
import * as Supervisor from "../../src/indexer/Supervisor.ts"

const plans = JSON.parse(process.argv[2] ?? "[]") as ReadonlyArray<ChainRunner>
const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)
const logger = Logger.make(({ logLevel, message }) => print({ _tag: "Log", logLevel, text: String(message) }))

const program = Supervisor.run({ plans, onEvent: (chain, event) => Effect.sync(() => print({ chain, ...event })) })
NodeRuntime.runMain(program.pipe(Effect.provide(Logger.layer([logger]))))
