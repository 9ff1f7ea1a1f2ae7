/** A process that writes to a database, and may exit or pause between two statements of a write. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Deferred, Effect } from "effect"
import type { BlockRef, BlockRows } from "../../src/block/BlockRows.ts"
import type { FencingToken } from "../../src/store/Leases.ts"
import * as Edit from "./Edit.ts"
import * as Interruption from "./Interruption.ts"

/** Commands for a process. */
export type Command =
  | { readonly _tag: "Acquire" }
  | {
      readonly _tag: "Append"
      readonly expected: BlockRef | null
      readonly blocks: ReadonlyArray<BlockRows>
      readonly token: FencingToken
    }
  | { readonly _tag: "Unwind"; readonly expected: BlockRef; readonly to: BlockRef; readonly token: FencingToken }

/** A command in serialised form. */
export interface WriteRequest {
  readonly id: number
  readonly command: Command
  readonly interruption?: Interruption.Interruption | undefined
}

/** Result of a command: success, a failure, or the exit of the process. */
export type Outcome =
  | { readonly _tag: "Done"; readonly token: FencingToken | null }
  | { readonly _tag: "LeaseLost" | "CheckpointConflict" | "StoreError" | "Died"; readonly message: string }

/** A result in serialised form. */
export interface Done {
  readonly id: number
  readonly outcome: Outcome
}

/** A writing process. */
export interface WriterProcess {
  /** Runs a command; commands run sequentially. */
  readonly run: (command: Command, interruption?: Interruption.Interruption) => Effect.Effect<Outcome>
}

const file = fileURLToPath(new URL("writer.process.ts", import.meta.url))
const died: Outcome = { _tag: "Died", message: "the process died" }

/** Starts a process that writes to the database of a URL until the scope ends; `edits` change its sources. */
export const start = ({ edits = [], url }: { readonly url: string; readonly edits?: ReadonlyArray<Edit.Edit> }) =>
  Effect.gen(function* () {
    const waiting = new Map<number, Deferred.Deferred<Outcome>>()
    const { args, env } = Edit.processWith([...Interruption.edits, ...edits])
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [...args, file, url], { env, stdio: ["ignore", 1, 2, "ipc"] })),
      (started) => Effect.sync(() => void started.kill("SIGKILL")),
    )
    const end = (id: number, outcome: Outcome) => {
      const pending = waiting.get(id)
      waiting.delete(id)
      if (pending !== undefined) Deferred.doneUnsafe(pending, Effect.succeed(outcome))
    }
    let last = 0
    let isAlive = true
    const wait = (id: number) => {
      const deferred = Deferred.makeUnsafe<Outcome>()
      waiting.set(id, deferred)
      return Deferred.await(deferred)
    }
    const ready = wait(0)
    // Sound: the process sends nothing else.
    child.on("message", (message) => {
      const { id, outcome } = message as Done
      end(id, outcome)
    })
    child.on("exit", () => {
      isAlive = false
      for (const id of waiting.keys()) end(id, died)
    })
    if ((yield* ready)._tag === "Died") return yield* Effect.die(new Error("A writer ended before it began."))
    const run: WriterProcess["run"] = (command, interruption) =>
      Effect.suspend(() => {
        if (!isAlive) return Effect.succeed(died)
        const id = ++last
        const outcome = wait(id)
        child.send({ id, command, interruption } satisfies WriteRequest)
        return outcome
      })
    return { run } satisfies WriterProcess
  })
