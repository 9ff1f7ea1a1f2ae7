/** All attacks, in the order of the table. */
import * as pages from "./pages.ts"
import * as relay from "./relay.ts"
import type { Scenario } from "./Scenario.ts"

/** All attacks. */
export const all: ReadonlyArray<Scenario> = [...pages.scenarios, ...relay.scenarios]
