/** The outcome of an attempt to deliver a message. */
import type { WebhookDelivery } from "@daybook/rest/WebhookClient"
import { Badge } from "../../display/Page.tsx"

const tones = { delivered: "good", failed: "bad", gone: "bad" } as const

export const Outcome = ({ delivery: { result, status } }: { readonly delivery: WebhookDelivery }) => (
  <Badge tone={tones[result]}>{status === null ? result : `${result} ${status}`}</Badge>
)
