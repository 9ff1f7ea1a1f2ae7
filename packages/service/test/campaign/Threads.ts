/** Threads that run the tasks of a campaign, each with the module of its command, so that a replaced global applies only to its thread. */
import { parentPort, Worker } from "node:worker_threads"
import { Effect, Pool, type Scope } from "effect"

export type Run<Task, Outcome> = (task: Task) => Effect.Effect<Outcome, unknown>

const inThread = <Task, Outcome>(
  module: URL,
  argv: ReadonlyArray<string>,
): Effect.Effect<Run<Task, Outcome>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Worker(module, { argv: [...argv] })),
      (thread) => Effect.promise(() => thread.terminate()),
    ),
    (thread) => (task) =>
      Effect.callback((resume) => {
        const onError = (cause: Error) => resume(Effect.fail(cause))
        thread.once("error", onError)
        thread.once("message", (outcome: Outcome) => {
          thread.off("error", onError)
          resume(Effect.succeed(outcome))
        })
        thread.postMessage(task)
      }),
  )

export interface Options<Task, Outcome> {
  /** Module of the command, which calls `serve` in a thread. */
  readonly module: URL
  readonly argv: ReadonlyArray<string>
  /** Number of threads; 1 runs tasks in this thread. */
  readonly threads: number
  /** Creates the function that runs tasks in this thread. */
  readonly here: Effect.Effect<Run<Task, Outcome>, unknown, Scope.Scope>
}

/**
 * Creates threads; returns a function that runs a task in an idle one until the scope of the task ends. A thread ends after a failed
 * task and is replaced.
 */
export const make = <Task, Outcome>({ argv, here, module, threads }: Options<Task, Outcome>) =>
  Effect.map(
    Pool.make({ acquire: threads === 1 ? here : inThread<Task, Outcome>(module, argv), size: threads }),
    (pool) => (task: Task) =>
      Effect.flatMap(Pool.get(pool), (run) =>
        threads === 1 ? run(task) : Effect.onError(run(task), () => Pool.invalidate(pool, run)),
      ),
  )

/** Runs the tasks of the main thread. */
export const serve = <Task, Outcome>(here: Options<Task, Outcome>["here"]): Promise<never> =>
  Effect.gen(function* () {
    const run = yield* here
    parentPort?.on("message", (task: Task) => {
      void Effect.runPromise(run(task)).then((outcome) => parentPort?.postMessage(outcome))
    })
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.runPromise)
