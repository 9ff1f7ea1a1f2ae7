/**
 * What differs between two configurations: paths of keys, without their values, and whether a running service can take it over.
 */
import * as Struct from "effect/Struct"
import type { Config } from "./Config.ts"
import * as Explorer from "./Explorer.ts"

/** The differences of two configurations. */
export interface ConfigChanges {
  /** Paths of what a running service takes over, such as `chains.eth.labels`; a chain that is new or gone is named as such. */
  readonly applied: ReadonlyArray<string>
  /** Keys that take effect when the service is started again. */
  readonly postponed: ReadonlyArray<string>
}

/** Keys of what a process holds from its start to its end. */
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
 * Keys whose earlier values a running service keeps. An explorer that needs no key waits for its loopback address: the address that the
 * service has may be a public one.
 */
const keptKeys = ({ listen }: Config, { explorer }: Config): ReadonlyArray<(typeof fixed)[number] | "explorer"> =>
  explorer === undefined || Explorer.isAllowed({ explorer, listen }) ? fixed : [...fixed, "explorer"]

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** The keys of two objects whose values differ, sorted. */
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

/** The later configuration with the earlier values of the keys that are fixed. */
export const applicable = (before: Config, after: Config): Config => {
  const kept = keptKeys(before, after)
  return { ...Struct.omit(after, kept), ...Struct.pick(before, kept) }
}
