/**
 * `daybook config check`: reads the configuration as `daybook serve` would, and names everything that is wrong with it.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as ConfigFile from "../config/ConfigFile.ts"
import * as Listen from "../config/Listen.ts"
import * as ServedChain from "../config/ServedChain.ts"
import * as ConfigFlags from "./ConfigFlags.ts"
import * as Terminal from "./Terminal.ts"

const check = Command.make(
  "check",
  ConfigFlags.flags,
  Effect.fn(function* (flags) {
    const source = yield* ConfigFlags.sourceOf(flags)
    const { config: checked, path } = yield* ConfigFile.load(source)
    const { chains, listen } = checked
    const names = (yield* Effect.fromResult(ServedChain.fromChains(chains))).map(({ name }) => name)
    yield* Terminal.print(
      `${path ?? "The configuration"} is valid: ${names.join(", ")}; listens on ${Listen.format(listen)}`,
    )
    const warning = Listen.plainTextWarning(checked)
    if (warning !== undefined) yield* Terminal.print(warning)
  }),
).pipe(Command.withDescription("Name everything that is wrong with the configuration, each in a line; changes nothing"))

/** `daybook config`. */
export const config = Command.make("config").pipe(Command.withSubcommands([check]))
