import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storedZip, unzip } from '../../support/archives.ts'
import { createCliHome } from '../../support/cli.ts'
import { createImage } from '../../support/pictures.ts'

/** Builds a COCO data set of two subsets, with boxes in a different order than their images. */
async function cocoArchive(): Promise<Buffer> {
  const { bytes } = await createImage('a', 64, 48)
  const coco = (images: string[]) =>
    JSON.stringify({
      images: images.map((file_name, index) => ({
        id: index + 1,
        file_name,
        width: 64,
        height: 48,
      })),
      categories: [{ id: 1, name: 'car' }],
      annotations: images.map((_, index) => ({
        ...{ id: index + 1, image_id: images.length - index, category_id: 1 },
        ...{ bbox: [1, 2, 10, 12], area: 120, iscrowd: 0, segmentation: [] },
        attributes: { color: 'red' },
      })),
    })
  const member = (name: string, content: string | Uint8Array) => ({
    name,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
  })
  return storedZip([
    member('annotations/instances_train.json', coco(['a.png', 'b.png'])),
    member('annotations/instances_val.json', coco(['c.png'])),
    member('images/train/a.png', bytes),
    member('images/train/b.png', bytes),
    member('images/val/c.png', bytes),
  ])
}

test('a conversion with images and back loses nothing', async () => {
  const machine = createCliHome()
  writeFileSync(join(machine.path, 'coco.zip'), await cocoArchive())
  const to = (from: string, format: string, out: string, other: string) =>
    machine.done(['convert', from, out, '--from', other, '--to', format, '--json'])
  const there = await to('coco.zip', 'service 1.1', 'service.zip', 'COCO 1.0')
  expect(there.json).toMatchObject({ out: 'service.zip', images: 3, labels: 1 })
  expect(there.json.read.created).toEqual({ tags: 0, shapes: 3, tracks: 0 })
  await to('service.zip', 'COCO 1.0', 'back/', 'Service 1.1')
  const folder = join(machine.path, 'back')
  const train = JSON.parse(readFileSync(join(folder, 'annotations/instances_train.json'), 'utf8'))
  expect(train.images.map(({ file_name }: { file_name: string }) => file_name)).toEqual([
    'a.png',
    'b.png',
  ])
  expect(train.annotations).toMatchObject([
    { image_id: 1, bbox: [1, 2, 10, 12], attributes: { color: 'red' } },
    { image_id: 2, bbox: [1, 2, 10, 12] },
  ])
  expect(readdirSync(join(folder, 'images/train')).sort()).toEqual(['a.png', 'b.png'])
  const image = (await createImage('a', 64, 48)).bytes
  expect(readFileSync(join(folder, 'images/val/c.png'))).toEqual(Buffer.from(image))
})

test('losses are printed, --no-images omits images, and existing files are not overwritten', async () => {
  const machine = createCliHome()
  writeFileSync(join(machine.path, 'coco.zip'), await cocoArchive())
  const convert = ['convert', 'coco.zip', 'out/', '--from', 'COCO 1.0', '--to', 'YOLO 1.1']
  const { stdout, stderr } = await machine.done([...convert, '--no-images'])
  expect(stdout).toBe('out/: 3 images, 1 label, 3 shapes, 0 tracks, 0 tags\n')
  expect(stderr).toContain('Writing: 3 dropped: YOLO 1.1 has no attributes')
  expect(existsSync(join(machine.path, 'out/obj_train_data/a.png'))).toBe(false)
  expect(await machine.run(convert)).toMatchObject({ code: 5 })
  await machine.done([...convert, '--force'])
  expect(
    await machine.run(['convert', 'coco.zip', 'x', '--from', 'COCO', '--to', 'YOLO 1.1']),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Formats for import: COCO 1.0'),
  })
  writeFileSync(join(machine.path, 'bad.zip'), 'no archive')
  mkdirSync(join(machine.path, 'tmp'))
  const bad = createCliHome({ TMPDIR: join(machine.path, 'tmp') })
  const failed = await bad.run([
    ...[
      'convert',
      join(machine.path, 'bad.zip'),
      'bad.out',
      '--from',
      'YOLO 1.1',
      '--to',
      'COCO 1.0',
    ],
  ])
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('expected a ZIP archive'),
  })
  expect(readdirSync(join(machine.path, 'tmp'))).toEqual([])
})

