/**
 * The modules of @daybook/rest, each as a namespace. Written by `pnpm barrels`.
 */
export * as Client from "./Client.ts"
export * as ExplorerClient from "./ExplorerClient.ts"
export * as Operation from "./Operation.ts"
export * as Query from "./Query.ts"
export * as Resource from "./Resource.ts"
export * as RestClient from "./RestClient.ts"
export * as RestError from "./RestError.ts"
export * as UserOperationClient from "./UserOperationClient.ts"
export * as WebhookClient from "./WebhookClient.ts"
