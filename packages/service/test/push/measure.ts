/** Prints the time of a movement from the node to its receivers. */
import { Effect, References } from "effect"
import * as Client from "../attack/Client.ts"
import * as Campaign from "../campaign/Campaign.ts"
import * as Latencies from "./Latencies.ts"

const numbersOf = (millis: ReadonlyArray<number>) => {
  const mean = millis.reduce((sum, one) => sum + one, 0) / millis.length
  return [mean, Client.percentile(millis, 0.5), Client.percentile(millis, 0.99)].map((one) => one.toFixed(0))
}

Campaign.main({
  name: "latencies",
  about:
    "Mines blocks with one transfer of a watched wallet each, and measures the time from the block at the node to the movement at receivers in a separate process: server-sent events, WebSocket, a webhook, and polling the list every second. The service uses SQLite. Fails if a receiver misses a block.",
  options: {
    blocks: [300, "measured blocks"],
    interval: [200, "mean interval between two blocks in milliseconds"],
    poll: [0, "polling interval of the service in milliseconds; 0 for the default of a local node"],
  },
  plan: ({ blocks, interval, poll }) =>
    Effect.succeed({
      cases: [
        {
          name: "all receivers",
          run: Effect.fnUntraced(
            function* ({ fail, print }: Campaign.Output) {
              const pollMillis = poll === 0 ? undefined : poll
              const measured = yield* Latencies.measure({ blocks, blockMillis: interval, pollMillis })
              print(Campaign.head(["receiver", "blocks", "mean, ms", "p50, ms", "p99, ms"]))
              for (const { millis, way } of measured) {
                print(Campaign.row([way, millis.length, ...numbersOf(millis)]))
                if (millis.length < blocks) fail(`${way}: ${millis.length} of ${blocks} blocks arrived`)
              }
            },
            Effect.provideService(References.MinimumLogLevel, "None"),
          ),
        },
      ],
    }),
})
