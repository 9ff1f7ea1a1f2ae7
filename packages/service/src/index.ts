/**
 * The modules of @daybook/service, each as a namespace. Written by `pnpm barrels`.
 */
export * as Service from "./Service.ts"
export * as Config from "./config/Config.ts"
