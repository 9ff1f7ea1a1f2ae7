/**
 * Finds the chain that a caller means among those that are served, in any spelling. Pure.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2; decision 0005.
 */
import * as Chain from "@daybook/schema/Chain"
import { quote } from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import type { ServedChain } from "./Config.ts"

/** Why a chain is not found: the text means none, or one that is not served. */
export interface NoChain {
  readonly code: "bad_request" | "chain_not_served"
  /** A whole sentence that names what is accepted. */
  readonly message: string
}

/** The chain where a request names none. Source: decision 0007. */
export const standard = "eth"

const names = (chains: ReadonlyArray<{ readonly name: string }>): string => chains.map(({ name }) => name).join(", ")

/**
 * Finds a chain by a name of either operation, the name in the configuration, or an identifier: listed or true; hex, decimal or
 * CAIP-2.
 */
export const find = <C extends ServedChain>(chains: ReadonlyArray<C>, text: string): Result.Result<C, NoChain> => {
  const named = chains.find(
    ({ key, name }) =>
      Chain.normalizeName(key) === Chain.normalizeName(text) || Chain.normalizeName(name) === Chain.normalizeName(text),
  )
  if (named !== undefined) return Result.succeed(named)
  const served = `served here: ${names(chains)}.`
  const listed = Chain.fromText(text)
  const id = Chain.fromName(text) === undefined ? Chain.parseId(text) : undefined
  const found = chains.filter(
    ({ id: own, known }) => BigInt(own) === id || (known !== undefined && listed.includes(known)),
  )
  const [only] = found
  if (only !== undefined && found.length === 1) return Result.succeed(only)
  if (found.length > 1) {
    const message = `chain is ${quote(text)}, which is both ${found.map(({ name }) => name).join(" and ")}; accepted: one of these names.`
    return Result.fail({ code: "bad_request", message })
  }
  if (listed.length > 0 || id !== undefined) {
    const others = listed
      .filter(({ name }) => Chain.normalizeName(name) !== Chain.normalizeName(text))
      .map(({ name }) => name)
    const meant = others.length === 0 ? "" : ` (${others.join(" or ")})`
    return Result.fail({
      code: "chain_not_served",
      message: `chain is ${quote(text)}${meant}, which is not served; ${served}`,
    })
  }
  const received = text.trim() === "" ? "empty" : quote(text)
  return Result.fail({
    code: "bad_request",
    message: `chain is ${received}; accepted: a name such as eth, or an identifier such as 0x1; ${served}`,
  })
}

const rememberedTexts = 1000

/** `find` that remembers what it found: callers write the same few texts again and again. */
export const finder = <C extends ServedChain>(
  chains: ReadonlyArray<C>,
): ((text: string) => Result.Result<C, NoChain>) => {
  const found = new Map<string, Result.Result<C, NoChain>>()
  return (text) => {
    const known = found.get(text)
    if (known !== undefined) return known
    const made = find(chains, text)
    if (Result.isSuccess(made) && found.size < rememberedTexts && text.length < 64) found.set(text, made)
    return made
  }
}

/** The message for a request that names no chain where the standard one is not served. */
export const noStandard = (chains: ReadonlyArray<ServedChain>): NoChain => ({
  code: "chain_not_served",
  message: `chain is missing, and ${standard}, which it then is, is not served; served here: ${names(chains)}.`,
})
