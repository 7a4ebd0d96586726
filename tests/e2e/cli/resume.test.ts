import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceOf } from '@reticle/formats/archive/source'
import { openZip } from '@reticle/formats/archive/zip-reader'
import { isFullRun } from '@reticle/kit/testing/config'
import { openProxy, type Proxy as SlowProxy } from '@reticle/kit/testing/proxy'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createCliHome, signedIn } from '../../support/cli.ts'
import type { AnyJson } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/**
 * Create, import and export print progress within a second, continue after a kill in the middle, and end with the
 * result of an undisturbed run. `RETICLE_TEST_FULL=1`: 10,000 images.
 */
const isFull = isFullRun()
const count = isFull ? 10_000 : 300
const patience = { timeout: isFull ? 1_800_000 : 120_000 }

const data = dataDirectory()
let reticle: Reticle
let token: Record<string, string>

beforeAll(async () => {
  reticle = await startReticle(data.path)
  token = await signedIn(reticle.url, reticle.admin)
})
afterAll(async () => {
  await reticle.stop()
  data.remove()
}, patience.timeout)

/** Random pixels, which do not compress, so that transfers take time. */
async function noisePictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const side = isFull ? 32 : 140
  const raw = { width: side, height: side, channels: 3 } as const
  for (let index = 0; index < count; index += 1) {
    const name = `f-${String(index).padStart(5, '0')}.png`
    const bytes = await sharp(randomBytes(side * side * 3), { raw })
      .png({ compressionLevel: 0 })
      .toBuffer()
    writeFileSync(join(folder, name), bytes)
  }
}

/** A proxy to the server, slow enough that a transfer can be killed in the middle. */
async function slowLine(bytesPerSecond: number): Promise<{ proxy: SlowProxy; url: string }> {
  const proxy = await openProxy({ host: '127.0.0.1', port: Number(new URL(reticle.url).port) })
  proxy.throttle(bytesPerSecond)
  onTestFinished(() => proxy.close())
  return { proxy, url: `http://127.0.0.1:${proxy.port}` }
}

const half = (step: string) => new RegExp(`^${step}: (4[5-9]|[5-9]\\d) %`, 'm')

/** Milliseconds that the program needs to start on this machine at its present load. */
async function started(machine: ReturnType<typeof createCliHome>): Promise<number> {
  const startMs = Date.now()
  await machine.done(['--version'])
  return Date.now() - startMs
}

/** Starts a command, kills it in the middle of a step, and runs the same command again. */
async function brokenOff(
  args: string[],
  step: string,
  line: { proxy: SlowProxy; url: string },
  machine: ReturnType<typeof createCliHome>,
) {
  const idle = await started(machine)
  const startMs = Date.now()
  const first = machine.start(args)
  let shown = Number.POSITIVE_INFINITY
  first.child.stderr?.once('data', () => {
    shown = Date.now() - startMs
  })
  await first.killWhen(half(step))
  expect((await first.ended).code).toBeNull()
  expect(shown - idle, 'milliseconds until something was shown').toBeLessThan(1000)
  line.proxy.heal()
  return machine.run(args)
}

const slow = isFull ? 4_000_000 : 8_000_000

test(
  'a creation, an import and an export that were killed complete as if undisturbed',
  patience,
  async () => {
    const { admin } = reticle
    const line = await slowLine(slow)
    const machine = createCliHome({ ...token, RETICLE_URL: line.url })
    await noisePictures(join(machine.path, 'frames'))

    const create = ['task', 'create', 'Noise', 'frames', '--label', 'box', '--json']
    const created = await brokenOff(create, `Sending ${count} files`, line, machine)
    expect(created.stderr).toMatch(/Going on with task \d+/)
    const task = created.json
    expect(task).toMatchObject({ name: 'Noise', size: count })
    const { count: tasks } = await admin.done('GET', '/tasks?name=Noise')
    expect(tasks).toBe(1)
    const { frames } = await admin.done('GET', `/tasks/${task.id}/data/meta`)
    expect(new Set(frames.map(({ name }: AnyJson) => name)).size).toBe(count)

    const [{ id: label_id }] = task.labels
    const shapes = frames.map((_: AnyJson, frame: number) => ({
      ...{ type: 'rectangle', frame, label_id, points: [1, 2, 20, 21] },
    }))
    await admin.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })

    line.proxy.throttle(slow)
    const out = ['export', 'task', String(task.id), '--format', 'COCO 1.0', '--images']
    const broken = await brokenOff([...out, '-o', 'broken.zip'], 'Downloading', line, machine)
    expect(broken.code, broken.stderr).toBe(0)
    expect(broken.stderr).toContain('Going on with')
    await machine.done([...out, '-o', 'whole.zip'])
    const bytes = readFileSync(join(machine.path, 'broken.zip'))
    expect(bytes.equals(readFileSync(join(machine.path, 'whole.zip')))).toBe(true)
    expect((await openZip(sourceOf(bytes))).files.size).toBe(count + 1)

    line.proxy.throttle(slow)
    const project = await admin.done('POST', '/projects', { json: { name: 'imported' } })
    const into = [
      'import',
      'project',
      String(project.id),
      'whole.zip',
      '--format',
      'COCO 1.0',
      '--json',
    ]
    const imported = await brokenOff(into, 'Sending the file', line, machine)
    expect(imported.code, imported.stderr).toBe(0)
    expect(imported.json.report.created).toMatchObject({ shapes: count })
    const { results } = await admin.done('GET', `/tasks?project_id=${project.id}`)
    expect(results.map(({ size }: AnyJson) => size)).toEqual([count])
  },
)

