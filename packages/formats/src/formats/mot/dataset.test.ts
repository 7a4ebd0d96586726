import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { ItemFrame } from '../../model/dataset.ts'
import {
  collectAll,
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  labelOf,
  shapeOf,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { mot } from '../mot.ts'
import { openMotDataset } from './dataset.ts'

const opened = async (files: Record<string, string>, run = createRun().run) =>
  openMotDataset(sourceOf(await zipOf(files)), run)

/** Returns the names of annotated frames, by subset. */
async function found(files: Record<string, string>) {
  const { subsets } = await opened(files)
  const names: string[][] = []
  for (const { images, importAnnotations } of subsets) {
    const frames = framesOf(images.map(({ name }) => name))
    const target = targetOf([labelOf({ name: 'car' })], frames)
    const read = await collectAll(importAnnotations(target, createRun().run))
    names.push(
      read.map((one) => frames[one.kind === 'shape' ? one.shape.frame : -1]?.path ?? 'none'),
    )
  }
  return names
}

const row = (frame: number, rest = '1,1,1') => `${frame},-1,1,2,3,4,${rest}\n`
const images = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'x']))

describe('a MOT dataset with images', () => {
  test('has a subset for each sequence', async () => {
    const run = createRun().run
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
      {
        code: 'unlabelled',
        count: 2,
        examples: [{ file: 'MOT/test/S-09/gt/gt.txt' }, { file: 'MOT/train/S-04/gt/gt.txt' }],
      },
      { code: 'ignored-file', examples: [{ file: 'MOT/test/S-09/gt/gt.txt' }] },
    ])
  })

  test('at the top level of an archive is the default subset', async () => {
    const { subsets } = await opened({ 'gt/gt.txt': '', 'img1/a.jpg': 'x', 'img1/a.txt': '' })
    expect(subsets).toMatchObject([{ name: 'default', images: [{ name: 'a.jpg' }] }])
    expect(subsets[0]?.images).toHaveLength(1)
  })

  test('derives attributes from columns with values other than their defaults', async () => {
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
    ['numbers of frames, with gaps', ['1.jpg', '2.jpg', '4.jpg', '5.jpg'], [4], ['4.jpg']],
    ['numbers of frames, from a later one', ['6.jpg', '7.jpg', '5.jpg'], [5], ['5.jpg']],
    ['numbers from 0', ['0.jpg', '1.jpg', '3.jpg'], [1, 3], ['0.jpg', '3.jpg']],
    ['what is annotated, where it is that', ['x4.jpg', 'x9.jpg'], [2, 7], ['x4.jpg', 'x9.jpg']],
  ])('finds images by %s', async (_, names, frames, expected) => {
    const files = {
      'gt/gt.txt': frames.map((frame) => row(frame)).join(''),
      'gt/labels.txt': 'car',
      ...images(...names.map((name) => `img1/${name}`)),
    }
    expect(await found(files)).toEqual([expected])
  })

  test('finds images by their list', async () => {
    const files = {
      'gt/gt.txt': row(5) + row(9),
      'gt/labels.txt': 'car',
      'gt/frames.txt': '\uFEFF9,a, b.jpg\r\n5,c.jpg\r\n7,left out.jpg\r\n',
      ...images('img1/a, b.jpg', 'img1/c.jpg', 'img1/more.jpg'),
    }
    const { subsets } = await opened(files)
    const names = subsets[0]?.images.map(({ name }) => name)
    expect(names).toEqual(['c.jpg', 'a, b.jpg', 'more.jpg'])
    expect(await found(files)).toEqual([['c.jpg', 'a, b.jpg']])
  })

  test.each([
    ['1', 'gt/frames.txt: expected frame_id,image at line 2'],
    ['x,a.jpg', 'gt/frames.txt: "x" is no whole number at line 2'],
    ['2,b.jpg', 'gt/frames.txt: no image of img1 is that of frame_id 2'],
  ])('is refused with a list that says "%s"', async (line, message) => {
    const files = { 'gt/gt.txt': row(1) + row(2), 'gt/frames.txt': `1,1.jpg\n${line}\n` }
    await expect(opened({ ...files, ...images('img1/1.jpg') })).rejects.toThrow(message)
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

describe('a MOT export with images that is imported again', () => {
  const labels = [labelOf({ id: 3, name: 'car' }), labelOf({ id: 5, name: 'man' })]
  const withPixels = (paths: string[]): ItemFrame[] =>
    framesOf(paths).map((frame) => ({
      ...frame,
      image: async function* () {
        yield Buffer.from('pixels')
      },
    }))

  test('keeps subsets and their images', async () => {
    const frames = withPixels(['a/1.jpg', 'a/2.png', 'ü.v2.jpg'])
    const sent = [shapeOf({ label_id: 3, frame: 1 }), shapeOf({ label_id: 5, frame: 2 })]
    const [one, two] = [sent, sent.slice(1)].map((shapes, index) =>
      datasetOf(labels, frames, { shapes }, { name: `set ${index}`, saveImages: true }),
    )
    if (!one || !two) throw new Error('two data sets')
    const both = { ...one, subsets: [...one.subsets, ...two.subsets] }
    const { bytes } = await exportBytes(mot.exporter, both)

    const opened = await openMotDataset(sourceOf(bytes), createRun().run)
    expect(opened.labels.map(({ name }) => name)).toEqual(['car', 'man'])
    expect(opened.subsets.map(({ name }) => name)).toEqual(['set 0', 'set 1'])
    for (const [index, { images, importAnnotations }] of opened.subsets.entries()) {
      expect(images.map(({ name }) => name)).toEqual(frames.map(({ path }) => path))
      const read = await collectAll(importAnnotations(targetOf(labels, frames), createRun().run))
      const expected = index === 0 ? sent : sent.slice(1)
      expect(read).toEqual(expected.map((shape) => ({ kind: 'shape', shape })))
    }
  })

  const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.jpg`)
  test.each<[string, string[], number[]]>([
    ['with deleted frames', five, [0, 2, 3, 4]],
    ['without its first frame', five, [1, 2, 3, 4]],
    ['of a job', five, [3, 4]],
    ['in an order of its own', ['e.jpg', 'a.jpg', 'c.jpg'], [0, 1, 2]],
    ['in the order of numbers', ['f9.jpg', 'f10.jpg', 'f11.jpg'], [0, 1, 2]],
    ['whose names are numbers of something else', ['7.jpg', '1.jpg', '2.jpg'], [0, 1, 2]],
    ['whose names count from 0', ['0.jpg', '1.jpg', '2.jpg'], [0, 1]],
  ])('%s: each box stays on its image', async (_, paths, kept) => {
    const frames = withPixels(paths).filter(({ frame }) => kept.includes(frame))
    const last = kept.at(-1) ?? 0
    const shapes = [shapeOf({ label_id: 3, frame: last })]
    const about = { size: paths.length }
    const dataset = datasetOf(labels, frames, { shapes }, { saveImages: true, about })
    const { bytes, files } = await exportBytes(mot.exporter, dataset)
    const lines = frames.map(({ frame, path }) => `${frame + 1},${path}\n`)
    expect(files['gt/frames.txt']).toBe(lines.join(''))
    const [subset] = (await openMotDataset(sourceOf(bytes), createRun().run)).subsets
    expect(subset?.images.map(({ name }) => name)).toEqual(frames.map(({ path }) => path))
    expect(await found(files)).toEqual([[paths[last]]])
  })

  test.each([
    [
      ['000003.jpg', '000005.jpg'],
      [2, 4],
    ],
    [
      ['frame_000000.PNG', 'frame_000005.PNG'],
      [0, 1],
    ],
  ])('needs no list for the image names %j', async (paths, numbers) => {
    const frames = withPixels(paths).map((one, at) => ({ ...one, frame: numbers[at] ?? 0 }))
    const shapes = [shapeOf({ label_id: 3, frame: numbers[1] ?? 0 })]
    const dataset = datasetOf(labels, frames, { shapes }, { saveImages: true })
    const { files } = await exportBytes(mot.exporter, dataset)
    expect(Object.keys(files)).not.toContain('gt/frames.txt')
    expect(await found(files)).toEqual([[paths[1]]])
  })

  test('has a folder for the only subset of a project if it has a name', async () => {
    const frames = withPixels(['a.jpg'])
    const namesOf = async (name: string, target: 'project' | 'task') => {
      const dataset = datasetOf(labels, frames, {}, { name, saveImages: true })
      const about = { ...dataset.about, target }
      const { bytes } = await exportBytes(mot.exporter, { ...dataset, about })
      return (await openMotDataset(sourceOf(bytes), createRun().run)).subsets.map((one) => one.name)
    }
    expect(await namesOf('val', 'project')).toEqual(['val'])
    expect(await namesOf('default', 'project')).toEqual(['default'])
    expect(await namesOf('val', 'task')).toEqual(['default'])
  })
})
