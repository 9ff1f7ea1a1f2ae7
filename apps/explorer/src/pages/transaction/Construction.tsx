/** The constructor arguments of a created contract, decoded with the contract's artifact. */
import { Skeleton } from "../../display/Page.tsx"
import { Decoded } from "./Decoded.tsx"
import { useFrameText } from "./FrameCall.tsx"
import { useAbis } from "./useAbis.ts"

interface ConstructionProps {
  /** The contract. */
  readonly address: string
  readonly input: string
}

export const Construction = ({ address, input }: ConstructionProps) => {
  const abis = useAbis(address)
  const module = useFrameText()
  if (abis === undefined || module === undefined) return <Skeleton label="the arguments" rows={1} />
  const found = module.decodeCreation(abis[0] ?? [], input)
  if (found === undefined) return null
  const { params, signature } = found
  return <Decoded item={{ label: "constructor", signature, params: [...params] }} address={address} isCreation />
}
