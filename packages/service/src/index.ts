/**
 * The modules of @daybook/service, each as a namespace. Written by `pnpm barrels`.
 *
 * @since 0.1.0
 */
export * as Config from "./Config.ts"
export * as Service from "./Service.ts"
