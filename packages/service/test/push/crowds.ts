/** Prints the cost of a block for a service with many subscriptions. */
import { Effect, References } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Crowd from "./Crowd.ts"

Campaign.main({
  name: "crowds",
  about:
    "Opens streams of events of a wallet each and adds webhooks with many wallets to a service with SQLite, mines blocks with a transfer each to one of these wallets; `single` has all wallets in one webhook, and prints memory and time of the processor for a block. Fails where a receiver lacks a movement.",
  options: {
    streams: [10_000, "streams of events"],
    webhooks: [1_000, "webhooks"],
    wallets: [100, "wallets of each webhook"],
    blocks: [20, "blocks that are measured"],
    transfers: [1, "transfers of each block, of which one is to a wallet that is subscribed"],
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
            const cost = yield* Crowd.measure({
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
