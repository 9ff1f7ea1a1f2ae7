/**
 * The modules of @daybook/schema, each as a namespace. Written by `pnpm barrels`.
 *
 * @since 0.1.0
 */
export * as Address from "./Address.ts"
export * as Decimal from "./Decimal.ts"
export * as Hash from "./Hash.ts"
export * as Hex from "./Hex.ts"
export * as Quantity from "./Quantity.ts"
export * as Timestamp from "./Timestamp.ts"
