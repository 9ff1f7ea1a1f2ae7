/**
 * What a key may request if it is restricted to chains, methods or operations.
 *
 * Source: decision 0065.
 */
import { quote } from "@daybook/schema/Issue"
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as ChainRegistry from "../../config/ChainRegistry.ts"
import * as Operation from "../../config/Operation.ts"
import type { ServedChain } from "../../config/ServedChain.ts"
import type { KeyGrant } from "../../store/ApiKeys.ts"

/** Callers without a key have no name. */
const refuse = ({ name }: KeyGrant, what: string, allowed: ReadonlyArray<string>): string =>
  name === ""
    ? `API key required for ${what}. Requests without one are allowed for ${allowed.join(", ")}.`
    : `API key not allowed for ${what}. It allows ${allowed.join(", ")}.`

/** True for the comparison of a wallet by a local caller that needs no key: the operator of the service bears the cost. */
const isOwnProof = ({ name, operator }: KeyGrant, operation: string): boolean =>
  name === "" && operator && operation === ChangeOperation.proveWallet.name

/** Why a key may not call an operation; `undefined` if it may. An operation that changes something must be named by the key. */
export const operationIssue = (grant: KeyGrant, operation: string): string | undefined => {
  const allowed = grant.options?.operations
  const isAllowed =
    isOwnProof(grant, operation) || (allowed?.includes(operation) ?? !Object.hasOwn(ChangeOperation.all, operation))
  return isAllowed ? undefined : refuse(grant, `the operation ${operation}`, allowed ?? Operation.reading)
}

/** Why a key may not call the webhook operations; `undefined` if it may. Callers without a key have no webhooks of their own. */
export const webhooksIssue = (grant: KeyGrant): string | undefined => {
  const { name, operator, options } = grant
  const allowed = options?.operations
  const isAllowed = name === "" ? operator : (allowed?.includes(Operation.webhooks) ?? true)
  return isAllowed ? undefined : refuse(grant, "webhooks", allowed ?? Operation.reading)
}

/** Why a key may not query a chain; `undefined` if it may. */
export const chainIssue = (grant: KeyGrant, chain: Pick<ServedChain, "key" | "name">): string | undefined => {
  const allowed = grant.options?.chains
  return allowed === undefined || allowed.some((name) => ChainRegistry.isNamed(name)(chain))
    ? undefined
    : refuse(grant, `the chain ${chain.name}`, allowed)
}

/** Why a key may not continue a list without naming its chain; `undefined` if it may query every chain. */
export const cursorIssue = ({ options }: KeyGrant): string | undefined =>
  options?.chains === undefined
    ? undefined
    : "API key not allowed for a cursor without its chain. Send the parameter chain as well."

/** Why a key may not relay a method; `undefined` if it may, provided that the method's exposure permits it too. */
export const methodIssue = (grant: KeyGrant, method: string): string | undefined => {
  const allowed = grant.options?.methods
  return allowed === undefined || allowed.includes(method)
    ? undefined
    : refuse(grant, `the method ${quote(method)}`, allowed)
}
