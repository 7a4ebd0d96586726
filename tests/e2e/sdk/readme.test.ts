import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { markedFor } from '../../support/document-blocks.ts'
import { dataDirectory, type Reticle, root, startReticle } from '../../support/reticle.ts'
import { sdkOf } from '../../support/sdk.ts'

/** The examples of the SDK's README form one program, which must compile and run unchanged. */

const run = promisify(execFile)
const text = readFileSync(join(root, 'packages/sdk/README.md'), 'utf8')
const blocks = markedFor('packages/sdk/README.md', 'tests/e2e/sdk/readme.test.ts')
const { path, remove } = dataDirectory()
const cwd = mkdtempSync(join(tmpdir(), 'reticle-sdk-readme-'))
let reticle: Reticle
beforeAll(async () => {
  reticle = await startReticle(path)
})
afterAll(async () => {
  await reticle.stop()
  remove()
  rmSync(cwd, { recursive: true, force: true })
})

/**
 * Compiles TypeScript to JavaScript in strict mode.
 * @throws with the errors of the compiler
 */
async function compile(name: string, program: string): Promise<void> {
  writeFileSync(join(cwd, `${name}.mts`), program)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const options = ['--strict', '--noUncheckedIndexedAccess', '--module', 'nodenext', ...types]
  const target = ['--target', 'es2023', '--lib', 'es2023', '--checkers', '1']
  await run(process.execPath, [tsc, ...options, ...target, `${name}.mts`], { cwd }).catch(
    ({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)),
  )
}

test('every example of the document is part of a tested program', () => {
  expect(blocks.length).toBeGreaterThan(6)
  expect(text.match(/```ts/g)).toHaveLength(blocks.length)
})

test('the examples run as they are written', async () => {
  cpSync(join(root, 'scripts'), join(cwd, 'scripts'), { recursive: true })
  await run(process.execPath, ['scripts/draw.mjs', 'pictures', 'instances.json'], { cwd })
  mkdirSync(join(cwd, 'node_modules/@reticle'), { recursive: true })
  symlinkSync(join(root, 'packages/sdk'), join(cwd, 'node_modules/@reticle/sdk'))
  const program = blocks
    .join('\n')
    .replace('http://127.0.0.1:8080', reticle.url)
    .concat("\nreceiver.close()\nconsole.log('end')\n")
  await compile('program', program)
  const admin = sdkOf(reticle.url)
  const { value } = await admin.createAccessToken({ body: { name: 'docs', read_only: false } })
  const env = { ...process.env, SERVICE_ACCESS_TOKEN: value }
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd, env })
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toBe('1 streets')
  expect(lines).toContain('100 % sent')
  expect(lines).toContain('finished 1')
  expect(lines).toContain('true are all of it')
  expect(lines.filter((line) => line.startsWith('shapes '))).toEqual(
    ['0', '1', '2'].map((frame) => `shapes ${frame}`),
  )
  expect(lines.at(-2)).toMatch(/^400 \w+ \[ '.+' \]$/)
  expect(lines.at(-1)).toBe('end')
  expect(readdirSync(cwd)).toContain('monday.zip')
})

test('the receiver of the examples verifies deliveries of the service', async () => {
  await compile('receiver', blocks.at(-1) ?? '')
  const child = execFile(process.execPath, ['receiver.mjs'], { cwd })
  try {
    const admin = sdkOf(reticle.url)
    const { id: project_id } = await admin.createProject({ body: { name: 'heard' } })
    const target_url = 'http://127.0.0.1:9418/'
    const hook = { type: 'project', events: 'update:project', target_url, project_id } as const
    const genuine = await admin.createWebhook({ body: { ...hook, secret: 'between us' } })
    const other = await admin.createWebhook({ body: { ...hook, secret: 'not between us' } })
    const ping = async ({ id }: { id: number }) => (await admin.pingWebhook({ id })).status_code
    await expect.poll(() => ping(genuine), { timeout: 60_000 }).toBe(204)
    expect(await ping(other)).toBe(401)
    await admin.rotateWebhookSecret({ id: genuine.id, body: { secret: 'next', overlap_hours: 1 } })
    expect(await ping(genuine)).toBe(204)
  } finally {
    child.kill()
  }
})
