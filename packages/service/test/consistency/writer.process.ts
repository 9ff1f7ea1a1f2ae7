/** Runs the commands of `WriterProcess`. */
import { Effect, Schedule } from "effect"
import * as Engine from "../../src/store/Engine.ts"
import { ref } from "../store/TestDatabase.ts"
import * as BlockLists from "./BlockLists.ts"
import * as Interruption from "./Interruption.ts"
import type { WriteRequest, Command, Done } from "./WriterProcess.ts"

const owner = "checked"

Interruption.install()

const program = Effect.gen(function* () {
  const database = yield* Engine.fromUrl(process.argv[2]!, "/")
  const writer = yield* Effect.retry(database.chain(ref).writer(BlockLists.options), {
    while: ({ isRetryable }) => isRetryable,
    schedule: Schedule.spaced(100),
    times: 600,
  })
  const run = (command: Command) => {
    switch (command._tag) {
      // The lease expires immediately, so that another writer can acquire it without waiting.
      case "Acquire":
        return database.leases.acquire(ref, owner, 0)
      case "Append":
        return writer.append(command.expected, command.blocks, command.token)
      case "Unwind":
        return writer.unwind(command.expected, command.to, command.token)
    }
  }
  const onRequest = async ({ command, id, interruption }: WriteRequest) => {
    Interruption.arm(interruption)
    const result = await Effect.runPromise(Effect.result(Effect.asSome(run(command))))
    Interruption.arm(undefined)
    const done: Done =
      result._tag === "Success"
        ? { id, outcome: { _tag: "Done", token: "value" in result.success ? (result.success.value ?? null) : null } }
        : { id, outcome: { _tag: result.failure._tag, message: String(result.failure) } }
    process.send?.(done)
  }
  process.on("message", (request: WriteRequest) => void onRequest(request))
  process.send?.({ id: 0, outcome: { _tag: "Done", token: null } } satisfies Done)
  return yield* Effect.never
})

process.on("disconnect", () => process.exit())
await Effect.runPromise(Effect.scoped(program))
