import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../support/reticle.ts'

test('the line of docs/console.md serves the pages from their sources', {
  timeout: 60_000,
}, async () => {
  const text = readFileSync(join(root, 'docs/console.md'), 'utf8')
  const block = /<!-- executed by tests\/e2e\/console\/develop\.test\.ts -->\n```sh\n(.*)\n```/
  const [, line = ''] = block.exec(text) ?? []
  expect(line).toBe('npm run dev -w apps/console')

  const child = spawn('bash', ['-c', `${line} -- --host 127.0.0.1 --port 0`], {
    cwd: root,
    detached: true, // a group of its own: npm starts a shell, which starts the program
    env: { ...process.env, NO_COLOR: '1' },
  })
  onTestFinished(async () => {
    process.kill(-Number(child.pid), 'SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += piece
    })
  const url = () => /http:\/\/127\.0\.0\.1:\d+\//.exec(said)?.[0]
  await expect.poll(url, { timeout: 30_000 }).toBeDefined()
  const page = await fetch(String(url()), { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('src="/src/main.tsx"')
})
