/**
 * Table of the faults of a hostile node: what each one sends, and what a correct client may make of it.
 *
 * `HostileNode` applies the faults; `NodeScript` generates sequences of them and checks clients. To add a fault, add a row
 * to one of the two tables under `internal/`; the tests then require its form on the wire.
 */
import { itemFaults } from "./internal/nodeItemFaults.ts"
import { httpFaults } from "./internal/nodeHttpFaults.ts"
import type { Fault } from "./internal/nodeFault.ts"

export type { Call, Context, Fault, Outcome } from "./internal/nodeFault.ts"
export { oversizeItemBytes } from "./internal/nodeItemFaults.ts"

const table = { ...itemFaults, ...httpFaults }

/** Name of a fault; `none` is a correct response. */
export type Name = keyof typeof table

/** Every fault by name; `none` is the first. */
export const all: Readonly<Record<Name, Fault>> = table

/** Names of the faults, in the order of the tables. */
export const names = Object.keys(table) as ReadonlyArray<Name>

/** The fault that a request receives: `none` if the fault needs a batch and the request is not one. */
export const inRequest = (name: Name, request: { readonly isBatch: boolean; readonly calls: number }): Name =>
  all[name].batchOnly === true && !(request.isBatch && request.calls > 1) ? "none" : name

/** The fault that affects the call at an index: `none` for a call that is not affected. */
export const ofCall = (name: Name, index: number, target: number): Name => {
  const { affects = "all" } = all[name]
  if (affects === "none") return "none"
  return affects === "all" || index === target ? name : "none"
}
