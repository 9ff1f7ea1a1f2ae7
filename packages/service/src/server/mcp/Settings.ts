/**
 * Self-description of the Model Context Protocol server, for all transports.
 *
 * Source: decision 0074.
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import { instructions } from "./Tools.ts"

/** Protocol versions, newest first. */
const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
] as const

/** The settings of a version of this package. */
export const of = (version: string) => ({ name: "daybook", version, instructions, protocols }) as const
