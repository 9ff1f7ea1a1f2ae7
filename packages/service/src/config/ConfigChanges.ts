/**
 * Differences between two configurations: paths of keys, without their values, and whether a running service can apply them.
 */
import * as Struct from "effect/Struct"
import type { Config } from "./Config.ts"
import * as Explorer from "./Explorer.ts"

/** The differences of two configurations. */
export interface ConfigChanges {
  /** Paths that a running service applies, such as `chains.eth.labels`; a chain that is added or removed is listed by its own path. */
  readonly applied: ReadonlyArray<string>
  /** Keys that take effect when the service is restarted. */
  readonly postponed: ReadonlyArray<string>
}

/** Keys that are fixed for the lifetime of a process. */
const fixed = [
  "backfillThreads",
  "database",
  "indexThreads",
  "listen",
  "log",
  "monitoring",
  "otlp",
  "relay",
  "signatures",
  "signingKey",
  "tls",
  "webhooks",
] as const satisfies ReadonlyArray<keyof Config>

/**
 * Keys whose previous values a running service keeps. An explorer without a key waits for its loopback address, because the current address
 * may be public.
 */
const keptKeys = ({ listen }: Config, { explorer }: Config): ReadonlyArray<(typeof fixed)[number] | "explorer"> =>
  explorer === undefined || Explorer.isAllowed({ explorer, listen }) ? fixed : [...fixed, "explorer"]

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** Keys whose values differ between two objects, sorted. */
const differing = (before: object, after: object): ReadonlyArray<string> => {
  const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((key) => !isEqual(left.get(key), right.get(key)))
    .toSorted()
}

const changesOfChains = (before: Config["chains"], after: Config["chains"]): ReadonlyArray<string> =>
  differing(before, after).flatMap((name) => {
    const [own, next] = [before[name], after[name]]
    if (own === undefined) return [`chains.${name} (added)`]
    if (next === undefined) return [`chains.${name} (removed)`]
    return differing(own, next).map((key) => `chains.${name}.${key}`)
  })

/** Compares two configurations. */
export const between = (before: Config, after: Config): ConfigChanges => {
  const keys = differing(before, after)
  const kept: ReadonlyArray<string> = keptKeys(before, after)
  return {
    applied: [
      ...keys.filter((key) => key !== "chains" && !kept.includes(key)),
      ...changesOfChains(before.chains, after.chains),
    ],
    postponed: keys.filter((key) => kept.includes(key)),
  }
}

/** The later configuration with the earlier values of fixed keys. */
export const applicable = (before: Config, after: Config): Config => {
  const kept = keptKeys(before, after)
  return { ...Struct.omit(after, kept), ...Struct.pick(before, kept) }
}
