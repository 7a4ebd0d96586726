import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { describe, expect, test } from 'vitest'
import { storedZip, unzip } from '../../support/archives.ts'
import { type CliHome, createCliHome, signedIn } from '../../support/cli.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { createImage, createImages, type ImageFile } from '../../support/pictures.ts'
import { useOwnServer } from '../../support/test-server.ts'

/**
 * Commands that create a task, import annotations or restore a backup print the entries of the report of their request.
 */

const reticle = useOwnServer({ RETICLE_JOBS_ALLOWED_NETS: '127.0.0.1/32' })
const machine = async (): Promise<CliHome> =>
  createCliHome(await signedIn(reticle.url, reticle.admin))

const textFile = (name: string): ImageFile => ({ name, bytes: Buffer.from('no picture at all') })

function write({ path }: CliHome, folder: string, files: readonly ImageFile[]): void {
  mkdirSync(join(path, folder), { recursive: true })
  for (const { name, bytes } of files) writeFileSync(join(path, folder, name), bytes)
}

const create = (...args: string[]) => ['task', 'create', ...args, '--label', 'car']

describe('files named like images that are not images', () => {
  test('they are named when a task is created from a folder, and counted beside its frames', async () => {
    const own = await machine()
    write(own, 'frames', [
      ...(await createImages(2)),
      textFile('cover.jpg'),
      textFile('thumbs.png'),
    ])
    const shown = await own.done(create('a', 'frames'))
    expect(shown.stderr).toContain('Media: 2 skipped: unknown file type (cover.jpg; thumbs.png)\n')
    expect(shown.stdout).toMatch(/^frames +2\nmedia +2 skipped$/m)
    const quiet = await own.done([...create('a', 'frames'), '--quiet'])
    expect(quiet.stderr).toBe('')
    expect(quiet.stdout).toMatch(/^media +2 skipped$/m)
    const { json } = await own.done([...create('a', 'frames'), '--json'])
    expect(json).toMatchObject({ size: 2, report: { skipped: 2 } })
    const [entry] = json.report.entries
    expect(entry.examples.map(({ file }: { file: string }) => file)).toEqual([
      'cover.jpg',
      'thumbs.png',
    ])
  })

  test('the first five are named when a task is created from an archive', async () => {
    const own = await machine()
    const left = Array.from({ length: 7 }, (_, at) => textFile(`none-${at}.jpg`))
    write(own, '.', [{ name: 'set.zip', bytes: storedZip([...left, ...(await createImages(1))]) }])
    const { stderr } = await own.done(create('a', 'set.zip'))
    expect(stderr).toMatch(/Media: 7 skipped: no image \((?:none-\d\.jpg; ){5}\.\.\.\)\n/)
  })

  test('they are named after the command was killed and the server continued without it', async () => {
    const own = await machine()
    const web = await startReceiver()
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const body = storedZip([...(await createImages(1)), textFile('cover.jpg')])
    web.answer(async () => {
      await held
      return { body }
    })
    const args = create('killed', `${web.url}/set.zip`, '--remote')
    await own.start(args).killWhen(/^Preparing frames: 0 %/m)
    release()
    const { results } = await reticle.admin.done('GET', '/tasks?name=killed')
    const rq_id = `action=create&target=task&target_id=${results[0].id}`
    expect((await reticle.admin.ended(rq_id)).status).toBe('finished')
    const { stderr } = await own.done(args)
    expect(stderr).toContain('Media: 1 skipped: no image (cover.jpg)\n')
    await web.close()
  })

  test('they are named by `request wait` when the command did not wait', async () => {
    const own = await machine()
    write(own, 'frames', [...(await createImages(1)), textFile('cover.jpg')])
    const { stderr } = await own.done([...create('a', 'frames'), '--no-wait'])
    const [, rq_id = ''] = /`reticle request wait '([^']+)'`/.exec(stderr) ?? []
    const waited = await own.done(['request', 'wait', rq_id])
    expect(waited.stderr).toContain('Report: 1 skipped: unknown file type (cover.jpg)\n')
  })

  test('they are named beside the reason of a failed creation', async () => {
    const own = await machine()
    const [picture] = await createImages(1)
    const broken = {
      name: 'broken.png',
      bytes: (picture?.bytes ?? Buffer.alloc(0)).subarray(0, 60),
    }
    write(own, '.', [{ name: 'set.zip', bytes: storedZip([textFile('cover.jpg'), broken]) }])
    const { code, stderr } = await own.run(create('a', 'set.zip'))
    expect(code).toBe(1)
    expect(stderr).toContain('Report: 1 skipped: no image (cover.jpg)\n')
    expect(stderr).toContain('broken.png')
  })

  test('they fail the command by name when there are no other files', async () => {
    const own = await machine()
    write(own, 'frames', [textFile('cover.jpg')])
    const failed = await own.run(create('a', 'frames'))
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cover.jpg: unknown file type'),
    })
  })
})

test('nothing is reported for a task whose files all became frames', async () => {
  const own = await machine()
  write(own, 'frames', await createImages(2))
  const { stdout, stderr } = await own.done(create('a', 'frames'))
  expect(stderr).not.toContain('Media:')
  expect(stdout).not.toMatch(/^media/m)
})

test('an import prints skipped entries and counts them beside the objects', async () => {
  const own = await machine()
  const task = await taskWithMedia(reticle.admin)
  const box = { id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 3, 4], area: 12, iscrowd: 0 }
  const coco = {
    images: [{ id: 1, file_name: 'frame-001.png', width: 64, height: 48 }],
    categories: [{ id: 1, name: 'car' }],
    annotations: [box, { ...box, id: 2, attributes: { colour: 'red' } }],
  }
  write(own, '.', [{ name: 'set.json', bytes: Buffer.from(JSON.stringify(coco)) }])
  const into = ['import', 'task', String(task.id), 'set.json', '--format', 'COCO 1.0']
  const shown = await own.done(into)
  expect(shown.stdout).toBe('2 shapes, 0 tracks, 0 tags; 1 skipped\n')
  expect(shown.stderr).toContain("Report: 1 skipped: attribute 'colour' unknown on label 'car'")
  const quiet = await own.done([...into, '--quiet'])
  expect([quiet.stdout, quiet.stderr]).toEqual(['2 shapes, 0 tracks, 0 tags; 1 skipped\n', ''])
})

test('a restore prints differences from the archive and counts them beside the new id', async () => {
  const own = await machine()
  const task = await taskWithMedia(reticle.admin)
  await own.done(['backup', 'task', String(task.id), '-o', 'task.zip'])
  const members = await unzip(readFileSync(join(own.path, 'task.zip')))
  const other = await createImage('other', 32, 24)
  members.set('data/frame-002.png', Buffer.from(other.bytes))
  const changed = [...members].map(([name, bytes]) => ({ name, bytes }))
  write(own, '.', [{ name: 'changed.zip', bytes: storedZip(changed) }])
  const { stdout, stderr } = await own.done(['restore', 'task', 'changed.zip'])
  expect(stdout).toMatch(/^task \d+ is created; 1 converted\.\n$/)
  expect(stderr).toMatch(/Report: 1 converted: .*frame-002\.png/)
  const whole = await own.done(['restore', 'task', 'task.zip'])
  expect(whole.stdout).toMatch(/^task \d+ is created\.\n$/)
})
