/**
 * `daybook statement`: the statement of wallets from an archive node alone, without a configuration or an index.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as Statement from "../statement/Statement.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import { CommandError } from "./CommandError.ts"
import * as KeptDiscovery from "./KeptDiscovery.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

/** `daybook statement`: exit code 0 only when every wallet is proved. */
export const statement = Command.make(
  "statement",
  {
    ...WalletFlags.flags,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object per wallet"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ json, ...given }) {
    const began = yield* MonotonicClock.millis
    const chains = yield* WalletFlags.connect(given)
    const failed: Array<string> = []
    const work = Effect.forEach(
      chains,
      Effect.fnUntraced(function* ({ connection, kept, options }) {
        const { statements, tokens } = yield* Statement.run(connection, options)
        for (const one of statements) {
          if (json) yield* Terminal.print(JSON.stringify(StatementFormat.toJson(one, tokens)))
          else for (const line of StatementFormat.toText(one, tokens)) yield* Terminal.print(line)
          if (!one.isProved) failed.push(one.address)
        }
        const millis = (yield* MonotonicClock.millis) - began
        yield* Terminal.note(WalletFlags.formatUsage(connection, millis, kept.callsBefore))
      }),
    )
    yield* KeptDiscovery.during(
      chains.map(({ kept }) => kept),
      work,
    )
    if (failed.length === 0) return
    const message = `Not proved: ${failed.join(", ")}. See the differences.`
    return yield* new CommandError({ message })
  }, Effect.scoped),
)
