/** A program that uses the declarations of the library: each line fails to compile if a type became `any`. */
import * as library from "./library/library.js"

type IsAny<A> = 0 extends 1 & A ? true : false
type Checked<F extends (...args: never) => Promise<unknown>> = IsAny<Awaited<ReturnType<F>>> extends true ? never : true
type Item<A> = A extends ReadonlyArray<infer B> ? B : never

const known: true = true
export const page: Checked<typeof library.page> = known
export const block: Checked<typeof library.block> = known
export const fees: Checked<typeof library.fees> = known
export const row: IsAny<Item<Awaited<ReturnType<typeof library.rows>>>> = false
export const log: IsAny<Item<Awaited<ReturnType<typeof library.logs>>>> = false
export const internal: IsAny<Item<Awaited<ReturnType<typeof library.internal>>>> = false
export const transaction: IsAny<Item<Awaited<ReturnType<typeof library.transactions>>>> = false
export const receipt: IsAny<Item<NonNullable<Awaited<ReturnType<typeof library.receipts>>>>> = false
export const trace: IsAny<Item<NonNullable<Awaited<ReturnType<typeof library.traces>>>>> = false
export const value = async (): Promise<ReadonlyArray<bigint>> => (await library.rows()).map((row) => row.value)
