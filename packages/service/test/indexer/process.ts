/** Indexes jobs given as JSON, prints each event and log line as a line of JSON, and stops on SIGTERM. */
import { NodeRuntime } from "@effect/platform-node"
import type { ChainJob } from "../../src/indexer/job/ChainJob.ts"
import { supervised } from "./supervised.ts"

const jobs = JSON.parse(process.argv[2] ?? "[]") as ReadonlyArray<ChainJob>
NodeRuntime.runMain(supervised(jobs, (line) => void process.stdout.write(`${line}\n`)))
