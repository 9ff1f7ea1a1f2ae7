/**
 * The demo. `npm run demo` walks through one wallet's history on an embedded chain and SQLite; with the URLs and key of a
 * provider it does the same for any wallet there.
 */
import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Address, Issue } from "@daybook/schema"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Data, Effect, Layer, Logger, Option, Redacted } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Explorer from "./Explorer.ts"
import * as Screen from "./Screen.ts"
import * as WalkThrough from "./WalkThrough.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const flags = {
  baseUrl: text("base-url", "REST base URL of a provider; no local chain or service is started"),
  rpcUrl: text("rpc-url", "RPC URL of the provider; default: the base URL followed by /rpc"),
  apiKey: Flag.Redacted("api-key").pipe(Flag.withDescription("API key of the provider"), Flag.optional),
  address: text("address", "Wallet address; default: the most active wallet of the embedded chain"),
  chain: text("chain", "Chain name or identifier; default: eth"),
  stay: Flag.Boolean("stay").pipe(
    Flag.withDescription("Keep the chain and the service running until Ctrl-C, and print how to call them"),
    Flag.withDefault(false),
  ),
  open: Flag.Boolean("open").pipe(
    Flag.withDescription("Like --stay, and open the wallet in the explorer, which is built first"),
    Flag.withDefault(false),
  ),
}

const clients = (provider: WalkThrough.Provider) =>
  Layer.mergeAll(
    RestClient.layer({ baseUrl: provider.baseUrl, apiKey: provider.apiKey }),
    RpcClient.layer({ rpcUrl: provider.rpcUrl, chain: provider.chain, apiKey: provider.apiKey }),
  )

const walkThrough = (provider: WalkThrough.Provider) =>
  WalkThrough.run(provider).pipe(Effect.provide(clients(provider)))

/** The options do not fit together, or one of them is invalid. */
class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

const addressOf = (given: string): Effect.Effect<Address.Address, UsageError> => {
  const address = Address.fromText(given)
  return address === undefined
    ? Effect.fail(
        new UsageError({
          message: `Invalid option "--address": expected 0x and 40 hex digits, received ${Issue.quote(given)}.`,
        }),
      )
    : Effect.succeed(address)
}

const remote = Effect.fn("demo.remote")(function* (
  baseUrl: string,
  rpcUrl: Option.Option<string>,
  apiKey: Option.Option<Redacted.Redacted<string>>,
  address: Option.Option<string>,
  chain: Option.Option<string>,
) {
  if (Option.isNone(apiKey) || Option.isNone(address)) {
    return yield* new UsageError({
      message: "Missing option: --api-key or --address. Both are required with --base-url.",
    })
  }
  yield* walkThrough({
    baseUrl,
    rpcUrl: Option.getOrElse(rpcUrl, () => `${baseUrl.replace(/\/+$/, "")}/rpc`),
    apiKey: apiKey.value,
    address: yield* addressOf(address.value),
    chain: Option.getOrElse(chain, () => "eth"),
  })
})

const local = Effect.fn("demo.local")(function* (address: Option.Option<string>, stay: boolean, open: boolean) {
  const screen = yield* Screen.Screen
  const wallet = Option.isSome(address) ? yield* addressOf(address.value) : undefined
  if (open) yield* Explorer.build
  // The chain and the service are most of the code: help, errors and a provider's data do not wait for it.
  const { start } = yield* Effect.promise(() => import("./Local.ts"))
  const started = yield* start()
  const provider = wallet === undefined ? started.provider : { ...started.provider, address: wallet }
  yield* walkThrough(provider)
  yield* screen.title("Next steps")
  if (stay || open) {
    yield* screen.line(
      `   curl -s '${provider.baseUrl}/api/v2.2/${provider.address}/verbose?limit=1' -H 'X-API-Key: ${Redacted.value(provider.apiKey)}'`,
    )
    yield* screen.line(`   ${provider.rpcUrl}/eth/${Redacted.value(provider.apiKey)}   JSON-RPC`)
    yield* screen.line(`   ${provider.baseUrl}/openapi.json`)
    if (open) {
      const page = `${provider.baseUrl}/address/${provider.address}`
      yield* screen.line(`   ${page}   explorer`)
      yield* Explorer.open(page)
    }
    yield* screen.line("\n   running until Ctrl-C")
    return yield* Effect.never
  }
  yield* screen.line("   npm run demo -- --open          see this wallet in the explorer")
  yield* screen.line("   npm run demo -- --stay          keep the service running and call it with curl")
  yield* screen.line("   npm run demo -- --help          the same walk-through against any provider of the interface")
  yield* screen.line("   npm test                        run the tests")
  yield* screen.line("   packages/service/README.md      run the service on your own node")
})

const demo = Command.make("npm run demo --", flags, ({ baseUrl, rpcUrl, apiKey, address, chain, open, stay }) => {
  if (Option.isSome(baseUrl)) {
    return stay || open
      ? Effect.fail(
          new UsageError({
            message: `Conflicting option: ${stay ? "--stay" : "--open"}. It cannot be combined with --base-url.`,
          }),
        )
      : remote(baseUrl.value, rpcUrl, apiKey, address, chain)
  }
  const given = {
    "--rpc-url": Option.isSome(rpcUrl),
    "--api-key": Option.isSome(apiKey),
    "--chain": Option.isSome(chain),
  }
  const providerOnly = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  return providerOnly.length > 0
    ? Effect.fail(
        new UsageError({ message: `Missing option: --base-url. It is required with ${providerOnly.join(" and ")}.` }),
      )
    : Effect.scoped(local(address, stay, open))
}).pipe(Command.withDescription("Walk through one wallet's history, from a chain to typed values"))

const program = demo.pipe(
  Command.run({ version: "0.1.0" }),
  // The command itself reports an invalid flag and prints the help.
  Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(`demo: ${error.message}`))),
  // The log of the service is for operators and is not shown.
  Effect.provide(Layer.mergeAll(NodeServices.layer, Screen.layer, Logger.layer([]))),
)

// If a reader closes the pipe (`| head`), the demo ends as on Ctrl-C.
process.stdout.on("error", () => process.kill(process.pid, "SIGINT"))
NodeRuntime.runMain(program, { disableErrorReporting: true })
