import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePdf } from '@reticle/kit/testing/pdf'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { writeClip } from '@reticle/kit/testing/video/clips'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import { type CliHome, createCliHome, signedIn } from '../../support/cli.ts'
import type { AnyJson } from '../../support/client.ts'
import { rectangle, taskWithMedia } from '../../support/factories.ts'
import { createImages } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

const data = dataDirectory()
const share = dataDirectory()
let reticle: Reticle
let admin: Record<string, string>

beforeAll(async () => {
  reticle = await startReticle(data.path, {
    ...{ RETICLE_SHARE_DIR: share.path, RETICLE_JOBS_ALLOWED_NETS: '127.0.0.1/32' },
  })
  admin = await signedIn(reticle.url, reticle.admin)
})
afterAll(async () => {
  await reticle.stop()
  data.remove()
  share.remove()
})

async function framesOf(id: number): Promise<string[]> {
  const { frames } = await reticle.admin.done('GET', `/tasks/${id}/data/meta`)
  return frames.map(({ name }: AnyJson) => name)
}

async function withPictures({ path }: CliHome, folder: string, count: number): Promise<void> {
  mkdirSync(join(path, folder), { recursive: true })
  for (const { name, bytes } of await createImages(count))
    writeFileSync(join(path, folder, name), bytes)
}

test('a task is created from files, folders, an archive, the share and without media', async () => {
  const machine = createCliHome(admin)
  await withPictures(machine, 'frames/day', 2)
  await withPictures(machine, 'frames/night', 1)
  writeFileSync(join(machine.path, 'frames/notes.txt'), 'no picture')
  const create = async (...args: string[]) => {
    const { json } = await machine.done(['task', 'create', ...args, '--label', 'car', '--json'])
    return json.size === 0 ? [] : framesOf(json.id)
  }
  const [first, second] = ['frames/day/frame-001.png', 'frames/day/frame-002.png']
  expect(await create('files', first, second)).toEqual(['frame-001.png', 'frame-002.png'])
  const names = ['day/frame-001.png', 'day/frame-002.png', 'night/frame-001.png']
  expect(await create('folder', 'frames')).toEqual(names)
  expect(await create('folders', 'frames/day', 'frames/night')).toEqual(names)
  writeFileSync(join(machine.path, 'set.zip'), storedZip(await createImages(3)))
  expect(await create('archive', 'set.zip', '--start-frame', '1')).toHaveLength(2)
  writeFileSync(join(share.path, 'one.png'), readFileSync(join(machine.path, first)))
  expect(await create('share', 'one.png', '--share')).toEqual(['one.png'])
  expect(await create('nothing')).toEqual([])

  const nowhere = await machine.run(['task', 'create', 'b', 'a.png', '--cloud-storage', 'frames'])
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('"frames" is no id') })
  const twice = await machine.run(['task', 'create', 'twice', first, 'frames/night/frame-001.png'])
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('both be called') })
  mkdirSync(join(machine.path, 'empty'))
  writeFileSync(join(machine.path, 'empty/drive.mp4'), 'of a camera')
  const empty = await machine.run(['task', 'create', 'empty', 'empty'])
  expect(empty).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('itself, not its folder'),
  })
  const local = [
    'task',
    'create',
    'local',
    'http://127.0.0.2:1/a.jpg',
    '--remote',
    '--label',
    'car',
  ]
  const refused = await machine.run(local)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('not allowed') })
})

test('a task is created from a video and from a PDF', async () => {
  const machine = createCliHome(admin)
  writeClip(join(machine.path, 'drive.mp4'), { frames: 12 })
  writeFileSync(join(machine.path, 'plan.pdf'), writePdf([{ width: 60, height: 40 }]))
  const create = async (...args: string[]) =>
    (await machine.done(['task', 'create', ...args, '--label', 'car', '--json'])).json
  const video = await create('drive', 'drive.mp4', '--frame-filter', 'step=5')
  expect(video).toMatchObject({ size: 3, mode: 'interpolation' })
  expect(await create('plan', 'plan.pdf')).toMatchObject({ size: 1, mode: 'annotation' })
})

