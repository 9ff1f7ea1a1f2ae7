/**
 * Whether the page of the API is served.
 *
 * Source: decision 0058.
 */
import * as Listen from "./Listen.ts"

/** The page of the API at `/docs`. */
export type Docs = "on" | "off"

/** As configured. Default, as for the explorer: `on` on a loopback address, `off` on any other one. */
export const docsOf = ({ docs, listen }: { readonly docs?: Docs; readonly listen: Listen.Listen }): Docs =>
  docs ?? (Listen.isLoopback(listen) ? "on" : "off")
