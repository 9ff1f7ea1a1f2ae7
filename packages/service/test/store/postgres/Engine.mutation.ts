/** The tests of the engine, for `pnpm mutate`: those of the service above it take minutes for each mutant. */
import { engine, serverOfFile } from "./engine.ts"

engine(serverOfFile())
