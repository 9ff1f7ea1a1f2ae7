/** Tests of the engine for `pnpm mutate`, because the tests of the service take minutes per mutant. */
import { engine, serverOfFile } from "./engine.ts"

engine(serverOfFile())
