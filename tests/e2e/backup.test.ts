import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { readArchive } from '@reticle/kit/dump/archive'
import { type Checksums, layout } from '@reticle/kit/dump/manifest'
import { pauseRelay } from '@reticle/kit/ops/pause'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { runningPostgres } from '@reticle/standalone/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { AnyJson } from '../support/client.ts'
import { rectangle, taskWithMedia } from '../support/factories.ts'
import { type OpsResult, runOps } from '../support/ops.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

/**
 * An installation with real data is backed up while it runs, and restored to another directory. See docs/operations.md.
 */

const folder = mkdtempSync(join(tmpdir(), 'reticle-backup-'))
chmodSync(folder, 0o755)
const source = dataDirectory()
const tar = join(folder, 'backup.tar')
const env = { RETICLE_WEBHOOKS_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1' }
const receiver = await startReceiver()
afterAll(receiver.close)
const isCalled = (times: number) =>
  vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(times), 60_000)
let reticle: Reticle
let project: AnyJson
let task: AnyJson
let made: OpsResult
let beside: OpsResult
let keyless: OpsResult

beforeAll(async () => {
  reticle = await startReticle(source.path, env)
  const { admin } = reticle
  project = await admin.done('POST', '/projects', {
    json: { name: 'kept', labels: [{ name: 'car' }] },
  })
  task = await taskWithMedia(admin, { project_id: project.id })
  const shapes = Array.from({ length: 5000 }, (_, at) => rectangle(task.labels[0].id, at % 4))
  await admin.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
  const hook = { type: 'project', project_id: project.id, target_url: receiver.url }
  await admin.done('POST', '/webhooks', {
    json: { ...hook, events: 'update:project', secret: 'a planted secret' },
  })
  await admin.done('PATCH', `/projects/${project.id}`, { json: { name: 'delivered' } })
  await isCalled(1)
  receiver.answer({ status: 503 })
  await holdEvents(async () => {
    await admin.done('PATCH', `/projects/${project.id}`, { json: { name: 'still in the outbox' } })
    made = await runOps(source.path, ['backup', '--to', tar])
  })
  const [url, { path, remove }] = [await besideOf(source.path), dataDirectory()]
  beside = await runOps(path, ['restore', '--from', tar], { RETICLE_DATABASE_URL: url })
  const running = { RETICLE_DATABASE_URL: String(await runningPostgres(source.path)) }
  keyless = await runOps(path, ['backup', '--to', join(folder, 'keyless.tar')], running)
  remove()
  await reticle.stop()
}, 240_000)
afterAll(() => {
  source.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Creates an empty database on the server that an installation uses. */
async function besideOf(dataDir: string): Promise<string> {
  const url = new URL(String(await runningPostgres(dataDir)))
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query('create database beside')
  await client.end()
  url.pathname = '/beside'
  return url.href
}

/** Runs `work` while the relay of projects-svc publishes no events. */
async function holdEvents(work: () => Promise<void>) {
  const resume = await pauseRelay(String(await runningPostgres(source.path)), 'projects')
  await work().finally(resume)
}

async function checksumsOf(path: string): Promise<Checksums> {
  for await (const { name, chunks } of readArchive(path, Object.values(layout))) {
    let text = ''
    for await (const chunk of chunks) text += Buffer.from(chunk)
    if (name === layout.checksums) return JSON.parse(text)
  }
  throw new Error('no checksums')
}

function filesBelow(path: string): Record<string, string> {
  const files = readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files.map((file) => [
      relative(path, file),
      createHash('sha256').update(readFileSync(file)).digest('hex'),
    ]),
  )
}

/** Restores a backup to a new directory. */
async function restored(from = tar) {
  const { path, remove } = dataDirectory()
  onTestFinished(remove)
  return { path, ...(await runOps(path, ['restore', '--from', from])) }
}

test('a backup of a running installation lists its contents and is readable only by its owner', async () => {
  expect(made).toMatchObject({ code: 0, err: '' })
  expect(made.out).toMatch(/^annotations\.shapes: 5000$/m)
  expect(made.out).toMatch(/^projects\.outbox: [1-9]/m)
  expect(made.out).toMatch(/backup\.tar: \d+ rows, \d+ objects \(\d+ bytes\), the keys\n$/)
  expect(statSync(tar).mode & 0o777).toBe(0o600)
  expect(existsSync(`${tar}.partial`)).toBe(false)
})

test('no row of the backup contains the secret that was planted', async () => {
  for await (const { name, chunks } of readArchive(tar, [])) {
    const pieces: Uint8Array[] = []
    for await (const chunk of chunks) pieces.push(chunk)
    const bytes = Buffer.concat(pieces)
    const text = name.endsWith('.gz') ? gunzipSync(bytes) : bytes
    expect(text.includes('a planted secret'), name).toBe(false)
  }
})

test('a restore on the database server of a running installation is refused', () => {
  expect(beside).toMatchObject({ code: 1 })
  expect(beside.err).toMatch(/a Reticle works in \w+ on the same server, and a restore gives/)
})

test('a backup without keys reports that they are missing', () => {
  expect(keyless).toMatchObject({ code: 0 })
  expect(keyless.out).toMatch(/bytes\), no keys\nThere are no secret-keys in .*RETICLE_SECRET_KEYS/)
})

