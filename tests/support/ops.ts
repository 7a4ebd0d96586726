import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './reticle.ts'

const main = join(root, 'apps/standalone/dist/ops/main.js')

export interface OpsResult {
  code: number
  out: string
  err: string
}

/** Runs the built `npm run ops -- <words>` on a data directory. */
export async function runOps(
  dataDir: string,
  words: string[],
  env: Record<string, string> = {},
): Promise<OpsResult> {
  const child = spawn(process.execPath, [main, ...words], {
    env: { ...process.env, RETICLE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (piece) => (out += piece))
  child.stderr.on('data', (piece) => (err += piece))
  const [code] = await once(child, 'close')
  return { code, out, err }
}
