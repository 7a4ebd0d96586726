import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { runInForeground } from './foreground.mjs'
import { prepareCheckout, root } from './ready.mjs'

/**
 * The compiler watches the sources, and Node.js watches its output. The bundler of the console writes the pages, and
 * the gateway reloads them; old assets stay for pages that are still open.
 */
prepareCheckout()
/** @type {(path: string, args: string[], cwd: string) => import('node:child_process').ChildProcess} */
const run = (path, args, cwd) =>
  spawn(process.execPath, [join(root, 'node_modules', path), ...args], { cwd, stdio: 'inherit' })
const watching = [
  run('typescript/bin/tsc', ['-b', '--watch', '--preserveWatchOutput'], root),
  run(
    'vite/bin/vite.js',
    ['build', '--watch', '--emptyOutDir=false', '--logLevel=warn'],
    join(root, 'apps/console'),
  ),
]
const main = join(root, 'apps/standalone/dist/main.js')
process.exitCode = await runInForeground(process.execPath, [
  '--watch',
  '--watch-preserve-output',
  main,
])
for (const one of watching) one.kill()
