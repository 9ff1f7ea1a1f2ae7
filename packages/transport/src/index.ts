/**
 * The modules of @daybook/transport, each as a namespace. Written by `pnpm barrels`.
 *
 * @since 0.1.0
 */
export * as Attempt from "./Attempt.ts"
export * as ClientError from "./ClientError.ts"
export * as Endpoint from "./Endpoint.ts"
export * as Event from "./Event.ts"
export * as Exchange from "./Exchange.ts"
export * as Http from "./Http.ts"
export * as OptionCheck from "./OptionCheck.ts"
export * as Pause from "./Pause.ts"
export * as PromiseFace from "./PromiseFace.ts"
export * as Redaction from "./Redaction.ts"
export * as RetryAfter from "./RetryAfter.ts"
export * as RetryPolicy from "./RetryPolicy.ts"
