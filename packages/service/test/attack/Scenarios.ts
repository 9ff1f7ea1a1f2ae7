/** All attacks, in the order of the table. */
import * as blocks from "./blocks.ts"
import * as bombs from "./bombs.ts"
import * as clocks from "./clocks.ts"
import * as connections from "./connections.ts"
import * as disks from "./disks.ts"
import * as flips from "./flips.ts"
import * as lies from "./lies.ts"
import * as models from "./models.ts"
import * as mutations from "./mutations.ts"
import * as neighbours from "./neighbours.ts"
import * as pages from "./pages.ts"
import * as receivers from "./receivers.ts"
import * as relay from "./relay.ts"
import type { Scenario } from "./Scenario.ts"
import * as rpcAnswers from "./rpcAnswers.ts"
import * as statements from "./statements.ts"
import * as storms from "./storms.ts"
import * as sums from "./sums.ts"

export const all: ReadonlyArray<Scenario> = [
  ...bombs.scenarios,
  ...blocks.scenarios,
  ...pages.scenarios,
  sums.scenario,
  ...relay.scenarios,
  neighbours.scenario,
  mutations.scenario,
  ...models.scenarios,
  flips.scenario,
  storms.scenario,
  ...clocks.scenarios,
  ...disks.scenarios,
  ...connections.scenarios,
  receivers.scenario,
  lies.scenario,
  rpcAnswers.scenario,
  statements.scenario,
]
