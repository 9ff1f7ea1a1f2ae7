/**
 * The command line `daybook`: finds the command named by the arguments, runs it, and prints a failure as one line. It neither sets an exit
 * code nor handles signals; for a process, `main` does.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import { InvalidConfig } from "../config/InvalidConfig.ts"
import { CommandError } from "./CommandError.ts"
import * as InvalidUsage from "./InvalidUsage.ts"
import * as Manifest from "./Manifest.ts"
import * as Terminal from "./Terminal.ts"

/** A command whose module is loaded when it runs. Until then it only has a name and a description, which suffice for the help of `daybook`. */
const command = <Name extends string, Input, Context, Error, Services>(
  name: Name,
  does: string,
  load: () => Promise<Command.Command<Name, Input, Context, Error, Services>>,
) => ({
  name,
  named: async () => Command.withDescription(Command.make(name), does),
  load: async () => Command.withDescription(await load(), does),
})

/** The commands, in the order of the help, which prints a description of each. */
const commands = [
  command("serve", "Run the indexer and the HTTP server", async () => (await import("./ServeCommand.ts")).serve),
  command(
    "dev",
    "Run the explorer and the API alongside a local chain, such as anvil or hardhat",
    async () => (await import("./DevCommand.ts")).dev,
  ),
  command("config", "Check the configuration", async () => (await import("./ConfigCommand.ts")).config),
  command(
    "doctor",
    "Report what can be indexed from a node, how fast, and what it lacks; takes at most one minute",
    async () => (await import("./DoctorCommand.ts")).doctor,
  ),
  command("keys", "Add, list, rotate and revoke API keys", async () => (await import("./KeysCommand.ts")).keys),
  command(
    "abi",
    "Add, list and remove the ABIs that contracts are decoded with",
    async () => (await import("./AbiCommand.ts")).abi,
  ),
  command(
    "status",
    "Print the indexed blocks and the state of the indexer of each chain; without --watch, exit code 1 unless every chain is synced",
    async () => (await import("./StatusCommand.ts")).status,
  ),
  command(
    "watch",
    "List, add and remove the wallets of an index of watched wallets",
    async () => (await import("./WatchCommand.ts")).watch,
  ),
  command(
    "webhooks",
    "Add, list, pause, resume, test, replay, rotate and remove webhooks",
    async () => (await import("./WebhooksCommand.ts")).webhooks,
  ),
  command(
    "verify",
    "Check the links, counts, documents and histories of the database, or compare it with a node; can run alongside serve",
    async () => (await import("./VerifyCommand.ts")).verify,
  ),
  command(
    "repair",
    "Verify the database, fetch blocks with issues again from the node, and fill the gaps",
    async () => (await import("./VerifyCommand.ts")).repair,
  ),
  command(
    "reconcile",
    "Compare the indexed ledgers of wallets with the state of the chain, and report each difference with its first block; can run alongside serve",
    async () => (await import("./ReconcileCommand.ts")).reconcile,
  ),
  command(
    "reindex",
    'Remove blocks from the index, which the next serve fetches again; stop "daybook serve" first',
    async () => (await import("./ReindexCommand.ts")).reindex,
  ),
  command(
    "compact",
    "Return free space to the disk; can run alongside serve",
    async () => (await import("./CompactCommand.ts")).compact,
  ),
  command(
    "backup",
    "Copy the database while it is in use, or bring a copy up to date",
    async () => (await import("./BackupCommand.ts")).backup,
  ),
  command(
    "restore",
    "Copy chains from a backup or a snapshot into this database, which must not contain these chains, and check each row",
    async () => (await import("./BackupCommand.ts")).restore,
  ),
  command(
    "statement",
    "Report what wallets held, moved and hold, from an archive node alone, with proof that nothing is missing",
    async () => (await import("./StatementCommand.ts")).statement,
  ),
  command(
    "verify-statement",
    "Check a signed statement against an archive node: its signature, chain, blocks, balances and transaction counts",
    async () => (await import("./VerifyStatementCommand.ts")).verifyStatement,
  ),
  command(
    "signing-key",
    "Create the key that signs statements, or print its public key",
    async () => (await import("./SigningKeyCommand.ts")).signingKey,
  ),
  command(
    "export",
    "Write the movements of wallets as CSV, NDJSON, or books for beancount and hledger",
    async () => (await import("./ExportCommand.ts")).exportMovements,
  ),
  command("mcp", "Serve tools to a model (Model Context Protocol) over standard input and output", async () =>
    (await import("./McpCommand.ts")).mcp(Manifest.version),
  ),
] as const

/** Getting started. */
const examples = [
  { command: "daybook dev --chain", description: "A local chain, with its explorer and API" },
  { command: "daybook doctor https://HOST", description: "What a node offers, before a database is created" },
  { command: "daybook keys add me", description: "A key for a program" },
  { command: "daybook serve --log-level info", description: "Index and serve the chains of daybook.json" },
]

/** Flags that need the flags of all commands, not only their names. */
const wholeTree = /^--(?:completions|wizard)(?:=|$)/

/** Loads the commands, with the modules of those that the arguments name. */
const load = (args: ReadonlyArray<string>) => {
  const isWhole = args.some((arg) => wholeTree.test(arg))
  return Promise.all(commands.map((one) => (isWhole || args.includes(one.name) ? one.load() : one.named())))
}

/** Prints a failure as one line, each issue of a configuration on its own line, and a defect with its trace. */
const reportFailure = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  // Errors of the command line itself have already been printed.
  if (CliError.isCliError(error)) return Effect.void
  if (error instanceof InvalidConfig) {
    return Effect.forEach(error.issues, (issue) => Terminal.note(`daybook: ${issue}`), { discard: true })
  }
  return Terminal.note(error instanceof Error ? `daybook: ${error.message}` : `daybook: ${Cause.pretty(cause)}`)
}

/** Runs the command named by the arguments. Fails with its error, after printing it. */
export const run = Effect.fnUntraced(
  function* (args: ReadonlyArray<string>) {
    const found = yield* Effect.promise(() => load(args))
    const daybook = Command.make("daybook").pipe(
      Command.withDescription("Wallet transaction history and JSON-RPC for EVM chains, from your own node"),
      Command.withSubcommands(found),
      Command.withExamples(examples),
    )
    const ran = Command.runWith(daybook, { version: Manifest.version })(args)
    return yield* Effect.provideServiceEffect(ran, Console.Console, Terminal.console)
  },
  Effect.catchDefect((defect) => (defect instanceof CommandError ? Effect.fail(defect) : Effect.die(defect))),
  Effect.tapCause(reportFailure),
  Effect.provide([NodeServices.layer, InvalidUsage.layer, Logger.layer([Terminal.logger])]),
)