test('a task is created from addresses, and a missing file fails with the reason', async () => {
  const web = await startReceiver()
  const [one] = await createImages(1)
  const isThere = (path: string) => path === '/a.png'
  web.answer(({ path }) => (isThere(path) ? { body: one?.bytes ?? '' } : { status: 404 }))
  const machine = createCliHome(admin)
  const create = ['task', 'create', 'web', '--remote', '--label', 'car', '--json']
  const { json } = await machine.done([...create, `${web.url}/a.png`])
  expect(await framesOf(json.id)).toEqual(['a.png'])
  const failed = await machine.run([...create, `${web.url}/b.png`])
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('404') })
  const [, left] = /Task (\d+) stays without media/.exec(failed.stderr) ?? []
  expect(Number(left)).toBeGreaterThan(json.id)
  await web.close()
})

test('a task is created from a bucket, and exports are written to it', async () => {
  const s3 = await startS3()
  const machine = createCliHome(admin)
  const [one] = await createImages(1)
  s3.buckets.set('frames', new Map([['2026/a.png', Buffer.from(one?.bytes ?? [])]]))
  writeFileSync(join(machine.path, 'key.txt'), `${s3.key}\n`)
  const opened = ['--credentials', 'KEY_SECRET_KEY_PAIR', '--key', 'key.txt', '--secret-key', '-']
  const attributes = `endpoint_url=${encodeURIComponent(s3.url)}`
  const made = await machine.done(
    [
      ...['cloudstorage', 'create', 'frames', '--provider', 'AWS_S3_BUCKET', '--bucket', 'frames'],
      ...[...opened, '--attributes', attributes, '--json'],
    ],
    `${s3.secret}\n`,
  )
  const storage = String(made.json.id)
  const content = await machine.done(['cloudstorage', 'content', storage, '2026/', '--json'])
  expect(content.json).toMatchObject([{ name: 'a.png' }])
  const status = await machine.done(['cloudstorage', 'status', storage, '--json'])
  expect(status.json).toEqual({ status: 'AVAILABLE', actions: ['read', 'write'] })
  const create = ['task', 'create', 'bucket', '2026/', '--cloud-storage', storage, '--label', 'car']
  const { json: task } = await machine.done([...create, '--json'])
  expect(await framesOf(task.id)).toEqual(['2026/a.png'])
  const destination = ['--cloud-storage', storage, '--key', 'out.zip']
  await machine.done(['export', 'task', String(task.id), '--format', 'COCO 1.0', ...destination])
  const listed = await machine.done(['cloudstorage', 'content', storage, '--json'])
  expect(listed.json).toContainEqual(expect.objectContaining({ name: 'out.zip' }))
  await s3.close()
})

test('annotations are exported in a format and imported again after a dry run', async () => {
  const { admin: api } = reticle
  const task = await taskWithMedia(api)
  const id = String(task.id)
  const shapes = [rectangle(task.labels[0].id, 0), rectangle(task.labels[0].id, 2)]
  await api.done('PUT', `/tasks/${id}/annotations/`, { json: { shapes } })
  const machine = createCliHome(admin)
  const out = await machine.done([
    'export',
    'task',
    id,
    '--format',
    'coco 1.0',
    '-o',
    'out/set.zip',
  ])
  expect(out.stdout).toBe('out/set.zip\n')
  const again = await machine.run([
    'export',
    'task',
    id,
    '--format',
    'COCO 1.0',
    '-o',
    'out/set.zip',
  ])
  expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('is there already') })
  const into = ['export', 'task', id, '--format', 'COCO 1.0', '-o', 'out', '--force']
  const folder = await machine.run(into)
  expect(folder).toMatchObject({ code: 2, stderr: expect.stringContaining('out is a folder') })
  expect(readdirSync(machine.path)).not.toContainEqual(expect.stringMatching(/\.part$/))
  const named = await machine.done(['export', 'task', id, '--format', 'COCO 1.0', '--json'])
  expect(named.json.file).toMatch(/^task_\d+_annotations_.*coco 1\.0\.zip$/)

  const bring = ['import', 'task', id, 'out/set.zip', '--format', 'COCO 1.0', '--mode', 'merge']
  const tried = await machine.done([...bring, '--dry-run', '--json'])
  expect(tried.json.report).toMatchObject({ created: { shapes: 0 }, skipped: 2 })
  const merged = await machine.done(bring)
  expect(merged.stderr).toContain('2 skipped')
  await machine.done([
    'import',
    'task',
    id,
    'out/set.zip',
    '--format',
    'COCO 1.0',
    '--mode',
    'append',
  ])
  const { shapes: stored } = await api.done('GET', `/tasks/${id}/annotations/`)
  expect(stored).toHaveLength(4)
  const wrong = await machine.run(['import', 'task', id, 'out/set.zip', '--format', 'nothing'])
  expect(wrong.code).toBe(1)
  const [job] = (await machine.done(['job', 'list', '--task', id, '--json'])).json
  await machine.done(['export', 'job', String(job.id), '--format', 'YOLO 1.1', '--images'])
})

