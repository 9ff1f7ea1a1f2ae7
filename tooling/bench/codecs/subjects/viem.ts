/** viem's formatters. They do not validate, and do not encode what they decode. */
import { formatBlock } from "viem"
import type { Subject } from "../measure.ts"

export const subject: Subject = { block: { decode: formatBlock as never }, hashes: { decode: formatBlock as never } }
