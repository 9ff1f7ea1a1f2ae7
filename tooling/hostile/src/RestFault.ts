/**
 * Table of the faults of a hostile REST server: what each one serves in place of the correct page, and what a correct client
 * may make of it.
 *
 * `HostileRest` applies the faults; `RestScript` generates sequences of them and checks clients. To add a fault, add a row to
 * one of the two tables under `internal/`; the tests then require its form on the wire.
 */
import { httpFaults } from "./internal/restHttpFaults.ts"
import { pageFaults } from "./internal/restPageFaults.ts"
import type { Fault } from "./internal/restFault.ts"

export type { Context, Fault, Outcome, Page } from "./internal/restFault.ts"
export { correctPage, correctResponse, cursorAt, positionOf } from "./internal/restFault.ts"

const table = { ...pageFaults, ...httpFaults }

/** Name of a fault; `none` is a correct response. */
export type Name = keyof typeof table

/** Every fault by name; `none` is the first. */
export const all: Readonly<Record<Name, Fault>> = table

/** Names of the faults, in the order of the tables. */
export const names = Object.keys(table) as ReadonlyArray<Name>
