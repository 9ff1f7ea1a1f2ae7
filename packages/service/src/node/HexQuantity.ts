/** Numbers in the hex form of quantities of JSON-RPC. Pure. */

/** Text of a number that is not negative, without leading zeros, such as `0x1a`. */
export const of = (value: bigint | number): string => `0x${value.toString(16)}`
