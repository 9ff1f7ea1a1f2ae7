/** Records the statements that this process runs on SQLite files. */
import { StatementSync } from "node:sqlite"
import { Effect } from "effect"

const methods = ["all", "get", "run"] as const

/** Runs an effect; returns the statements that SQLite ran meanwhile, each shortened to its first words. */
export const ranBy = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<readonly [A, ReadonlyArray<string>], E, R> =>
  Effect.suspend(() => {
    const statements: Array<string> = []
    const originals = methods.map((name) => [name, StatementSync.prototype[name]] as const)
    for (const [name, original] of originals) {
      StatementSync.prototype[name] = function (this: StatementSync, ...args: ReadonlyArray<never>) {
        statements.push(this.sourceSQL.replaceAll(/\s+/g, " "))
        return Reflect.apply(original, this, args)
      } as never
    }
    return Effect.ensuring(
      Effect.map(effect, (result) => [result, statements] as const),
      Effect.sync(() => Object.assign(StatementSync.prototype, Object.fromEntries(originals))),
    )
  })
