/** Random JSON and mutations of captured responses, decoded, encoded and decoded again. A seed determines every value. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import * as Schema from "effect/Schema"
import { resources } from "./resources.ts"

export type Json = { readonly [key: string]: Json } | ReadonlyArray<Json> | string | number | boolean | null
type Chance = () => number

/** A seeded generator of numbers in [0, 1) (mulberry32). */
export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const below = (chance: Chance, count: number): number => Math.floor(chance() * count)
const pick = <A>(chance: Chance, from: ReadonlyArray<A>): A => from[below(chance, from.length)]!

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** A captured response with the name of its resource. */
export interface Captured {
  readonly resource: string
  readonly json: Json
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))

/** Captured responses that are small enough to be decoded many times. */
export const captured: ReadonlyArray<Captured> = readdirSync(join(import.meta.dirname, "fixtures"))
  .flatMap(
    (file) => (readJson(join(import.meta.dirname, "fixtures", file)) as { answers: ReadonlyArray<Captured> }).answers,
  )
  .filter(({ json }) => JSON.stringify(json).length < 4000)

const keys = [...new Set(captured.flatMap(({ json }) => (isObject(json) ? Object.keys(json) : [])))].concat([
  "__proto__",
  "constructor",
  "toString",
  "",
  "0",
  "logs",
  "result",
])

const digits = (chance: Chance, count: number) =>
  Array.from({ length: count }, () => "0123456789abcdefABCDEF".charAt(below(chance, 22))).join("")

const scalars: ReadonlyArray<(chance: Chance) => Json> = [
  () => null,
  () => true,
  () => "",
  () => "0x",
  (chance) => `0x${digits(chance, below(chance, 20))}`,
  (chance) => `0x${digits(chance, pick(chance, [16, 40, 64, 512]))}`,
  (chance) => `${below(chance, 1e9)}`,
  (chance) => below(chance, 2 ** 53),
  (chance) => -1 - below(chance, 100),
  (chance) => chance() * 10 ** below(chance, 300),
  () => "2023-02-15T14:51:23.000Z",
  () => "2023-02-30T25:00:00Z",
  (chance) => String.fromCharCode(below(chance, 65536)).repeat(below(chance, 5)),
]

const assign = (target: Record<string, Json>, key: string, value: Json) =>
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })

/** A random JSON value with keys of the resources. */
const randomJson = (chance: Chance, depth = 0): Json => {
  const kind = depth > 3 ? 1 : chance()
  if (kind > 0.45) return pick(chance, scalars)(chance)
  if (kind > 0.3) return Array.from({ length: below(chance, 4) }, () => randomJson(chance, depth + 1))
  const object: Record<string, Json> = {}
  for (let left = below(chance, 12); left > 0; left--) assign(object, pick(chance, keys), randomJson(chance, depth + 1))
  return object
}

const respell = (chance: Chance, value: Json): Json => {
  if (typeof value === "string") {
    switch (below(chance, 5)) {
      case 0:
        return value.toUpperCase()
      case 1:
        return value.replace(/^0x/, "0x0")
      case 2:
        return value.replace(/^0x/, "0X")
      case 3:
        return value.replace(/[0-9a-f]$/, "7")
      default:
        return /^0x[0-9a-f]{1,12}$/.test(value) ? Number(value) : value
    }
  }
  return typeof value === "number" ? `${value}` : value
}

const changes: ReadonlyArray<(chance: Chance, value: Json) => Json> = [
  respell,
  respell,
  (chance) => pick(chance, scalars)(chance),
  (chance) => randomJson(chance, 2),
  (chance, value) => (typeof value === "string" ? value.slice(0, below(chance, value.length + 1)) : null),
]

/** The value with one change somewhere inside; unchanged parts are shared. */
export const mutate = (chance: Chance, value: Json): Json => {
  if (isObject(value)) {
    const inside = Object.keys(value)
    const act = chance()
    if (inside.length === 0 || act < 0.15) {
      const more: Record<string, Json> = { ...value }
      assign(more, `${pick(chance, ["", "new", "the_"])}${pick(chance, keys)}`, randomJson(chance, 2))
      return more
    }
    const key = pick(chance, inside)
    if (act < 0.2) {
      const { [key]: _, ...rest } = value
      return rest
    }
    const changed: Record<string, Json> = { ...value }
    assign(changed, key, act < 0.25 ? value[pick(chance, inside)]! : mutate(chance, value[key]!))
    return changed
  }
  if (isList(value)) {
    const act = chance()
    const at = below(chance, value.length)
    if (value.length === 0 || act < 0.1) return [...value, randomJson(chance, 2)]
    if (act < 0.2) return [...value, value[at]!]
    if (act < 0.3) return value.toSpliced(at, 1)
    if (act < 0.35) return value[at]!
    return value.with(at, mutate(chance, value[at]!))
  }
  return pick(chance, changes)(chance, value)
}

const codecs = Object.values(resources).map((resource) => ({
  decode: Schema.decodeUnknownSync(resource),
  encode: Schema.encodeUnknownSync(resource),
}))
const indexOf = Object.fromEntries(Object.keys(resources).map((name, at) => [name, at]))

/** Returns whether a value decodes. Throws for an error other than `SchemaError`, and for a value that changes when encoded and decoded. */
const tryOne = ({ decode, encode }: (typeof codecs)[number], wire: Json): boolean => {
  let value: unknown
  try {
    value = decode(wire)
  } catch (error) {
    if (Schema.isSchemaError(error)) return false
    throw new Error(`not a SchemaError for ${JSON.stringify(wire)}`, { cause: error })
  }
  const text = JSON.stringify(encode(value))
  const again = decode(JSON.parse(text))
  if (JSON.stringify(encode(again)) !== text || !isDeepStrictEqual(again, value)) {
    throw new Error(`changes when encoded and decoded: ${JSON.stringify(wire)}`)
  }
  return true
}

/** Decodes `count` random values, each as one resource. Returns the number of those that decode. */
export const tryRandom = (count: number, seed: number): number => {
  const chance = chanceOf(seed)
  let accepted = 0
  for (let at = 0; at < count; at++) if (tryOne(pick(chance, codecs), randomJson(chance))) accepted++
  return accepted
}

/** Decodes `count` mutations of captured responses, each as its resource. Returns the number of those that decode. */
export const tryMutations = (count: number, seed: number): number => {
  const chance = chanceOf(seed)
  let accepted = 0
  for (let at = 0; at < count; at++) {
    const { resource, json } = pick(chance, captured)
    let wire = mutate(chance, json)
    while (chance() < 0.3) wire = mutate(chance, wire)
    if (tryOne(codecs[indexOf[resource]!]!, wire)) accepted++
  }
  return accepted
}
