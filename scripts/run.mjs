import { join } from 'node:path'
import { foreground } from './foreground.mjs'
import { ready, root } from './ready.mjs'

/** Runs a built program of this checkout after preparing it: `node scripts/run.mjs <its path> [words]`. */
const [main, ...words] = process.argv.slice(2)
ready()
process.exitCode = await foreground(process.execPath, [join(root, main), ...words])
