import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { password, startReticle } from '@reticle/tests/support/reticle'
import sharp from 'sharp'

/**
 * Runs unmodified CVAT clients against the embedded server: `clients.ts PYTHON SCRIPT`. The script receives the address
 * of the server, the password of its administrator, the contents of its share, and the address of a webhook receiver.
 */
const [, , python = 'python3', script = ''] = process.argv

const folder = mkdtempSync(join(tmpdir(), 'reticle-clients-'))
const share = join(folder, 'share')
const work = join(folder, 'work')
for (const one of [share, work]) mkdirSync(one)
for (const name of ['a.png', 'b.png']) writeFileSync(join(share, name), await picture())

/** Serves an image to every GET, and accepts every delivery. */
const png = await picture()
const receiver = createServer(({ url }, response) => {
  if (url === '/picture.png') response.setHeader('content-type', 'image/png').end(png)
  else response.setHeader('content-type', 'application/json').end('{"ok":true}')
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const address = receiver.address()
const port = typeof address === 'object' && address ? address.port : 0

const reticle = await startReticle(join(folder, 'data'), {
  RETICLE_SHARE_DIR: share,
  RETICLE_JOBS_ALLOWED_NETS: '127.0.0.0/8',
})
try {
  const args = [reticle.url, password, share, `http://127.0.0.1:${port}/hook`, work]
  const run = spawn(python, [script, ...args], { stdio: 'inherit' })
  const [code] = await once(run, 'exit')
  process.exitCode = code === 0 ? 0 : 1
} finally {
  if (process.exitCode) console.error(reticle.output())
  await reticle.stop()
  receiver.close()
  rmSync(folder, { recursive: true, force: true })
}

function picture(): Promise<Buffer> {
  const create = { width: 64, height: 48, channels: 3, background: 'teal' } as const
  return sharp({ create }).png().toBuffer()
}
