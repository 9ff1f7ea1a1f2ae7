/** All attacks, in the order of the table. */
import * as blocks from "./blocks.ts"
import * as bombs from "./bombs.ts"
import * as clocks from "./clocks.ts"
import * as connections from "./connections.ts"
import * as disks from "./disks.ts"
import * as corruption from "./corruption.ts"
import * as falseTraces from "./falseTraces.ts"
import * as models from "./models.ts"
import * as mutations from "./mutations.ts"
import * as noisyNeighbours from "./noisyNeighbours.ts"
import * as pages from "./pages.ts"
import * as receivers from "./receivers.ts"
import * as relay from "./relay.ts"
import type { Scenario } from "./Scenario.ts"
import * as rpcResponses from "./rpcResponses.ts"
import * as statements from "./statements.ts"
import * as reorgs from "./reorgs.ts"
import * as sums from "./sums.ts"

export const all: ReadonlyArray<Scenario> = [
  ...bombs.scenarios,
  ...blocks.scenarios,
  ...pages.scenarios,
  sums.scenario,
  ...relay.scenarios,
  noisyNeighbours.scenario,
  mutations.scenario,
  ...models.scenarios,
  corruption.scenario,
  reorgs.scenario,
  ...clocks.scenarios,
  ...disks.scenarios,
  ...connections.scenarios,
  receivers.scenario,
  falseTraces.scenario,
  rpcResponses.scenario,
  statements.scenario,
]