test(
  'a command killed while the server prepares frames completes when it is run again',
  patience,
  async () => {
    const machine = createCliHome(token)
    await noisePictures(join(machine.path, 'frames'))
    const create = ['task', 'create', 'Busy', 'frames', '--label', 'box', '--json']
    const first = machine.start(create)
    await first.killWhen(/^Preparing frames: 0 %/m)
    const again = await machine.run(create)
    expect(again.code, again.stderr).toBe(0)
    expect(again.json.size).toBe(count)
    expect((await reticle.admin.done('GET', '/tasks?name=Busy')).count).toBe(1)
  },
)

test('an import whose answer never arrived is not made twice', patience, async () => {
  const { admin } = reticle
  const machine = createCliHome(token)
  const task = await taskWithMedia(admin)
  const image = { id: 1, file_name: 'frame-001.png', width: 64, height: 48 }
  const box = { id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4], area: 12, iscrowd: 0 }
  const categories = [{ id: 1, name: 'car' }]
  const coco = { images: [image], categories, annotations: [box] }
  writeFileSync(join(machine.path, 'set.json'), JSON.stringify(coco))
  const add = [
    'import',
    'task',
    String(task.id),
    'set.json',
    '--format',
    'COCO 1.0',
    '--mode',
    'append',
  ]
  await machine.start(add).killWhen(/^Importing: 0 %/m)
  const folder = join(machine.path, 'cache/reticle/commands')
  const [name = ''] = readdirSync(folder)
  const { start_key } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  writeFileSync(join(folder, name), JSON.stringify({ start_key })) // the state before the answer arrived
  await machine.done(add)
  expect((await admin.done('GET', `/tasks/${task.id}/annotations/`)).shapes).toHaveLength(1)
  await machine.done(add)
  expect((await admin.done('GET', `/tasks/${task.id}/annotations/`)).shapes).toHaveLength(2)

  await machine.done(['backup', 'task', String(task.id), '-o', 'task.zip'])
  const restore = ['restore', 'task', 'task.zip', '--json']
  await machine.start(restore).killWhen(/^Importing: 0 %/m)
  const [noted = ''] = readdirSync(folder)
  const { start_key: key } = JSON.parse(readFileSync(join(folder, noted), 'utf8'))
  writeFileSync(join(folder, noted), JSON.stringify({ start_key: key }))
  const { json } = await machine.done(restore)
  expect((await admin.done('GET', `/tasks?name=${task.name}`)).results).toMatchObject([
    { id: json.result_id },
    { id: task.id },
  ])
})

test(
  'Ctrl-C ends the command with its exit code and prints how to continue',
  patience,
  async () => {
    const line = await slowLine(slow)
    const machine = createCliHome({ ...token, RETICLE_URL: line.url })
    await noisePictures(join(machine.path, 'frames'))
    const create = ['task', 'create', 'Stopped', 'frames', '--label', 'box']
    const first = machine.start(create)
    await first.killWhen(half(`Sending ${count} files`), 'SIGINT')
    expect(await first.ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/Interrupted\nRun the same command again/),
    })
    line.proxy.heal()
    expect((await machine.done([...create, '--json'])).json.size).toBe(count)
  },
)