test('annotations without images take sizes from the file or from a folder of images', async () => {
  const machine = createCliHome()
  const there = join(machine.path, 'coco.zip')
  writeFileSync(there, await cocoArchive())
  const archive = await unzip(readFileSync(there))
  for (const [name, bytes] of archive) {
    mkdirSync(join(machine.path, 'set', name, '..'), { recursive: true })
    writeFileSync(join(machine.path, 'set', name), bytes)
  }
  const convert = async (from: string, out: string, ...more: string[]) => {
    const formats = ['--from', 'COCO 1.0', '--to', 'YOLO 1.1']
    const { json } = await machine.done(['convert', from, out, ...formats, ...more, '--json'])
    return json
  }
  expect(await convert('set', 'folder/')).toMatchObject({ images: 3, missing: 0 })
  expect(await convert('coco.zip', 'archive/')).toMatchObject({ images: 3, missing: 0 })
  const file = 'set/annotations/instances_train.json'
  expect(await convert(file, 'alone/')).toMatchObject({ images: 2, missing: 2 })
  const beside = await convert(file, 'beside/', '--images', 'set/images/train')
  expect(beside).toMatchObject({ images: 2, missing: 0 })

  const labels = (folder: string) =>
    readFileSync(join(machine.path, folder, 'obj_train_data/a.txt'), 'utf8')
  expect(labels('alone')).toBe('0 0.093750 0.166667 0.156250 0.250000\n')
  expect(labels('beside')).toBe(labels('alone'))
  expect(existsSync(join(machine.path, 'beside/obj_train_data/a.png'))).toBe(true)
  expect(existsSync(join(machine.path, 'alone/obj_train_data/a.png'))).toBe(false)
  expect(readdirSync(join(machine.path, 'folder'), { recursive: true }).sort()).toEqual(
    readdirSync(join(machine.path, 'archive'), { recursive: true }).sort(),
  )
  rmSync(join(machine.path, 'set/images/train/b.png'))
  const some = ['convert', 'set', 'some/', '--from', 'COCO 1.0', '--to', 'YOLO 1.1']
  const refused = await machine.run(some)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--missing-images') })
  const allowed = await machine.done([...some, '--missing-images'])
  expect(allowed.stderr).toContain('1 of the images are not there')
  writeFileSync(
    join(machine.path, 'none.zip'),
    storedZip(
      Object.entries({
        'obj.names': 'car',
        'train.txt': 'obj_train_data/a.png',
        'obj_train_data/a.txt': '0 0.5 0.5 0.5 0.5',
      }).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
    ),
  )
  const yolo = await machine.run([
    'convert',
    'none.zip',
    'x',
    '--from',
    'YOLO 1.1',
    '--to',
    'COCO 1.0',
  ])
  expect(yolo).toMatchObject({ code: 1, stderr: expect.stringMatching(/--images\.\n$/) })
})

test('a million boxes in any order are converted with a small memory limit', {
  timeout: 600_000,
}, async () => {
  const machine = createCliHome({ NODE_OPTIONS: '--max-old-space-size=96' })
  const [boxes, frames] = [1_000_000, 1_000]
  const { bytes } = await createImage('a', 64, 48)
  const ids = Array.from({ length: frames }, (_, index) => index + 1)
  const images = ids.map((id) => ({ id, file_name: `${id}.png`, width: 64, height: 48 }))
  const annotations = Array.from({ length: boxes }, (_, at) => {
    const image_id = ((at * 7919) % frames) + 1
    return `{"id":${at + 1},"image_id":${image_id},"category_id":1,"bbox":[${at % 50},2,10,12],"area":120,"iscrowd":0,"segmentation":[]}`
  })
  const coco = `{"images":${JSON.stringify(images)},"categories":[{"id":1,"name":"car"}],"annotations":[${annotations}]}`
  const members = images.map(({ file_name }) => ({ name: `images/${file_name}`, bytes }))
  const file = { name: 'annotations/instances_default.json', bytes: Buffer.from(coco) }
  writeFileSync(join(machine.path, 'coco.zip'), storedZip([file, ...members]))
  const convert = [
    'convert',
    'coco.zip',
    'out/',
    '--from',
    'COCO 1.0',
    '--to',
    'YOLO 1.1',
    '--no-images',
  ]
  const { json } = await machine.done([...convert, '--json'])
  expect(json).toMatchObject({ images: frames, read: { created: { shapes: boxes } } })
  const lines = readFileSync(join(machine.path, 'out/obj_train_data/1.txt'), 'utf8').trimEnd()
  expect(lines.split('\n')).toHaveLength(boxes / frames)
})
