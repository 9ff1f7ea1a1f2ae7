/** Assets as text: the native currency of a chain, or a token address. */
import * as Schema from "effect/Schema"
import * as Address from "../Address.ts"
import { type Step, unread } from "./coder.ts"

export type Asset = "native" | Address.Address

export const isAsset = (value: unknown): value is Asset => value === "native" || Address.isAddress(value)

/** The text in lower case. */
export const assetWire = Schema.String.check(Schema.isPattern(/^(native|0x[0-9a-f]{40})$/u))

/** Reads any case. */
export const readAsset = ((input) => {
  const text = typeof input === "string" && input.length <= 42 ? input.toLowerCase() : input
  return isAsset(text) ? text : unread
}) satisfies Step
