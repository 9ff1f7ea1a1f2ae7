/**
 * The demo: `npm run demo` tells one wallet's story on an embedded chain and SQLite; with a provider's URLs and a key it
 * tells the same story of any wallet there.
 */
import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Address } from "@daybook/schema"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Logger, Option, Redacted } from "effect"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Local from "./Local.ts"
import * as Screen from "./Screen.ts"
import * as Story from "./Story.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const flags = {
  baseUrl: text("base-url", "A provider's REST base URL; starts nothing here"),
  rpcUrl: text("rpc-url", "The provider's RPC URL; default: the base URL and /rpc"),
  apiKey: Flag.Redacted("api-key").pipe(Flag.withDescription("The provider's API key"), Flag.optional),
  address: text("address", "The wallet to tell about; default: the busiest of the embedded chain"),
  chain: text("chain", "Chain of the provider, by name or identifier; default: eth"),
  stay: Flag.Boolean("stay").pipe(
    Flag.withDescription("Keep the embedded chain and the service up until Ctrl-C, and print how to call them"),
    Flag.withDefault(false),
  ),
}

const clients = (provider: Story.Provider) =>
  Layer.mergeAll(
    RestClient.layer({ baseUrl: provider.baseUrl, apiKey: provider.apiKey }),
    RpcClient.layer({ rpcUrl: provider.rpcUrl, chain: provider.chain, apiKey: provider.apiKey }),
  )

const tell = (provider: Story.Provider) => Story.tell(provider).pipe(Effect.provide(clients(provider)))

class Usage extends Error {
  readonly _tag = "Usage"
}

const addressOf = (given: string): Effect.Effect<Address.Address, Usage> => {
  const address = Address.fromText(given)
  return address === undefined
    ? Effect.fail(new Usage(`--address takes 0x and 40 hex digits; ${JSON.stringify(given)} came`))
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
    return yield* Effect.fail(new Usage("--base-url needs --api-key and --address too"))
  }
  yield* tell({
    baseUrl,
    rpcUrl: Option.getOrElse(rpcUrl, () => `${baseUrl.replace(/\/+$/, "")}/rpc`),
    apiKey: apiKey.value,
    address: yield* addressOf(address.value),
    chain: Option.getOrElse(chain, () => "eth"),
  })
})

const local = Effect.fn("demo.local")(function* (address: Option.Option<string>, stay: boolean) {
  const screen = yield* Screen.Screen
  const wallet = Option.isSome(address) ? yield* addressOf(address.value) : undefined
  const started = yield* Local.start()
  const provider = wallet === undefined ? started.provider : { ...started.provider, address: wallet }
  yield* tell(provider)
  yield* screen.title("Next")
  if (stay) {
    yield* screen.line(
      `   curl -s '${provider.baseUrl}/api/v2.2/${provider.address}/verbose?limit=1' -H 'X-API-Key: ${Redacted.value(provider.apiKey)}'`,
    )
    yield* screen.line(`   ${provider.rpcUrl}/eth/${Redacted.value(provider.apiKey)}   JSON-RPC`)
    yield* screen.line(`   ${provider.baseUrl}/openapi.json`)
    yield* screen.line("\n   up until Ctrl-C")
    return yield* Effect.never
  }
  yield* screen.line("   npm run demo -- --stay          keep it up, and call it with curl")
  yield* screen.line("   npm run demo -- --help          the same story against any provider of the interface")
  yield* screen.line("   npm test                        everything this rests on")
  yield* screen.line("   packages/service/README.md      run the service on your own node")
})

const demo = Command.make("npm run demo --", flags, ({ baseUrl, rpcUrl, apiKey, address, chain, stay }) => {
  if (Option.isSome(baseUrl)) {
    return stay
      ? Effect.fail(new Usage("--stay is for the embedded chain; leave it out beside --base-url"))
      : remote(baseUrl.value, rpcUrl, apiKey, address, chain)
  }
  const given = {
    "--rpc-url": Option.isSome(rpcUrl),
    "--api-key": Option.isSome(apiKey),
    "--chain": Option.isSome(chain),
  }
  const lost = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  return lost.length > 0
    ? Effect.fail(new Usage(`${lost.join(" and ")} belong to a provider: give --base-url too`))
    : Effect.scoped(local(address, stay))
}).pipe(Command.withDescription("One wallet's history, from a chain to typed values"))

const program = demo.pipe(
  Command.run({ version: "0.1.0" }),
  // What is wrong with a flag has been said beside the help.
  Effect.tapError((error) => (CliError.isCliError(error) ? Effect.void : Console.error(`demo: ${error.message}`))),
  // The story is what is shown; what the service logs is for operators.
  Effect.provide(Layer.mergeAll(NodeServices.layer, Screen.layer, Logger.layer([]))),
)

// A reader that has seen enough (`| head`) ends the story as Ctrl-C does.
process.stdout.on("error", () => process.kill(process.pid, "SIGINT"))
NodeRuntime.runMain(program, { disableErrorReporting: true })
