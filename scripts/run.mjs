import { join } from 'node:path'
import { runInForeground } from './foreground.mjs'
import { prepareCheckout, root } from './ready.mjs'

/** Runs a built program of this checkout after preparing it: `node scripts/run.mjs <its path> [words]`. */
const [main = '', ...words] = process.argv.slice(2)
prepareCheckout()
process.exitCode = await runInForeground(process.execPath, [join(root, main), ...words])
