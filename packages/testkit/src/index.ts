/**
 * The modules of @daybook/testkit, each as a namespace. Written by `pnpm barrels`.
 */
export * as FakeChain from "./FakeChain.ts"
export * as FakeService from "./FakeService.ts"
export * as Recorder from "./Recorder.ts"
