import { join } from 'node:path'
import { foreground } from './foreground.mjs'
import { ready, root } from './ready.mjs'

ready()
const main = join(root, 'apps/standalone/dist/main.js')
process.exitCode = await foreground(process.execPath, [main, ...process.argv.slice(2)])
