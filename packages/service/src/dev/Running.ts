/** The service next to a node. */
import type { LocalNode } from "./LocalNode.ts"

/** The service next to a node. */
export interface Running {
  readonly node: LocalNode
  /** Name of its chain. */
  readonly chain: string
  /** The base URL of the service. */
  readonly url: string
}
