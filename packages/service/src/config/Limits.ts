/**
 * Bounds on the bytes, counts and times of what clients send and receive: the keys under `limits`. What exceeds a bound is refused
 * with an error that names it, or continues in the next page.
 *
 * Source: decision 0039.
 */
import * as Schema from "effect/Schema"
import { Count, withDefault } from "./ChainConfig.ts"

const mebibyte = 1024 * 1024

const count = (value: number) => withDefault(Count, () => value)

/** Bounds on what clients send and receive. */
export const Limits = Schema.Struct({
  /** Bytes of the rows of a page. A page ends early with its cursor; a larger row is a page by itself. Default 2 MiB. */
  pageBytes: count(2 * mebibyte),
})

/** Bounds on what clients send and receive, decoded. */
export interface Limits extends Schema.Schema.Type<typeof Limits> {}