test('annotation sets are downloaded to a file and uploaded from one', async () => {
  const task = await taskWithMedia(reticle.admin)
  const id = String(task.id)
  const machine = createCliHome(admin)
  const [label] = task.labels
  const set = { shapes: [rectangle(label.id, 0), rectangle(label.id, 3)] }
  writeFileSync(join(machine.path, 'set.json'), JSON.stringify(set))
  await machine.done(['annotations', 'put', 'task', id, 'set.json'])
  const printed = await machine.done(['annotations', 'get', 'task', id, '--frames', '3'])
  expect(printed.json.shapes).toMatchObject([{ frame: 3, points: [1, 2, 30, 40] }])
  const saved = await machine.done(['annotations', 'get', 'task', id, '-o', 'got.json', '--json'])
  const { file, etag } = saved.json
  expect(JSON.parse(readFileSync(join(machine.path, file), 'utf8')).shapes).toHaveLength(2)

  const [job] = (await machine.done(['job', 'list', '--task', id, '--json'])).json
  const more = ['annotations', 'put', 'job', String(job.id), 'set.json', '--mode', 'create']
  await machine.done(more)
  const late = await machine.run(['annotations', 'put', 'task', id, 'set.json', '--if-match', etag])
  expect(late.code).toBe(5)
  const { shapes } = await reticle.admin.done('GET', `/tasks/${id}/annotations/`)
  expect(shapes).toHaveLength(4)
  writeFileSync(join(machine.path, 'bad.json'), '{"shapes":[{}]}')
  const bad = await machine.run(['annotations', 'put', 'task', id, 'bad.json', '--json'])
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.stderr.split('\n').at(-2) ?? '').error).toMatchObject({ status: 400 })
})

test('backups of a task and of a project are downloaded and restored', async () => {
  const { admin: api } = reticle
  const project = await api.done('POST', '/projects', {
    json: { name: 'kept', labels: [{ name: 'car' }] },
  })
  const task = await taskWithMedia(api, { project_id: project.id })
  const machine = createCliHome(admin)
  for (const [kind, id] of [
    ['task', task.id],
    ['project', project.id],
  ]) {
    await machine.done(['backup', kind, String(id), '-o', `${kind}.zip`])
    const tried = await machine.done(['restore', kind, `${kind}.zip`, '--dry-run', '--json'])
    expect(tried.json.result_id).toBeNull()
    const { json } = await machine.done(['restore', kind, `${kind}.zip`, '--json'])
    expect(json.result_id).toBeGreaterThan(id)
    const restored = await api.done('GET', `/${kind}s/${json.result_id}`)
    expect(restored.name).toBe(kind === 'task' ? 'a task' : 'kept')
  }
  const neither = await machine.run(['restore', 'task'])
  expect(neither.code).toBe(2)
  const keyAlone = await machine.run(['backup', 'task', String(task.id), '--key', 'task.zip'])
  expect(keyAlone).toMatchObject({ code: 2, stderr: expect.stringContaining('--cloud-storage') })
  const both = ['backup', 'task', String(task.id), '--cloud-storage', '1', '-o', 'task.zip']
  expect((await machine.run(both)).stderr).toMatch(/-o, --output .* cannot be used with/)
})
