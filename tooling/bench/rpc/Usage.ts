/** What one call of an RPC client costs. */
export interface Usage {
  /** CPU time of one call, user and system, in microseconds. */
  readonly micros: number
  readonly perSecond: number
}
