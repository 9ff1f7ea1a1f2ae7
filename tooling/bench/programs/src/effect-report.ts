/** `examples/src/effect-report.ts` with moralis and viem, whose promises and errors are wrapped as typed effects with spans. */
import { Config, Console, Context, Data, Effect, Layer, Option, Redacted, Schedule, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import Moralis from "moralis"
import { createPublicClient, http } from "viem"

class Unauthorized extends Data.TaggedError("Unauthorized") {}
class RateLimited extends Data.TaggedError("RateLimited") {}
class RequestFailed extends Data.TaggedError("RequestFailed")<{ readonly cause: unknown }> {}

/** moralis reports the status in the details of its errors. */
const toError = (cause: unknown): Unauthorized | RateLimited | RequestFailed => {
  const details = typeof cause === "object" && cause !== null && "details" in cause ? cause.details : undefined
  const status = typeof details === "object" && details !== null && "status" in details ? details.status : undefined
  if (status === 401) return new Unauthorized()
  return status === 429 ? new RateLimited() : new RequestFailed({ cause })
}

const request = <A>(name: string, make: () => Promise<A>) =>
  Effect.tryPromise({ try: make, catch: toError }).pipe(
    Effect.retry({
      times: 3,
      schedule: Schedule.exponential("200 millis"),
      while: ({ _tag }) => _tag !== "Unauthorized",
    }),
    Effect.timeout("30 seconds"),
    Effect.withSpan(name),
  )

const make = Effect.gen(function* () {
  const apiKey = yield* Config.Redacted("MORALIS_API_KEY")
  const url = yield* Config.Redacted("NODE_URL")
  yield* request("start", () => Moralis.start({ apiKey: Redacted.value(apiKey) }))
  const client = createPublicClient({ transport: http(Redacted.value(url), { retryCount: 0 }) })
  return {
    head: request("eth_blockNumber", () => client.getBlockNumber()),
    rows: (address: string) =>
      Stream.paginate(undefined as string | undefined, (cursor) =>
        request("walletHistory", async () => {
          const query = { address, chain: "0x1", cursor }
          const page = await Moralis.EvmApi.wallets.getWalletHistory(query)
          return [page.result, Option.fromNullishOr(page.pagination.cursor)] as const
        }),
      ),
  }
})
class Histories extends Context.Service<Histories, Effect.Success<typeof make>>()("Histories") {}

const report = Effect.gen(function* () {
  const address = yield* Config.String("MORALIS_ADDRESS")
  const histories = yield* Histories
  const head = yield* histories.head
  const failed = yield* histories.rows(address).pipe(
    Stream.filter((row) => row.receiptStatus === "0"),
    Stream.runCount,
  )
  yield* Console.log(`${failed} failed transactions up to block ${head}`)
}).pipe(
  Effect.withSpan("report"),
  Effect.catchTags({
    Unauthorized: () => Effect.fail("Set MORALIS_API_KEY to a valid key."),
    RateLimited: () => Effect.fail("Try again later."),
  }),
)

const tracer = Layer.unwrap(
  Effect.map(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT"), (url) =>
    OtlpTracer.layer({ url: `${url}/v1/traces`, resource: { serviceName: "report" } }),
  ),
).pipe(Layer.provide(OtlpSerialization.layerJson), Layer.provide(FetchHttpClient.layer))

await Effect.runPromise(report.pipe(Effect.provide(Layer.effect(Histories, make)), Effect.provide(tracer)))
