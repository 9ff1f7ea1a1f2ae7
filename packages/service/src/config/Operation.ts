/** The operations that callers can be narrowed to: those of the REST interface, and the relay. */
import * as RestOperation from "@daybook/schema/RestOperation"

/** The operation of calls to nodes. */
export const relay = "relay"

/** Names of all operations. */
export const all: ReadonlyArray<string> = [...Object.keys(RestOperation.all), relay]
