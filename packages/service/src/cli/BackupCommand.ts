/**
 * `daybook backup`: copies the database while it is in use.
 */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

/** `daybook backup`. */
export const backup = Command.make(
  "backup",
  {
    config: Selection.configFlag,
    folder: Argument.String("folder").pipe(Argument.withDescription("Folder for the copies; created if it is missing")),
  },
  Effect.fn(function* ({ config: path, folder }) {
    const { database, jobs } = yield* Selection.open(path, [])
    const chains = jobs.map(({ chain: name, chainId: id }) => ({ name, id }))
    for (const { bytes, file } of yield* database.backup(chains, folder)) {
      yield* Terminal.print(`${file}\t${bytes} bytes`)
    }
  }, Effect.scoped),
).pipe(Command.withDescription('Copy the database while it is in use; to restore, name the folder as "database"'))
