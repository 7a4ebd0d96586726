import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../ready.mjs'

/**
 * Starts a server on an empty data directory, which may deliver to receivers on loopback.
 * @param {string} password
 */
export async function startServer(password) {
  const data = mkdtempSync(join(tmpdir(), 'reticle-demo-'))
  chmodSync(data, 0o755) // accessible to the account of the database, so that the database is stored here too
  const env = {
    ...process.env,
    RETICLE_PORT: '0',
    RETICLE_DATA_DIR: data,
    RETICLE_ADMIN_PASSWORD: password,
    RETICLE_LOG_LEVEL: 'warn',
    RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
    RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
  }
  const child = spawn(process.execPath, [join(root, 'apps/standalone/dist/main.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await readyUrl(child)
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    rmSync(data, { recursive: true, force: true })
  }
  return { url, stop }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function readyUrl(child) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (piece) => {
      text += piece
      const [, url] = /^Reticle is ready at (\S{1,300})/m.exec(text) ?? []
      if (url) resolve(url)
    })
    child.on('exit', () => reject(new Error('Reticle did not start')))
  })
}
