import { join } from 'node:path'
import { foreground } from './foreground.mjs'
import { ready, root } from './ready.mjs'

/** `npm run ops -- <command>`: dead events, republishing, keys, backup and restore (`docs/operations.md`). */
ready()
const main = join(root, 'apps/standalone/dist/ops/main.js')
process.exitCode = await foreground(process.execPath, [main, ...process.argv.slice(2)])
