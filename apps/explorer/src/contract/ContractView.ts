/** What the service knows of a contract: its name and ABI, and those of its implementation where it is a proxy. */
import type { Service } from "../service/Service.tsx"

/** A parameter of a function, an event or an error. */
export interface Parameter {
  readonly name: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: ReadonlyArray<Parameter>
}

/** An item of an ABI. */
export interface AbiItem {
  readonly type: "function" | "event" | "error"
  readonly name: string
  readonly inputs: ReadonlyArray<Parameter>
  readonly outputs?: ReadonlyArray<Parameter>
  /** Only of a function that changes nothing. */
  readonly stateMutability?: "view" | "pure"
}

/** A contract that was described. */
export interface Described {
  readonly address: string
  readonly name: string
  readonly source: string
  readonly abi: ReadonlyArray<AbiItem>
}

/** A contract, and its implementation where that was described. */
export interface ContractView {
  readonly contract: Described
  readonly implementation: Described | null
}

/** Reads what the service knows; `null` where the contract was not described. */
export const read = async (
  address: string,
  { apiKey, chain }: Pick<Service, "apiKey" | "chain">,
  signal: AbortSignal,
): Promise<ContractView | null> => {
  const query = new URLSearchParams({ chain: chain.name })
  const response = await fetch(`/api/v2.2/contracts/${address}?${query}`, {
    headers: { accept: "application/json", "x-api-key": apiKey },
    signal,
  })
  if (!response.ok) throw new Error(`The service did not give the ABI: HTTP ${response.status}.`)
  // Sound: the service has decoded it, and texts of it are shown as texts.
  const { result } = (await response.json()) as { readonly result: ContractView | null }
  return result
}

const typeOf = ({ components, type }: Parameter): string =>
  components === undefined ? type : type.replace(/^tuple/, `(${components.map(typeOf).join(",")})`)

const parameterOf = (parameter: Parameter): string =>
  [typeOf(parameter), ...(parameter.indexed === true ? ["indexed"] : []), parameter.name].filter(Boolean).join(" ")

const listOf = (parameters: ReadonlyArray<Parameter>): string => `(${parameters.map(parameterOf).join(", ")})`

/** An item as it is written in Solidity, with the names of parameters. */
export const signatureOf = ({ inputs, name, outputs = [] }: AbiItem): string =>
  `${name}${listOf(inputs)}${outputs.length === 0 ? "" : ` returns ${listOf(outputs)}`}`
