/** Items of an ABI as they are written in Solidity. Pure. */
import type { AbiItem, AbiParameter } from "@daybook/rest/ExplorerClient"

/** The canonical type of a parameter: a tuple is its types in parentheses. */
export const typeOf = ({ components, type }: AbiParameter): string =>
  components === undefined ? type : type.replace(/^tuple/, `(${components.map(typeOf).join(",")})`)

const parameterOf = (parameter: AbiParameter): string =>
  [typeOf(parameter), ...(parameter.indexed === true ? ["indexed"] : []), parameter.name].filter(Boolean).join(" ")

const listOf = (parameters: ReadonlyArray<AbiParameter>): string => `(${parameters.map(parameterOf).join(", ")})`

/** An item with the names of its parameters. */
export const signatureOf = ({ inputs, name, outputs = [] }: AbiItem): string =>
  `${name}${listOf(inputs)}${outputs.length === 0 ? "" : ` returns ${listOf(outputs)}`}`
