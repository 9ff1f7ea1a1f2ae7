/** Prints the cost of a block for a service with many subscriptions. */
import { Effect, References } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as FanOut from "./FanOut.ts"

Campaign.main({
  name: "fan-out",
  about:
    "Opens event streams of one wallet each and adds webhooks of many wallets to a service with SQLite, mines blocks with transfers to these wallets, and prints memory and CPU time per block. `single` has all wallets in one webhook. Fails if a receiver misses a movement.",
  options: {
    streams: [10_000, "event streams"],
    webhooks: [1_000, "webhooks"],
    wallets: [100, "wallets per webhook"],
    blocks: [20, "measured blocks"],
    transfers: [1, "transfers per block, one of them to a subscribed wallet"],
  },
  plan: ({ blocks, streams, transfers, wallets, webhooks }) => {
    const sizes = [
      ["none", 0, 0, wallets],
      ["streams", streams, 0, wallets],
      ["webhooks", 0, webhooks, wallets],
      ["single", 0, 1, webhooks * wallets],
      ["both", streams, webhooks, wallets],
    ] as const
    return Effect.succeed({
      columns: ["subscriptions", "streams", "webhooks", "wallets", "CPU for a block, ms", "memory, MiB"],
      cases: sizes.map(([name, ownStreams, ownWebhooks, ownWallets]) => ({
        name,
        run: Effect.fnUntraced(
          function* ({ fail }: Campaign.Output) {
            const cost = yield* FanOut.measure({
              blocks,
              transfers,
              streams: ownStreams,
              webhooks: ownWebhooks,
              wallets: ownWallets,
            })
            const expected = blocks * ((ownStreams > 0 ? 1 : 0) + (ownWebhooks > 0 ? 1 : 0))
            if (cost.received < expected) fail(`${cost.received} of ${expected} movements arrived`)
            if (cost.ended > 0) fail(`${cost.ended} streams ended`)
            const numbers = [cost.cpuMillisPerBlock, cost.mebibytes].map((one) => one.toFixed(0))
            return [cost.streams, cost.webhooks, cost.wallets, ...numbers]
          },
          Effect.scoped,
          Effect.provideService(References.MinimumLogLevel, "None"),
        ),
      })),
    })
  },
})
