/**
 * A process that fetches ranges of a backfill in place of a thread: started with the job as its argument, it takes requests and returns
 * rows over its channel. `start` starts one.
 */
import { fork } from "node:child_process"
import { Effect } from "effect"
import * as Engine from "../../../packages/service/src/store/Engine.ts"
import * as BlockSource from "../../../packages/service/src/indexer/BlockSource.ts"
import type { ChainJob } from "../../../packages/service/src/indexer/ChainJob.ts"
import * as RangeWorker from "../../../packages/service/src/indexer/backfill/RangeWorker.ts"
import { type Thread, ThreadLost } from "../../../packages/service/src/indexer/backfill/Thread.ts"

interface Request {
  readonly id: number
  readonly request: RangeWorker.Request
}

interface Response {
  readonly id: number
  readonly response: RangeWorker.Response
}

/** Starts a process; `onStart` receives its id. */
export const start = (job: ChainJob, onStart: (pid: number) => void): Thread => {
  const child = fork(import.meta.filename, [JSON.stringify(job)], { serialization: "advanced" })
  onStart(child.pid ?? 0)
  const pending = new Map<number, (response: RangeWorker.Response) => void>()
  let newest = 0
  child.on("message", ({ id, response }: Response) => {
    pending.get(id)?.(response)
    pending.delete(id)
  })
  child.on("exit", (code) => {
    if (pending.size > 0) throw new Error(new ThreadLost({ message: `exit code ${code}` }).message)
  })
  return {
    fetch: (request) =>
      Effect.callback((resume) => {
        const id = ++newest
        pending.set(id, (response) => resume(Effect.succeed(response)))
        child.send({ id, request } satisfies Request)
      }),
    ping: Effect.succeed(0),
    stop: Effect.sync(() => void child.kill()),
  }
}

if (process.argv[1] === import.meta.filename) {
  const job = JSON.parse(process.argv[2] ?? "{}") as ChainJob
  const program = Effect.gen(function* () {
    const fetch = RangeWorker.make(yield* BlockSource.make(job), Engine.preparer(job.database, job))
    process.on("message", ({ id, request }: Request) => {
      void Effect.runPromise(fetch(request)).then((response) => process.send?.({ id, response } satisfies Response))
    })
    yield* Effect.never
  })
  await Effect.runPromise(program)
}
