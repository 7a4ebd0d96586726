import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { foreground } from './foreground.mjs'
import { ready, root } from './ready.mjs'

/** The compiler watches the sources, Node watches what it writes. */
ready()
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const compiler = spawn(process.execPath, [tsc, '-b', '--watch', '--preserveWatchOutput'], {
  cwd: root,
  stdio: 'inherit',
})
const main = join(root, 'apps/standalone/dist/main.js')
process.exitCode = await foreground(process.execPath, ['--watch', '--watch-preserve-output', main])
compiler.kill()
