/** Operations to which callers can be restricted: those of the REST interface, and the relay. */
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as RestOperation from "@daybook/schema/RestOperation"

/** The operation that stands for calls to nodes. */
export const relay = "relay"

/** The webhook operations, which are allowed together. */
export const webhooks = "webhooks"

/** Names of read operations, which a caller may call unless restricted. */
export const reading: ReadonlyArray<string> = [
  ...Object.keys({ ...RestOperation.all, ...RestOperation.streams }),
  relay,
]

/** Names of all operations; those that change something must be allowed explicitly by a key. */
export const all: ReadonlyArray<string> = [...reading, webhooks, ...Object.keys(ChangeOperation.all)]
