/**
 * What a key may ask for, where it is narrowed to chains, methods or operations.
 *
 * Source: decision 0065.
 */
import { quote } from "@daybook/schema/Issue"
import * as ChainRegistry from "../config/ChainRegistry.ts"
import type { ServedChain } from "../config/ServedChain.ts"
import type { KeyGrant } from "../store/ApiKeys.ts"

/** The operation of calls to nodes, beside those of the REST interface. */
export const relay = "relay"

const refuse = (what: string, allowed: ReadonlyArray<string>): string =>
  `API key not allowed for ${what}. It is for ${allowed.join(", ")}.`

/** Why a key may not call an operation; `undefined` where it may. */
export const operationIssue = ({ options }: KeyGrant, operation: string): string | undefined =>
  options?.operations === undefined || options.operations.includes(operation)
    ? undefined
    : refuse(`the operation ${operation}`, options.operations)

/** Why a key may not ask for a chain; `undefined` where it may. */
export const chainIssue = ({ options }: KeyGrant, chain: ServedChain): string | undefined =>
  options?.chains === undefined || options.chains.some((name) => ChainRegistry.isNamed(name)(chain))
    ? undefined
    : refuse(`the chain ${chain.name}`, options.chains)

/** Why a key may not continue a list without naming its chain; `undefined` where it may ask for every chain. */
export const cursorIssue = ({ options }: KeyGrant): string | undefined =>
  options?.chains === undefined
    ? undefined
    : "API key not allowed for a cursor without its chain. Send the parameter chain beside it."

/** Why a key may not relay a method; `undefined` where it may, if its exposure permits it too. */
export const methodIssue = ({ options }: KeyGrant, method: string): string | undefined =>
  options?.methods === undefined || options.methods.includes(method)
    ? undefined
    : refuse(`the method ${quote(method)}`, options.methods)
