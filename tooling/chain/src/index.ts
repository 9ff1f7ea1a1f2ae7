export * as Anvil from "./Anvil.ts"
export * as Rpc from "./Rpc.ts"
