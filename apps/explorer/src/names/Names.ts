/** Names that the service knows: labels of addresses, functions by their selectors, errors by their data. */
import * as Batch from "./Batch.ts"

/** A function as the service knows it. */
export interface NamedFunction {
  readonly label: string
  readonly signature: string
}

/** An error that a call ended with. */
export interface NamedError extends NamedFunction {
  readonly params: ReadonlyArray<{ readonly name: string; readonly type: string; readonly value: string }>
}

/** What a name belongs to, and its form. */
interface Kinds {
  readonly address: string
  readonly call: NamedFunction
  readonly error: NamedError
}

type Kind = keyof Kinds

const listOf: Readonly<Record<Kind, string>> = { address: "addresses", call: "calls", error: "errors" }

/** Names of one request; the data of an error may fill the URL. */
const maxKeys: Readonly<Record<Kind, number>> = { address: 50, call: 50, error: 1 }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isNamed = (value: unknown): value is NamedFunction =>
  isObject(value) && typeof value["label"] === "string" && typeof value["signature"] === "string"

const isParam = (value: unknown): boolean =>
  isObject(value) && ["name", "type", "value"].every((field) => typeof value[field] === "string")

const checks: { readonly [K in Kind]: (value: unknown) => value is Kinds[K] } = {
  address: (value): value is string => typeof value === "string" && value !== "",
  call: isNamed,
  error: (value): value is NamedError =>
    isObject(value) && Array.isArray(value["params"]) && value["params"].every(isParam) && isNamed(value),
}

/** Reads names of one kind; `null` where the service has none. */
export const lookup = async <K extends Kind>(
  kind: K,
  keys: ReadonlyArray<string>,
  { apiKey, chain }: { readonly apiKey: string; readonly chain: string },
): Promise<ReadonlyArray<Kinds[K] | null>> => {
  const query = new URLSearchParams({ chain, [kind]: keys.join(",") })
  const response = await fetch(`/api/v2.2/names?${query}`, {
    headers: { accept: "application/json", "x-api-key": apiKey },
  })
  if (!response.ok) throw new Error(`The service has no names: HTTP ${response.status}.`)
  const body: unknown = await response.json()
  const list = isObject(body) && isObject(body["result"]) ? body["result"][listOf[kind]] : undefined
  return keys.map((_, at) => {
    const value: unknown = Array.isArray(list) ? list[at] : undefined
    return checks[kind](value) ? value : null
  })
}

type Lookup<K extends Kind> = (key: string) => Promise<Kinds[K] | null>

const batches = new Map<string, Lookup<Kind>>()

/** Reads the name of one key, together with others that are asked for at the same time. */
export const find = <K extends Kind>(
  kind: K,
  key: string,
  service: { readonly apiKey: string; readonly chain: string },
): Promise<Kinds[K] | null> => {
  const id = `${kind} ${service.chain} ${service.apiKey}`
  const known = batches.get(id) ?? Batch.make((keys) => lookup(kind, keys, service), maxKeys[kind])
  batches.set(id, known)
  // Sound: the id begins with the kind.
  return (known as Lookup<K>)(key)
}
