import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliHome, createCliHome, signedIn } from '../../support/cli.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

const data = dataDirectory()
let reticle: Reticle
let admin: Record<string, string>

beforeAll(async () => {
  reticle = await startReticle(data.path)
  admin = await signedIn(reticle.url, reticle.admin)
})
afterAll(async () => {
  await reticle.stop()
  data.remove()
})

/** Result of each check. */
async function states(machine: CliHome, ...more: string[]): Promise<Record<string, string>> {
  const { json } = await machine.run(['doctor', '--json', ...more])
  return Object.fromEntries(
    json.map((one: { check: string; state: string }) => [one.check, one.state]),
  )
}

test('a working setup passes all checks, and the command leaves nothing behind', async () => {
  const machine = createCliHome(admin)
  const { stdout } = await machine.done(['doctor'])
  expect(stdout).toMatch(/✔ server: Reticle 2\.58\.1/)
  expect(await states(machine)).toEqual({
    ...{ address: 'well', config: 'well', server: 'well', version: 'well', clock: 'well' },
    ...{ health: 'well', token: 'well', upload: 'well' },
  })
  expect((await reticle.admin.done('GET', '/tasks')).count).toBe(0)
})

test('a failed check prints a remedy and fails the command', async () => {
  const refused = await createCliHome({ RETICLE_URL: reticle.url }).run(['doctor'])
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✖ token: .*\n +Sign in/),
  })
  const mistaken = createCliHome({
    RETICLE_URL: reticle.url,
    SERVICE_ACCESS_TOKEN: 'abcdefgh.nothing',
  })
  expect((await mistaken.run(['doctor'])).code).toBe(1)
  expect(await states(mistaken)).toMatchObject({ server: 'well', token: 'wrong' })
  const lost = createCliHome({ ...admin, RETICLE_ORGANIZATION: 'nowhere' })
  expect(await states(lost)).toMatchObject({ server: 'well', health: 'well', token: 'wrong' })
  const machine = createCliHome(admin)
  const unreachable = await machine.run(['doctor', '--url', 'http://127.0.0.1:4'])
  expect(unreachable).toMatchObject({
    code: 6,
    stdout: expect.stringContaining('whether the server runs'),
  })

  const folder = join(machine.path, 'config/reticle')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), '{}')
  chmodSync(join(folder, 'config.json'), 0o644)
  expect(await states(machine)).toMatchObject({ config: 'odd' })

  const readOnly = await reticle.admin.done('POST', '/auth/access_tokens', {
    json: { name: 'reads' },
  })
  const reader = createCliHome({ RETICLE_URL: reticle.url, SERVICE_ACCESS_TOKEN: readOnly.value })
  expect(await states(reader)).toMatchObject({ token: 'odd', upload: 'odd' })
})

test('another program at the address, another version and a wrong clock are found', async () => {
  const other = await startReceiver()
  const machine = createCliHome({ ...admin, RETICLE_URL: other.url })
  other.answer({ status: 200, body: '<html>welcome</html>' })
  expect(await states(machine)).toMatchObject({ server: 'wrong', token: 'skipped' })
  const body = JSON.stringify({ name: 'Reticle', version: '3.1.0' })
  other.answer({ status: 200, headers: { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, body })
  expect(await states(machine)).toMatchObject({ server: 'well', version: 'odd', clock: 'odd' })
  await other.close()
})
