import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { ConversionRun, FileSubset } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { createRun, framesOf, targetOf, zipOf } from '../../testing/run.ts'
import { labels } from '../../testing/service.ts'
import { openServiceDataset } from './dataset.ts'

/** Archives packed by users: different places of documents and images, and missing images. */

const opened = async (files: Record<string, string>, run: ConversionRun = createRun().run) =>
  openServiceDataset(sourceOf(await zipOf(files)), run)
const membersOf = ({ images }: FileSubset) => images.map(({ name, member }) => `${name} ${member}`)

/** Returns the annotations on the frames of a subset: `0 rectangle`. */
async function read(subset: FileSubset | undefined): Promise<string[]> {
  if (!subset) throw new Error('a subset')
  const target = targetOf(labels, framesOf(subset.images.map(({ name }) => name)))
  const found: string[] = []
  for await (const one of subset.importAnnotations(target, createRun().run)) {
    if (one.kind === 'shape') found.push(`${one.shape.frame} ${one.shape.type}`)
    if (one.kind === 'track')
      found.push(
        one.track.shapes.map(({ frame, outside }) => `${frame}${outside ? '-' : '+'}`).join(),
      )
  }
  return found
}

const document = (inner: string, meta = '') =>
  `<annotations>${meta && `<meta>${meta}</meta>`}${inner}</annotations>`
const corners = 'xtl="1" ytl="2" xbr="3" ybr="4"'
const box = `<box label="car" ${corners}/>`
const image = (id: number, name: string, inner = '') =>
  `<image id="${id}" name="${name}">${inner}</image>`
const track = (...frames: (number | string)[]) => {
  const shape = (frame: number | string) =>
    `<box frame="${Number.parseInt(`${frame}`, 10)}" outside="${`${frame}`.endsWith('-') ? 1 : 0}" keyframe="1" ${corners}/>`
  return `<track id="7" label="car">${frames.map(shape).join('')}</track>`
}
const task = (more: string) => `<task><id>1</id>${more}</task>`
const pictures = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'x']))

describe('images of a native archive are found', () => {
  test.each([
    ['in the folder of images', 'a.xml', 'images/b/c.jpg'],
    ['in a folder around all of it', 'set/a.xml', 'set/images/b/c.jpg'],
    ['beside documents in a folder of theirs', 'annotations/a.xml', 'images/b/c.jpg'],
    ['beside their document', 'x/a.xml', 'x/b/c.jpg'],
    ['anywhere', 'a.xml', 'some/where/b/c.jpg'],
  ])('%s', async (_, file, member) => {
    const text = document(image(3, 'b/c.jpg', box))
    const { subsets } = await opened({ [file]: text, ...pictures(member) })
    expect(subsets.map(membersOf)).toEqual([[`b/c.jpg ${member}`]])
    expect(await read(subsets[0])).toEqual(['0 rectangle'])
  })

  test('by their names, among similar names', async () => {
    const text = document(image(0, 'a', box) + image(1, 'e.jpg') + image(2, '.\\b\\c.v2', box))
    const members = ['images/e.jpg', 'images/a.png', 'images/b/c.v2.webp', 'images/d.txt']
    const { subsets } = await opened({ 'a.xml': text, ...pictures(...members) })
    expect(subsets.map(membersOf)).toEqual([
      ['a.png images/a.png', 'e.jpg images/e.jpg', 'b/c.v2.webp images/b/c.v2.webp'],
    ])
  })

  test('without an element, after those with elements', async () => {
    const text = document(image(0, 'c.jpg', box) + image(1, 'b.jpg'))
    const members = ['images/d.jpg', 'images/a.jpg', 'images/b.jpg', 'images/c.jpg']
    const { subsets } = await opened({ 'a.xml': text, ...pictures(...members) })
    expect(subsets.map(membersOf)).toEqual([
      ['c', 'b', 'a', 'd'].map((name) => `${name}.jpg images/${name}.jpg`),
    ])
    expect(await read(subsets[0])).toEqual(['0 rectangle'])
  })

  test('for undescribed frames of a task of known size', async () => {
    const about = '<size>4</size><mode>annotation</mode><start_frame>0</start_frame>'
    const text = document(image(1, 'z.jpg') + track(0, '3-'), task(about))
    const members = ['images/z.jpg', 'images/a.jpg', 'images/b.jpg', 'images/c.jpg']
    const { subsets } = await opened({ 'a.xml': text, ...pictures(...members) })
    expect(subsets[0]?.images.map(({ name }) => name)).toEqual(['a.jpg', 'z.jpg', 'b.jpg', 'c.jpg'])
    expect(await read(subsets[0])).toEqual(['0+,3-'])
  })

  test('in a video by their numbers, also without a description', async () => {
    const members = [
      'images/frame_000012.png',
      'images/frame_000010.png',
      'images/frame_000014.png',
    ]
    const text = document(track(10, 12, '14-'))
    const { subsets } = await opened({ 'a.xml': text, ...pictures(...members) })
    expect(subsets[0]?.images.map(({ member }) => member)).toEqual([...members].sort())
    expect(await read(subsets[0])).toEqual(['0+,1+,2-'])
  })
})

