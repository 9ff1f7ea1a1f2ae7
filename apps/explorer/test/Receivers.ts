/** Receivers of webhooks with defined responses, and webhooks that send to them. */
import { Eventually, LocalServer } from "@daybook/harness"
import { createWebhookClient, type Webhook, type WebhookPromiseClient } from "@daybook/rest/WebhookClient"
import type * as World from "./World.ts"

/** A failing and a working receiver, and functions to add webhooks. */
export interface Receivers {
  readonly webhooks: WebhookPromiseClient
  /** Adds a webhook for all wallets of the scenario, starting at the first block. */
  readonly add: (name: string, receiver: "failing" | "working") => Promise<Webhook>
  /** Waits until a webhook fulfils a condition. */
  readonly until: (id: string, isMet: (webhook: Webhook) => boolean) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts both receivers. */
export const start = async ({ apiKey, scenario, url }: World.World): Promise<Receivers> => {
  const [working, failing] = await Promise.all(
    [204, 503].map((status) => LocalServer.start((_, response) => void response.writeHead(status).end())),
  )
  const webhooks = createWebhookClient({ baseUrl: url, apiKey })
  const add: Receivers["add"] = (name, receiver) => {
    const { url: base } = receiver === "working" ? working! : failing!
    return webhooks.create({ name, url: `${base}/hook`, addresses: Object.values(scenario.accounts), from: 0 })
  }
  const until: Receivers["until"] = (webhook, isMet) =>
    Eventually.until(async () => isMet(await webhooks.get({ webhook })))
  return { webhooks, add, until, stop: async () => void (await Promise.all([working!.stop(), failing!.stop()])) }
}
