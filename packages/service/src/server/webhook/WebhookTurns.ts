/**
 * Limits how many webhooks are processed and stored in one turn of the event loop, since a new block concerns all of them at once. Waiting
 * webhooks take turns by API key.
 */
import type { Webhooks } from "../../store/Webhooks.ts"
import type { Turns } from "../admission/Turns.ts"

/** The webhooks, with leases and changes that wait for a turn with time left. */
export const bounded = (webhooks: Webhooks, turns: Pick<Turns, "run">): Webhooks => ({
  ...webhooks,
  acquire: (...lease) => turns.run(webhooks.acquire(...lease)),
  change: (...change) => turns.run(webhooks.change(...change)),
})
