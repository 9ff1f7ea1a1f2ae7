/**
 * The modules of @daybook/transport, each as a namespace. Written by `pnpm barrels`.
 */
export * as Attempt from "./Attempt.ts"
export * as ClientError from "./ClientError.ts"
export * as Endpoint from "./Endpoint.ts"
export * as Event from "./Event.ts"
export * as Fetch from "./Fetch.ts"
export * as Http from "./Http.ts"
export * as RequestExecutor from "./RequestExecutor.ts"
export * as RetryPolicy from "./RetryPolicy.ts"
