/**
 * Finds the chain that a request names among the served chains.
 *
 * Source: docs/interface.md#4.1.1, docs/interface.md#4.2; decision 0005.
 */
import * as Chain from "@daybook/schema/Chain"
import { type Issue, quote } from "@daybook/schema/Issue"
import * as Result from "effect/Result"
import type { ServedChain } from "./ServedChain.ts"

/** The text does not name a chain (`bad_request`), or names one that is not served. */
export interface ChainNotFound {
  readonly code: "bad_request" | "chain_not_served"
  /** What was expected, with the names of the served chains, and what was received. */
  readonly issue: Issue
}

/** Default of the parameter `chain`. Source: decision 0008. */
const defaultName = "eth"

/** True for the chain with a name, in the configuration or in the interface, ignoring case, spaces and hyphens. */
export const isNamed = (text: string): ((chain: Pick<ServedChain, "key" | "name">) => boolean) => {
  const name = Chain.normalizeName(text)
  return (chain) => Chain.normalizeName(chain.key) === name || Chain.normalizeName(chain.name) === name
}

const notFound = (code: ChainNotFound["code"], expected: string, received: string) =>
  Result.fail<ChainNotFound>({ code, issue: { path: "chain", expected, received } })

const namesOf = (chains: ReadonlyArray<{ readonly name: string }>): string => chains.map(({ name }) => name).join(", ")

/** Other names of the rows that a text matches, for the message. */
const meaning = (rows: ReadonlyArray<Chain.Chain>, text: string): string => {
  const others = rows.map(({ name }) => name).filter((name) => Chain.normalizeName(name) !== Chain.normalizeName(text))
  return others.length === 0 ? quote(text) : `${quote(text)} (${others.join(" or ")})`
}

/**
 * Finds a chain by its name in the interface or the configuration, or by an identifier, listed or EIP-155, in hexadecimal, decimal or
 * CAIP-2.
 */
export const find = <C extends ServedChain>(
  chains: ReadonlyArray<C>,
  text: string,
): Result.Result<C, ChainNotFound> => {
  const named = chains.find(isNamed(text))
  if (named !== undefined) return Result.succeed(named)
  const rows = Chain.fromText(text)
  const id = Chain.fromName(text) === undefined ? Chain.parseId(text) : undefined
  const found = chains.filter(
    ({ id: own, known }) => BigInt(own) === id || (known !== undefined && rows.includes(known)),
  )
  if (found.length === 1) return Result.succeed(found[0]!)
  if (found.length > 1) {
    return notFound("bad_request", `the name of one chain (${namesOf(found)} share this identifier)`, quote(text))
  }
  const expected = `a chain that is served here (${namesOf(chains)})`
  return rows.length > 0 || id !== undefined
    ? notFound("chain_not_served", expected, meaning(rows, text))
    : notFound("bad_request", `${expected} by name or identifier`, text.trim() === "" ? "an empty string" : quote(text))
}

const maxEntries = 1_000
const maxTextLength = 64

/** `find` with a cache, since callers repeat the same texts. */
export const finder = <C extends ServedChain>(
  chains: ReadonlyArray<C>,
): ((text: string) => Result.Result<C, ChainNotFound>) => {
  const results = new Map<string, Result.Result<C, ChainNotFound>>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = find(chains, text)
    if (Result.isSuccess(result) && results.size < maxEntries && text.length < maxTextLength) results.set(text, result)
    return result
  }
}

/** Failure of a request without a chain if the default chain is not served. */
const defaultNotServed = (chains: ReadonlyArray<ServedChain>): ChainNotFound => {
  const expected = `a chain that is served here (${namesOf(chains)}), since the default ${defaultName} is not`
  return { code: "chain_not_served", issue: { path: "chain", expected, received: "nothing" } }
}

/** `finder` for a parameter; if absent, it selects the default chain. */
export const finderWithDefault = <C extends ServedChain>(
  chains: ReadonlyArray<C>,
): ((text: string | undefined) => Result.Result<C, ChainNotFound>) => {
  const find = finder(chains)
  return (text) =>
    text === undefined ? Result.mapError(find(defaultName), () => defaultNotServed(chains)) : find(text)
}
