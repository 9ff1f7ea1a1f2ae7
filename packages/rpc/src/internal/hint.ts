/** Reads the wait that a server asks for inside a JSON-RPC error, where providers put it when they send no `Retry-After`. */
import type * as JsonRpc from "@daybook/schema/JsonRpc"
import { longest } from "@daybook/transport/RetryAfter"
import * as Duration from "effect/Duration"
import { isObject } from "./wire.ts"

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Seconds or milliseconds by the key's name. Source: Infura `rate.backoff_seconds`; QuickNode `try_again_in`; gateways. */
const keys: Readonly<Record<string, number>> = {
  backoff_seconds: 1000,
  retry_after: 1000,
  retryAfter: 1000,
  retry_after_seconds: 1000,
  retryAfterSeconds: 1000,
  retry_after_ms: 1,
  retryAfterMs: 1,
  try_again_in: 1000,
}

const spoken =
  /(?:retry|again|wait|back ?off|reset)\D{0,20}?(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec(?:onds?)?|m|min(?:utes?)?|h|hours?)\b/i

const unitOf = (word: string): number => {
  const unit = word.toLowerCase()
  return unitMillis[unit.startsWith("milli") || unit === "ms" ? "ms" : (unit[0] ?? "s")] ?? 1000
}

const fromValue = (value: unknown, perUnit: number): number | undefined => {
  if (typeof value === "number") return value * perUnit
  const parts = typeof value === "string" ? /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim()) : null
  if (parts === null) return undefined
  const [, digits = "", unit = ""] = parts
  return Number(digits) * (unit === "" ? perUnit : unitOf(unit))
}

const fromObject = (value: unknown, depth: number): number | undefined => {
  if (!isObject(value)) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const perUnit = keys[key]
    const millis =
      perUnit !== undefined ? fromValue(inner, perUnit) : depth > 0 ? fromObject(inner, depth - 1) : undefined
    if (millis !== undefined && millis >= 0) return millis
  }
  return undefined
}

const fromWords = (words: string): number | undefined => {
  const found = spoken.exec(words.slice(0, 2_000))
  return found === null ? undefined : Number(found[1]) * unitOf(found[2] ?? "s")
}

/** The wait that an error asks for; undefined when it asks for none. */
export const waitAsked = (error: Pick<JsonRpc.ErrorObject, "message">): Duration.Duration | undefined => {
  const millis = fromObject(error, 2) ?? fromWords(error.message)
  return millis === undefined || !Number.isFinite(millis)
    ? undefined
    : Duration.min(Duration.millis(Math.ceil(millis)), longest)
}
