/**
 * The modules of @daybook/rpc, each as a namespace. Written by `pnpm barrels`.
 */
export * as Client from "./Client.ts"
export * as EndpointPool from "./EndpointPool.ts"
export * as ErrorKind from "./ErrorKind.ts"
export * as Method from "./Method.ts"
export * as Options from "./Options.ts"
export * as RequestBytes from "./RequestBytes.ts"
export * as Resource from "./Resource.ts"
export * as Revert from "./Revert.ts"
export * as RpcClient from "./RpcClient.ts"
export * as RpcError from "./RpcError.ts"