test('a restore has the same rows and objects, and pending events take effect once', async () => {
  const { path, code, err, out } = await restored()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`${path}: restored from ${tar}`)
  const again = join(folder, 'again')
  expect(await runOps(path, ['backup', '--to', again])).toMatchObject({ code: 0, err: '' })
  expect(await checksumsOf(again)).toEqual(await checksumsOf(tar))
  expect(filesBelow(join(path, 'objects'))).toEqual(filesBelow(join(source.path, 'objects')))

  receiver.answer({ status: 200 })
  const before = receiver.received.length
  const second = await startReticle(path, env)
  onTestFinished(async () => {
    await second.stop()
  })
  const { admin } = second
  expect(await admin.done('GET', `/projects/${project.id}`)).toMatchObject({
    name: 'still in the outbox',
  })
  const { shapes } = await admin.done('GET', `/tasks/${task.id}/annotations/`)
  expect(shapes).toHaveLength(5000)
  const { rq_id } = await admin.done('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
  expect(await admin.ended(rq_id)).toMatchObject({ status: 'finished' })

  await isCalled(before + 1)
  await sleep(1500)
  const names = receiver.received
    .slice(before)
    .map(({ body }) => JSON.parse(String(body)).project.name)
  expect(names).toEqual(['still in the outbox'])
  const created = await admin.done('POST', '/projects', { json: { name: 'new' } })
  expect(created.id).toBeGreaterThan(project.id)
})

test('a backup in a folder has the same contents as one in a file', async () => {
  const path = join(folder, 'as-folder')
  expect(await runOps(source.path, ['backup', '--to', path])).toMatchObject({ code: 0, err: '' })
  expect(readdirSync(path).sort()).toEqual(Object.values(layout).sort())
  expect(await restored(path)).toMatchObject({ code: 0, err: '' })
})

test('a restore to a directory that is not empty is refused and changes nothing there', async () => {
  const { path, remove } = dataDirectory()
  onTestFinished(remove)
  writeFileSync(join(path, 'mine'), 'x')
  const { code, err } = await runOps(path, ['restore', '--from', tar])
  expect(code).toBe(1)
  expect(err).toMatch(/is not empty \(it has mine\): name a new directory/)
  expect(readdirSync(path)).toEqual(['mine'])
})

/** Copies a backup to a folder and changes one of its files. */
function changed(file: string, change: (text: string) => string): string {
  const path = mkdtempSync(join(folder, 'changed-'))
  cpSync(join(folder, 'as-folder'), path, { recursive: true })
  writeFileSync(join(path, file), change(readFileSync(join(path, file), 'latin1')), 'latin1')
  return path
}

test.each([
  [
    'a newer format',
    'manifest.json',
    (text: string) => text.replace('"format": 1', '"format": 2'),
    /its form 2 is newer than 1; update Reticle, then restore/,
  ],
  [
    'a newer schema',
    'manifest.json',
    (text: string) => text.replace('"0001-identity"', '"0001-identity", "0999-later"'),
    /projects has 0999-later, unknown here; update Reticle/,
  ],
  [
    'changed counts',
    'checksums.json',
    (text: string) => text.replace('"rows": 5000', '"rows": 5001'),
    /damaged: annotations.shapes has 5000 rows, 5001 were written/,
  ],
  [
    'changed objects',
    'checksums.json',
    (text: string) => text.replace(/("objects": \{[^}]*"sha256": ")./, '$1x'),
    /damaged: objects were changed/,
  ],
])(
  'a backup with %s is refused, and nothing remains of the attempt',
  { timeout: 60_000 },
  async (_, file, change, sentence) => {
    const { path, code, err } = await restored(changed(file, change))
    expect(code).toBe(1)
    expect(err).toMatch(sentence)
    expect(readdirSync(path)).toEqual([])
  },
)

test('a truncated backup is refused', async () => {
  const path = changed('checksums.json', (text) => text)
  rmSync(join(path, 'checksums.json'))
  expect((await restored(path)).err).toMatch(/was cut off: its last part is missing/)
})

test('starting after an interrupted restore fails with instructions', async () => {
  const { path, remove } = dataDirectory()
  onTestFinished(remove)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'unfinished'), 'A restore was cut off: empty that directory.\n')
  await expect(startReticle(path)).rejects.toThrow('A restore was cut off: empty that directory.')
})
