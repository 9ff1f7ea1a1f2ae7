/** viem's formatters. They do not validate, and do not write what they read. */
import { formatBlock } from "viem"
import type { Subject } from "../measure.ts"

export const subject: Subject = { block: { decode: formatBlock as never }, hashes: { decode: formatBlock as never } }
