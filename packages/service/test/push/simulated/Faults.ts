/** Faults that are injected into the service to verify that the simulation detects them. */
import type { Edit } from "../../consistency/Edit.ts"

/** A fault, as edits of the sources. */
export interface Fault {
  readonly name: string
  readonly edits: ReadonlyArray<Edit>
}

const [events, sender, attempt, text] = [
  "push/WalletEvents.ts",
  "server/webhook/WebhookSender.ts",
  "server/webhook/WebhookAttempt.ts",
  "server/rest/EventText.ts",
]

export const all: ReadonlyArray<Fault> = [
  {
    name: "a removed block is not voided",
    edits: [
      {
        file: events,
        from: "...ending(voidsOf(own), position, next)",
        to: "...ending(voidsOf(own.slice(1)), position, next)",
      },
    ],
  },
  {
    name: "a failed message is not sent again",
    edits: [{ file: sender, from: 'if (outcome._tag !== "Delivered") {', to: 'if (outcome._tag === "Gone") {' }],
  },
  {
    name: "the position advances before the response",
    edits: [
      {
        file: sender,
        from: "yield* storeAll(sender, stored, { ...webhook, pending: found.message }, memory, { kept: wallet })",
        to: "progress.states.set(wallet, found.following)\n    yield* storeAll(sender, stored, webhook, memory, { moved: wallet })\n    yield* attempt(sender, webhook, found.message)",
      },
    ],
  },
  {
    name: "the position advances with the first row of a block",
    edits: [{ file: events, from: "next: isLast ? number + 1 : number", to: "next: number + 1" }],
  },
  {
    name: "a row is sent twice",
    edits: [
      {
        file: events,
        from: "const all = [...sent, ...advanced.sent]",
        to: "const all = [...sent, ...advanced.sent, ...advanced.sent.slice(-1)]",
      },
    ],
  },
  {
    name: "a different content has the same revision",
    edits: [{ file: text, from: "    revision,\n", to: "    revision: 1,\n" }],
  },
  {
    name: "a repeated message has another id",
    edits: [{ file: attempt, from: '"webhook-id": id,', to: '"webhook-id": Webhook.newId(),' }],
  },
  {
    name: "a secret is logged",
    edits: [
      {
        file: sender,
        from: "const webhook = yield* Webhook.decode(stored.content)",
        to: "const webhook = yield* Webhook.decode(stored.content)\n  yield* Effect.logInfo(yield* Webhook.decrypt(sender.settings.key, webhook.secret))",
      },
    ],
  },
]
