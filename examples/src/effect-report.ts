/** Counts the failed transactions of a wallet in an Effect program, with typed errors and with spans sent to a collector. */
import { RestClient } from "@daybook/rest"
import { RpcClient } from "@daybook/rpc"
import { Config, Console, Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"

const report = Effect.gen(function* () {
  const address = yield* Config.String("DAYBOOK_ADDRESS")
  const rest = yield* RestClient.RestClient
  const rpc = yield* RpcClient.RpcClient
  const head = yield* rpc.eth_blockNumber()
  const failed = yield* rest.walletTransactionsStream({ address }).pipe(
    Stream.filter((row) => row.receipt_status === 0),
    Stream.runCount,
  )
  yield* Console.log(`${failed} failed transactions up to block ${head}`)
}).pipe(
  Effect.withSpan("report"),
  Effect.catchTags({
    Unauthorized: () => Effect.fail("Set DAYBOOK_API_KEY to a valid key."),
    RateLimited: ({ retryAfter }) => Effect.fail(`Try again in ${retryAfter}.`),
  }),
)

const clients = Layer.mergeAll(RestClient.layerConfig, RpcClient.layerConfig)
const tracer = Layer.unwrap(
  Effect.map(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT"), (url) =>
    OtlpTracer.layer({ url: `${url}/v1/traces`, resource: { serviceName: "report" } }),
  ),
).pipe(Layer.provide(OtlpSerialization.layerJson), Layer.provide(FetchHttpClient.layer))

await Effect.runPromise(report.pipe(Effect.provide(clients), Effect.provide(tracer)))
