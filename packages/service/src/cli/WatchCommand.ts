/**
 * `daybook watch list`: the wallets of each index of watched wallets, with the blocks that it has and how far each wallet is proved.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ChainJob from "../indexer/ChainJob.ts"
import * as Proof from "../proof/Proof.ts"
import { isProved, type WalletProof } from "../store/Proofs.ts"
import * as Selection from "./Selection.ts"
import * as Terminal from "./Terminal.ts"

/** A watched wallet. */
interface Watched {
  readonly address: string
  readonly chain: string
  /** Indexed blocks; `null` for none. */
  readonly indexed: { readonly from: number; readonly to: number } | null
  /** The last comparison; `null` where there is none. */
  readonly proof: WalletProof | null
}

const differencesOf = ({ holdings }: WalletProof): number =>
  holdings.filter(({ expected, found }) => !Proof.isEqual(expected, found)).length

const toJson = ({ address, chain, indexed, proof }: Watched) => ({
  ...{ address, chain, indexed },
  proved_to: proof?.provedBlock ?? null,
  compared_at: proof?.block.number ?? null,
  differences: proof === null ? null : differencesOf(proof),
  not_checked: proof?.unchecked ?? [],
})

const formatProof = (proof: WalletProof | null): string => {
  if (proof === null) return "not compared with the chain yet"
  if (isProved(proof)) return `proved at block ${proof.block.number}`
  const before = proof.provedBlock === null ? "" : `, proved at block ${proof.provedBlock}`
  const unchecked = proof.unchecked.length === 0 ? "" : `, ${proof.unchecked.length} not checked`
  return `${Terminal.count(differencesOf(proof), "difference")} at block ${proof.block.number}${unchecked}${before}`
}

const toText = ({ address, chain, indexed, proof }: Watched): string => {
  const range = indexed === null ? "nothing indexed" : `indexed ${indexed.from} to ${indexed.to}`
  return `${address} on ${chain}: ${range}, ${formatProof(proof)}`
}

const list = Command.make(
  "list",
  {
    config: Selection.configFlag,
    chain: Selection.chainFlag("Name of a chain in the configuration; may be repeated; by default all chains"),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object per wallet"), Flag.withDefault(false)),
  },
  Effect.fn(function* ({ chain: names, config, json }) {
    const { database, jobs } = yield* Selection.open(config, names)
    for (const job of jobs) {
      const { chain, chainId } = job
      const wallets = ChainJob.watchedWallets(job)
      if (wallets === null) {
        yield* Terminal.note(`${chain}: every wallet is indexed`)
        continue
      }
      const { reader } = database.chain({ name: chain, id: chainId })
      for (const address of wallets) {
        const found = yield* reader.snapshot((snapshot) =>
          Effect.all({ checkpoint: snapshot.checkpoint, proof: snapshot.proof(address) }),
        )
        const { checkpoint, proof } = found
        const indexed = checkpoint === null ? null : { from: checkpoint.first, to: checkpoint.head.number }
        const watched = { address, chain, indexed, proof }
        yield* Terminal.print(json ? JSON.stringify(toJson(watched)) : toText(watched))
      }
    }
  }, Effect.scoped),
).pipe(Command.withDescription("List the watched wallets with the indexed blocks and how far each is proved"))

/** `daybook watch`. */
export const watch = Command.make("watch").pipe(
  Command.withDescription("Show the wallets of an index of watched wallets"),
  Command.withSubcommands([list]),
)
