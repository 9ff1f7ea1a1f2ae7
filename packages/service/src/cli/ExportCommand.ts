/**
 * `daybook export`: the movements of wallets as CSV, NDJSON, or books for beancount and hledger, from an archive node alone.
 */
import { type FileHandle, open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Export from "../export/Export.ts"
import * as MonotonicClock from "../node/MonotonicClock.ts"
import { CommandError } from "./CommandError.ts"
import * as Terminal from "./Terminal.ts"
import * as WalletFlags from "./WalletFlags.ts"

// Sound: the keys of the table are its names.
const formatNames = Object.keys(Export.formats) as ReadonlyArray<Export.FormatName>

/** A new file can be read by its owner alone. */
const fileMode = 0o600

const failed = (name: string) => (cause: unknown) =>
  new CommandError({ message: `Cannot write ${name}: ${cause instanceof Error ? cause.message : String(cause)}.` })

type Write = (text: string) => Effect.Effect<void, CommandError>

/** Writes to standard output as fast as its reader reads. */
const toStandardOutput: Write = (text) =>
  Effect.tryPromise({
    try: () =>
      new Promise<void>((resolve, reject) => {
        process.stdout.once("error", reject)
        process.stdout.write(text, (error) => {
          process.stdout.off("error", reject)
          if (error == null) resolve()
          else reject(error)
        })
      }),
    catch: failed("standard output"),
  })

const toFile =
  (file: FileHandle, name: string): Write =>
  (text) =>
    Effect.tryPromise({ try: () => file.appendFile(text), catch: failed(name) })

/** Where the export goes: a file, which is closed with the scope, or standard output. */
const openOutput = (path: Option.Option<string>): Effect.Effect<Write, CommandError, Scope.Scope> =>
  Option.isNone(path)
    ? Effect.succeed(toStandardOutput)
    : Effect.map(
        Effect.acquireRelease(
          Effect.tryPromise({ try: () => open(path.value, "w", fileMode), catch: failed(path.value) }),
          (file) => Effect.promise(() => file.close()),
        ),
        (file) => toFile(file, path.value),
      )

const isProved = ({ amount, found }: Export.Written["closings"][number]): boolean => amount === (found ?? 0n)

/** `daybook export`. */
export const exportMovements = Command.make(
  "export",
  {
    ...WalletFlags.flags,
    format: Flag.Literals("format", formatNames).pipe(Flag.withDescription("Format of the movements")),
    output: Flag.String("output").pipe(
      Flag.withDescription("File to write; by default standard output"),
      Flag.withMetavar("FILE"),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ format, output, ...given }) {
    const began = yield* MonotonicClock.millis
    const chains = yield* WalletFlags.connect(given)
    const write = yield* openOutput(output)
    const { closings, entries } = yield* Export.run(chains, format, write)
    const proved = closings.filter(isProved).length
    yield* Terminal.note(`${Terminal.count(entries, "movement")}; ${proved} of ${closings.length} balances proved`)
    const millis = (yield* MonotonicClock.millis) - began
    for (const { connection } of chains) yield* Terminal.note(WalletFlags.formatUsage(connection, millis))
  }, Effect.scoped),
).pipe(Command.withDescription("Write the movements of wallets as CSV, NDJSON, or books for beancount and hledger"))
