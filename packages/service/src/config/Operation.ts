/** The operations that callers can be narrowed to: those of the REST interface, and the relay. */
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as RestOperation from "@daybook/schema/RestOperation"

/** The operation of calls to nodes. */
export const relay = "relay"

/** The operations on webhooks, which a key is narrowed to together. */
export const webhooks = "webhooks"

/** Names of the operations that read, which a caller may call unless it is narrowed. */
export const reading: ReadonlyArray<string> = [
  ...Object.keys({ ...RestOperation.all, ...RestOperation.streams }),
  relay,
]

/** Names of all operations; those that change something must be named by a key. */
export const all: ReadonlyArray<string> = [...reading, webhooks, ...Object.keys(ChangeOperation.all)]