describe('several native documents', () => {
  test('in different folders use their own images, with distinct names in one subset', async () => {
    const text = document(image(0, 'a.jpg', box) + track('0-', 1))
    const files = ['one', 'two'].map((name) => [`${name}/annotations.xml`, text])
    const members = ['one/images/a.jpg', 'one/images/b.jpg', 'two/images/a.jpg', 'two/images/b.jpg']
    const { subsets } = await opened({ ...Object.fromEntries(files), ...pictures(...members) })
    expect(subsets.map(({ name }) => name)).toEqual(['default'])
    expect(subsets.map(membersOf)).toEqual([
      [
        'a.jpg one/images/a.jpg',
        'b.jpg one/images/b.jpg',
        'a_1.jpg two/images/a.jpg',
        'b_1.jpg two/images/b.jpg',
      ],
    ])
    expect(await read(subsets[0])).toEqual(['0 rectangle', '0-,1+,2-', '2 rectangle', '2-,3+'])
  })

  test('in one folder share their images', async () => {
    const job = (start: number, stop: number) =>
      `<job><mode>interpolation</mode><start_frame>${start}</start_frame><stop_frame>${stop}</stop_frame></job>`
    const members = [0, 1, 2, 3].map((number) => `images/frame_00000${number}.PNG`)
    const { subsets } = await opened({
      'job_1.xml': document(track(0, '1-'), job(0, 1)),
      'job_2.xml': document(image(3, 'frame_000003', box) + track(2), job(2, 3)),
      ...pictures(...members),
    })
    expect(subsets[0]?.images.map(({ member }) => member)).toEqual(members)
    expect(await read(subsets[0])).toEqual(['0+,1-', '3 rectangle', '2+'])
  })

  test('may have one subset each', async () => {
    const of = (subset: string, name: string) =>
      document(image(0, name, box), task(`<subset>${subset}</subset><size>1</size>`))
    const { subsets } = await opened({
      'train.xml': of('train', 'a.jpg'),
      'val.xml': of('val', 'b.jpg'),
      ...pictures('images/a.jpg', 'images/b.jpg'),
    })
    expect(subsets.map(({ name }) => name)).toEqual(['train', 'val'])
    expect(subsets.map(membersOf)).toEqual([['a.jpg images/a.jpg'], ['b.jpg images/b.jpg']])
    expect(await read(subsets[1])).toEqual(['0 rectangle'])
  })
})

describe('a native archive without some of its images', () => {
  test('leaves out images without annotations', async () => {
    const meta = '<project><id>1</id><subsets>s\nt</subsets></project>'
    const inSubset = (name: string) => `<image name="${name}" subset="s"/>`
    const text = document(inSubset('a.jpg') + inSubset('b.jpg'), meta)
    const { subsets } = await opened({ 'a.xml': text, ...pictures('images/s/b.jpg') })
    expect(subsets.map(membersOf)).toEqual([['b.jpg images/s/b.jpg']])
  })

  test('reports a task of a project when all of its images are missing', async () => {
    const { run } = createRun()
    const of = (id: number, subset: string) =>
      `<task><id>${id}</id><subset>${subset}</subset><size>1</size></task>`
    const meta = `<project><tasks>${of(1, 's')}${of(2, 't')}</tasks><subsets>s\nt</subsets></project>`
    const text = document('<image id="0" name="a.jpg" subset="s" task_id="1"/>', meta)
    const { subsets } = await opened({ 'a.xml': text, ...pictures('images/s/a.jpg') }, run)
    expect(subsets.map(({ name }) => name)).toEqual(['s'])
    expect(run.report.read().entries).toMatchObject([
      { code: 'ignored-file', examples: [{ file: 't' }] },
    ])
  })

  test('hides tracks only at frames after their last image', async () => {
    const members = [0, 1, 3].map((number) => `images/frame_00000${number}.PNG`)
    const text = document(track(0, '2-') + track(1, '5-') + track('0-', 3, '4-'))
    const meta = task('<mode>interpolation</mode><size>6</size>')
    const { subsets } = await opened({
      'a.xml': text.replace('<annotations>', `<annotations><meta>${meta}</meta>`),
      ...pictures(...members),
    })
    expect(await read(subsets[0])).toEqual(['0+,2-', '1+', '0-,2+'])
  })

  test.each([
    [
      'an image with annotations',
      document(image(0, 'a.jpg') + image(1, 'b.jpg', box)),
      'a.xml: 1 images that have annotations are not in the archive: b.jpg',
    ],
    [
      'all images',
      document(image(0, 'b.jpg')),
      'a.xml: none of its images is in the archive: media is required',
    ],
    ['anything', document(''), 'there are no images to make a task of'],
    [
      'a document of this format',
      '<annotation/>',
      'a.xml: not a Service file: the root is <annotation>',
    ],
    ['the end', '<annotations><image id="0" name="a.jpg">', 'a.xml: unclosed tag'],
  ])('fails: missing %s', async (_, text, message) => {
    const others = text.includes('a.jpg') ? pictures('images/a.jpg') : {}
    await expect(opened({ 'a.xml': text, ...others })).rejects.toThrow(message)
  })

  test('fails when a visible track shape is on a missing frame', async () => {
    const meta = task('<mode>interpolation</mode><size>4</size>')
    const { subsets } = await opened({
      'a.xml': document(track(0, 2), meta),
      ...pictures('images/frame_000000.PNG'),
    })
    await expect(read(subsets[0])).rejects.toThrow(
      'a.xml: track 7: there is no image of frame 2 in the archive at line 1',
    )
    await expect(opened({ 'a.xml': document(track(0)) })).rejects.toThrow(
      'a.xml: none of its images is in the archive: media is required',
    )
  })

  test('must not be a bare document', async () => {
    const bare = openServiceDataset(sourceOf(Buffer.from(document(''))), createRun().run)
    await expect(bare).rejects.toThrow(FormatError)
    await expect(bare).rejects.toThrow('media is required: send a ZIP archive with the images')
  })
})
