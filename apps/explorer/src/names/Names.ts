/** Names known to the service: labels of addresses, functions by their selectors, errors by their data. */
import type { Names } from "@daybook/rest/ExplorerClient"
import * as Clients from "../service/Clients.ts"
import * as Batch from "./Batch.ts"

/** Kinds of names, each with the field of a response that lists its names. */
const lists = { address: "addresses", call: "calls", error: "errors" } as const satisfies Record<string, keyof Names>

type Kind = keyof typeof lists

/** A name of a kind; `null` if the service has none. */
type Name<K extends Kind> = Names[(typeof lists)[K]][number]

/** Maximum number of names per request; the data of one error may fill the URL. */
const maxKeys: Readonly<Record<Kind, number>> = { address: 50, call: 50, error: 1 }

type Lookup<K extends Kind> = (key: string) => Promise<Name<K>>

const batches = new Map<string, Lookup<Kind>>()

/** Reads the name of a key, batched with others that are requested at the same time. */
export const find = <K extends Kind>(
  kind: K,
  key: string,
  { apiKey, chain }: { readonly apiKey: string; readonly chain: string },
): Promise<Name<K>> => {
  const id = `${kind} ${chain} ${apiKey}`
  const lookup = async (keys: ReadonlyArray<string>): Promise<ReadonlyArray<Name<Kind>>> => {
    const { result } = await (await Clients.explorer(apiKey)).names({ chain, [kind]: keys })
    return result[lists[kind]]
  }
  const batch = batches.get(id) ?? Batch.make(lookup, maxKeys[kind])
  batches.set(id, batch)
  // Sound: the id starts with the kind.
  return (batch as Lookup<K>)(key)
}
