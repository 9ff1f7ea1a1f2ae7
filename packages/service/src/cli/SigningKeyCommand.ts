/**
 * `daybook signing-key`: creates the key that signs statements, and prints its public half. The private half is never printed.
 */
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as SigningKey from "../signed/SigningKey.ts"
import * as Terminal from "./Terminal.ts"

const defaultFile = "signing-key.pem"

/** `--signing-key`: the key file. */
export const keyFlag = Flag.String("signing-key").pipe(
  Flag.withDescription(`File of the signing key; by default ${defaultFile}`),
  Flag.withMetavar("FILE"),
  Flag.withDefault(defaultFile),
)

const fileArgument = Argument.String("FILE").pipe(
  Argument.withDescription(`File of the key; by default ${defaultFile}`),
  Argument.withDefault(defaultFile),
)

const make = Command.make(
  "make",
  { file: fileArgument },
  Effect.fn(function* ({ file }) {
    const { publicKey } = yield* SigningKey.create(file)
    yield* Terminal.note(`Created the key ${file}, readable only by its owner. Publish its public key:`)
    yield* Terminal.print(publicKey)
  }),
).pipe(Command.withDescription("Create a key in a new file; its public key is the only line on standard output"))

const show = Command.make(
  "show",
  { file: fileArgument },
  Effect.fn(function* ({ file }) {
    yield* Terminal.print((yield* SigningKey.read(file)).publicKey)
  }),
).pipe(Command.withDescription("Print the public key of a signing key"))

/** `daybook signing-key`. */
export const signingKey = Command.make("signing-key").pipe(Command.withSubcommands([make, show]))
