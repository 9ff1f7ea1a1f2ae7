/**
 * `daybook statement`: makes the statement of wallets from an archive node alone, without a configuration or an index.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Discovery from "../discovery/Discovery.ts"
import type { NodeConnection } from "../discovery/NodeConnection.ts"
import { version } from "../server/monitoring/ProcessMetrics.ts"
import * as SigningKey from "../signed/SigningKey.ts"
import * as SignedStatements from "../statement/SignedStatements.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as Statement from "../statement/Statement.ts"
import * as StatementFormat from "../statement/StatementFormat.ts"
import { CommandError, invalidOption } from "./CommandError.ts"
import * as KeptDiscovery from "./KeptDiscovery.ts"
import * as Selection from "./Selection.ts"
import * as SigningKeyCommand from "./SigningKeyCommand.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

/** Prints the file of signed statements over the same blocks. */
const printSigned = Effect.fnUntraced(function* (
  connection: NodeConnection,
  statements: ReadonlyArray<Statement.Statement>,
  key: SigningKey.SigningKey,
) {
  const [first, ...others] = statements
  if (first === undefined) return
  const { hash, number } = yield* Discovery.headerOf(connection, first.openingBlock)
  const madeAt = new Date(yield* Clock.currentTimeMillis)
  const details = { opening: { number, hash }, madeAt, madeBy: `daybook ${version}` }
  const text = yield* Effect.fromResult(SignedStatements.toText([first, ...others], details, key))
  yield* Terminal.print(text.trimEnd())
})

/** `daybook statement`: exits with code 0 only if every wallet is proved. */
export const statement = Command.make(
  "statement",
  {
    ...WalletFlags.flags,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object per wallet"), Flag.withDefault(false)),
    signed: Flag.Boolean("signed").pipe(
      Flag.withDescription("Print a signed statement of all wallets, for verify-statement"),
      Flag.withDefault(false),
    ),
    signingKey: SigningKeyCommand.keyFlag,
  },
  Effect.fn(
    function* ({ json, signed, signingKey, ...given }) {
      const began = yield* MonotonicClock.millis
      const key = signed ? yield* SigningKey.read(signingKey) : null
      if (signed && given.rpc.length > 1) return yield* invalidOption("--rpc", "one node with --signed", "several")
      const chains = yield* WalletFlags.connect(given)
      const failed: Array<string> = []
      const work = Effect.forEach(
        chains,
        Effect.fnUntraced(function* ({ connection, kept, options }) {
          const { statements, tokens } = yield* Statement.run(connection, options)
          if (key !== null) yield* printSigned(connection, statements, key)
          for (const one of statements) {
            if (!one.isProved) failed.push(one.address)
            if (key !== null) continue
            if (json) yield* Terminal.print(JSON.stringify(StatementFormat.toJson(one, tokens)))
            else for (const line of StatementFormat.toText(one, tokens)) yield* Terminal.print(line)
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
    },
    Effect.scoped,
    Selection.adviseFinalBlock,
  ),
)
