import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { markedFor } from '../../support/document-blocks.ts'
import { root } from '../../support/reticle.ts'
import { useTestServer } from '../../support/test-server.ts'

/**
 * Runs the command that docs/console.md has for this file.
 * @returns address of the pages
 */
async function develop(): Promise<string> {
  const [block = ''] = markedFor('docs/console.md', 'tests/e2e/console/develop.test.ts')
  const line = block.trim()
  expect(line).toBe('npm run dev -w apps/console')

  const child = spawn('bash', ['-c', `${line} -- --host 127.0.0.1 --port 0`], {
    cwd: root,
    detached: true, // a separate process group: npm starts a shell, which starts the program
    env: { ...process.env, NO_COLOR: '1' },
  })
  onTestFinished(async () => {
    process.kill(-Number(child.pid), 'SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      output += piece
    })
  const url = () => /http:\/\/127\.0\.0\.1:\d+\//.exec(output)?.[0]
  await expect.poll(url, { timeout: 60_000 }).toBeDefined()
  return String(url())
}

test('the command of docs/console.md serves the pages from their sources', async () => {
  const page = await fetch(await develop(), { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('src="/src/main.tsx"')
})

describe.skipIf(!executablePath)('console pages in development mode', () => {
  const reticle = useTestServer()
  const visit = visitsOf(reticle)

  test('dialogs stay open although development mode runs effects twice', async () => {
    const { page, close } = await visit() // cookies belong to the host, whatever the port
    await page.route(/:\d+\/api\//, (route) => {
      const { pathname, search } = new URL(route.request().url())
      return route.continue({ url: reticle.url + pathname + search })
    })
    await page.goto(`${await develop()}projects`)
    await page.getByRole('button', { name: 'Restore a backup' }).click()
    await page.getByRole('dialog').waitFor()
    await page.waitForTimeout(500)
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await close()
  })
})
