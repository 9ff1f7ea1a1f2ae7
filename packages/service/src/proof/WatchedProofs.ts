/**
 * Counts how many of the watched wallets are proved, and how old the oldest of their proofs is.
 */
import { isProved, type WalletProof } from "../store/Proofs.ts"
import * as Proof from "./Proof.ts"

/** Watched wallets whose transactions are all indexed, by state of their proof. */
export interface WatchedProofs {
  /** At the last comparison, everything was compared with the chain and equal. */
  readonly proved: number
  /** At the last comparison, something differed. */
  readonly different: number
  /** Nothing differed, but something could not be compared. */
  readonly unchecked: number
  /** Not compared yet. */
  readonly pending: number
  /** Lowest block up to which a compared wallet is proved; -1 if one of them never was; `null` if none was compared. */
  readonly oldestProvedBlock: number | null
}

/** What is kept of a wallet's last comparison. */
export interface Compared {
  readonly block: number
  readonly provedBlock: number
  readonly state: "proved" | "different" | "unchecked"
}

/** What is kept of a comparison. */
export const comparedOf = (proof: WalletProof): Compared => {
  const differs = proof.holdings.some(({ expected, found }) => !Proof.isEqual(expected, found))
  return {
    block: proof.block.number,
    provedBlock: proof.provedBlock ?? -1,
    state: isProved(proof) ? "proved" : differs ? "different" : "unchecked",
  }
}

/** Counts wallets. */
export const count = (wallets: Iterable<string>, compared: ReadonlyMap<string, Compared>): WatchedProofs => {
  const states = { proved: 0, different: 0, unchecked: 0, pending: 0 }
  let oldest = Number.POSITIVE_INFINITY
  for (const wallet of wallets) {
    const known = compared.get(wallet)
    states[known?.state ?? "pending"]++
    if (known !== undefined) oldest = Math.min(oldest, known.provedBlock)
  }
  return { ...states, oldestProvedBlock: Number.isFinite(oldest) ? oldest : null }
}
