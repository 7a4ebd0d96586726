import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { mot } from '../formats/mot.ts'
import type { Imported, ItemFrame, Run } from '../model.ts'
import { createReport } from '../report.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  labelOf,
  shapeOf,
  targetOf,
  zipOf,
} from '../testing/run.ts'
import { openMotDataset } from './dataset.ts'

const newRun = (): Run => ({
  report: createReport(),
  signal: new AbortController().signal,
  progress: () => undefined,
})

const opened = async (files: Record<string, string>, run = newRun()) =>
  openMotDataset(sourceOf(await zipOf(files)), run)

/** Names of frames that have boxes, by subset. */
async function found(files: Record<string, string>) {
  const { subsets } = await opened(files)
  const names: string[][] = []
  for (const { images, importAnnotations } of subsets) {
    const frames = framesOf(images.map(({ name }) => name))
    const read: Imported[] = []
    const target = targetOf([labelOf({ name: 'car' })], frames)
    for await (const one of importAnnotations(target, newRun())) read.push(one)
    names.push(
      read.map((one) => frames[one.kind === 'shape' ? one.shape.frame : -1]?.path ?? 'none'),
    )
  }
  return names
}

const row = (frame: number, rest = '1,1,1') => `${frame},-1,1,2,3,4,${rest}\n`
const images = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'x']))

describe('a set with its images', () => {
  test('has a subset for each sequence', async () => {
    const run = newRun()
    const { subsets, labels } = await opened(
      {
        'MOT/train/S-02/gt/gt.txt': row(1),
        'MOT/train/S-02/gt/labels.txt': 'car\nman',
        'MOT/train/S-02/img1/000001.jpg': 'x',
        'MOT/train/S-04/gt/gt.txt': row(1, '1,3,1'),
        'MOT/train/S-04/img1/000001.jpg': 'x',
        'MOT/test/S-02/det/det.txt': row(1, '0.5,-1,-1,-1'),
        'MOT/test/S-02/img1/a/1.png': 'x',
        'MOT/test/S-09/gt/gt.txt': row(1),
      },
      run,
    )
    expect(subsets.map(({ name, images }) => [name, images])).toEqual([
      ['S-02', [{ name: 'a/1.png', member: 'MOT/test/S-02/img1/a/1.png' }]],
      ['S-02_1', [{ name: '000001.jpg', member: 'MOT/train/S-02/img1/000001.jpg' }]],
      ['S-04', [{ name: '000001.jpg', member: 'MOT/train/S-04/img1/000001.jpg' }]],
    ])
    expect(labels.map(({ name }) => name)).toEqual(['pedestrian', 'car', 'man'])
    expect(run.report.read().entries).toMatchObject([
      { code: 'ignored-file', examples: [{ file: 'MOT/test/S-09/gt/gt.txt' }] },
    ])
  })

  test('without a folder around it is the unnamed subset', async () => {
    const { subsets } = await opened({ 'gt/gt.txt': '', 'img1/a.jpg': 'x', 'img1/a.txt': '' })
    expect(subsets).toMatchObject([{ name: 'default', images: [{ name: 'a.jpg' }] }])
    expect(subsets[0]?.images).toHaveLength(1)
  })

  test('tells what its columns say more than usual', async () => {
    const gt = `${row(1, '0,1,1')}1,5,1,2,3,4,1,2,0.35\n1,6,1,2,3,4,1,1,0\n`
    const files = { 'gt/gt.txt': gt, 'gt/labels.txt': 'car\nman', 'img1/1.jpg': 'x' }
    expect((await opened(files)).labels).toEqual([
      {
        name: 'car',
        attributes: [{ name: 'ignored', input_type: 'checkbox', mutable: false, values: [] }],
      },
      {
        name: 'man',
        attributes: [
          { name: 'visibility', input_type: 'number', mutable: true, values: ['0', '1', '0.01'] },
        ],
      },
    ])
  })

  test.each([
    ['its names in order', ['b.jpg', 'c.jpg', 'a.jpg'], [1, 3], ['a.jpg', 'c.jpg']],
    ['its names as numbers', ['10.jpg', '9.jpg', '8.jpg'], [1, 3], ['8.jpg', '10.jpg']],
    ['numbers in its names', ['f8.jpg', 'f9.jpg', 'f10.jpg'], [1, 3], ['f8.jpg', 'f10.jpg']],
    ['numbers, where some are missing', ['5.jpg', '9.jpg', '7.jpg'], [5, 9], ['5.jpg', '9.jpg']],
    ['what is annotated, where it is that', ['x4.jpg', 'x9.jpg'], [2, 7], ['x4.jpg', 'x9.jpg']],
  ])('finds images by %s', async (_, names, frames, expected) => {
    const files = {
      'gt/gt.txt': frames.map((frame) => row(frame)).join(''),
      'gt/labels.txt': 'car',
      ...images(...names.map((name) => `img1/${name}`)),
    }
    expect(await found(files)).toEqual([expected])
  })

  test.each([
    ['any image', { 'gt/gt.txt': row(1) }, 'there are no images in img1 to make a task of'],
    [
      'an image that has rows',
      { 'gt/gt.txt': row(1) + row(2) + row(9), ...images('img1/1.jpg', 'img1/2.jpg') },
      'gt/gt.txt: frame_id is 9, img1 has 2 images',
    ],
    ['sequences', images('img1/1.jpg'), 'no MOT annotations: expected gt/gt.txt'],
  ])('is refused without %s', async (_, files, message) => {
    await expect(opened(files)).rejects.toThrow(message)
  })
})

test('what is exported with images comes back, subset by subset', async () => {
  const pixels = async function* () {
    yield Buffer.from('pixels')
  }
  const frames = framesOf(['a/1.jpg', 'a/2.png', 'ü.v2.jpg']).map(
    (frame): ItemFrame => ({ ...frame, image: pixels }),
  )
  const labels = [labelOf({ id: 3, name: 'car' }), labelOf({ id: 5, name: 'man' })]
  const sent = [shapeOf({ label_id: 3, frame: 1 }), shapeOf({ label_id: 5, frame: 2 })]
  const [one, two] = [sent, sent.slice(1)].map((shapes, index) =>
    datasetOf(labels, frames, { shapes }, { name: `set ${index}`, saveImages: true }),
  )
  if (!one || !two) throw new Error('two data sets')
  const both = { ...one, subsets: [...one.subsets, ...two.subsets] }
  const { bytes } = await exportBytes(mot.exporter, both)

  const opened = await openMotDataset(sourceOf(bytes), newRun())
  expect(opened.labels.map(({ name }) => name)).toEqual(['car', 'man'])
  expect(opened.subsets.map(({ name }) => name)).toEqual(['set 0', 'set 1'])
  for (const [index, { images, importAnnotations }] of opened.subsets.entries()) {
    expect(images.map(({ name }) => name)).toEqual(frames.map(({ path }) => path))
    const read: Imported[] = []
    for await (const got of importAnnotations(targetOf(labels, frames), newRun())) read.push(got)
    const expected = index === 0 ? sent : sent.slice(1)
    expect(read).toEqual(expected.map((shape) => ({ kind: 'shape', shape })))
  }
})
