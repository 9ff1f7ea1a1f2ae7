/** The base fee of a block, from the previous block. Source: EIP-1559. */

interface Parent {
  readonly baseFeePerGas: string
  readonly gasLimit: string
  readonly gasUsed: string
}

const elasticity = 2n
const denominator = 8n

/** The base fee after a block, in wei. */
export const next = ({ baseFeePerGas, gasLimit, gasUsed }: Parent): bigint => {
  const fee = BigInt(baseFeePerGas)
  const target = BigInt(gasLimit) / elasticity
  const excess = BigInt(gasUsed) - target
  if (excess <= 0n) return fee - (fee * -excess) / target / denominator
  const increase = (fee * excess) / target / denominator
  return fee + (increase > 0n ? increase : 1n)
}
