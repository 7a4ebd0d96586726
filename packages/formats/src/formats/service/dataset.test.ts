import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type {
  Dataset,
  FileSubset,
  Format,
  Imported,
  ItemFrame,
  TaskPart,
} from '../../model/dataset.ts'
import type { FileLabel } from '../../model/file-labels.ts'
import {
  collectAll,
  createRun,
  datasetOf,
  exportBytes,
  framesOf,
  partOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
  zipOf,
} from '../../testing/run.ts'
import { labels as known } from '../../testing/service.ts'
import { service, serviceForImages, serviceForVideo } from '../service.ts'
import { openServiceDataset } from './dataset.ts'

/**
 * Results of imports into a project from archives with images: labels, images in frame order, and their annotations.
 */

const opened = async (archive: Uint8Array | Record<string, string>, { run } = createRun()) => {
  const bytes = archive instanceof Uint8Array ? archive : await zipOf(archive)
  return openServiceDataset(sourceOf(bytes), run)
}
const namesIn = ({ images }: FileSubset) => images.map(({ name }) => name)

/** Reads the annotations on the frames of a subset. */
async function readSubset(subset: FileSubset | undefined, labels = known): Promise<Imported[]> {
  if (!subset) throw new Error('a subset')
  const target = targetOf(labels, framesOf(namesIn(subset)))
  const read = await collectAll(subset.importAnnotations(target, createRun().run))
  return read
}
const shapesIn = (all: Imported[]) => all.flatMap((one) => (one.kind === 'shape' ? one.shape : []))
const tracksIn = (all: Imported[]) => all.flatMap((one) => (one.kind === 'track' ? one.track : []))
const tagsIn = (all: Imported[]) => all.flatMap((one) => (one.kind === 'tag' ? one.tag : []))

const withPictures = (frames: readonly ItemFrame[]): ItemFrame[] =>
  frames.map((frame) => ({
    ...frame,
    async *image() {
      yield Buffer.from(frame.path)
    },
  }))
const pictures = (...paths: string[]) => withPictures(framesOf(paths))

const attributes = [
  { spec_id: 1, value: 'red' },
  { spec_id: 3, value: 'true' },
]
const box = shapeOf({ label_id: 40, points: [1, 2.5, 3, 4], attributes })
const point = (label_id: number, x: number, more = {}) =>
  shapeOf({ type: 'points', label_id, points: [x, 7], ...more })
const skeleton = shapeOf({
  ...{ type: 'skeleton', label_id: 41, frame: 1, points: [], group: 2, z_order: 1 },
  attributes: [{ spec_id: 4, value: 'good' }],
  elements: [point(42, 5, { frame: 1 }), point(43, 6, { frame: 1, outside: true })],
})
const tag = { frame: 2, label_id: 40, group: 0, source: 'file', attributes }
const mutable = attributes.slice(1)
const moving = trackOf(
  [
    trackShapeOf({ frame: 0, points: [0, 0, 10, 10], attributes: mutable }),
    trackShapeOf({ frame: 2, points: [20, 0, 30, 10], attributes: mutable }),
    trackShapeOf({ frame: 3, points: [5, 5, 9, 9], outside: true, attributes: mutable }),
  ],
  { label_id: 40, attributes: attributes.slice(0, 1) },
)
const skeletonTrack = trackOf([trackShapeOf({ type: 'skeleton', frame: 1, points: [] })], {
  label_id: 41,
  attributes: [{ spec_id: 4, value: '' }],
  elements: [42, 43].map((label_id) =>
    trackOf([trackShapeOf({ type: 'points', frame: 1, points: [label_id, 9] })], { label_id }),
  ),
})

const exported = async ({ exporter }: Format, dataset: Dataset) =>
  (await exportBytes(exporter, { ...dataset, saveImages: true })).bytes

const fileLabels: FileLabel[] = [
  {
    ...{ name: 'car', type: 'any', color: '#ff0000' },
    attributes: [
      { name: 'color', input_type: 'select', mutable: false, values: ['red', 'blue'] },
      {
        ...{ name: 'parked', input_type: 'checkbox', mutable: true, values: [] },
        default_value: 'false',
      },
    ],
  },
  {
    ...{ name: 'person', type: 'skeleton', color: '#00ff00' },
    svg: '<circle cx="1" data-label-name="head"></circle>',
    attributes: [
      { name: 'mood', input_type: 'text', mutable: false, values: [], default_value: '' },
    ],
    sublabels: ['head', 'foot'].map((name) => {
      return { name, type: 'points', color: '#0000ff', attributes: [] }
    }),
  },
]

describe('an export that is imported into a project', () => {
  const paths = ['b.jpg', 'a/c.png', 'ü &.jpg', 'x.v2.jpg']
  const shapes = [box, skeleton]

  test('keeps a task of images in the order of its frames', async () => {
    const tracks = [moving, skeletonTrack]
    const dataset = datasetOf(known, pictures(...paths), { shapes, tags: [tag], tracks })
    const { labels, subsets } = await opened(await exported(service, dataset))
    expect(labels).toEqual(fileLabels)
    expect(subsets).toMatchObject([
      { name: 'default', images: paths.map((name) => ({ name, member: `images/${name}` })) },
    ])
    const read = await readSubset(subsets[0])
    expect(shapesIn(read)).toEqual(shapes)
    expect(tagsIn(read)).toEqual([tag])
    expect(tracksIn(read)).toEqual(tracks)
  })

  test.each([
    ['from its first frame', { origin: 0, step: 1 }],
    ['with a step', { origin: 10, step: 5 }],
  ])('keeps a video %s', async (_, { origin, step }) => {
    const about = {
      mode: 'interpolation',
      ...{ origin, step },
      frame_filter: `step=${step}`,
    } as const
    const video = { name: 'a.mp4', width: 100, height: 80 }
    const names = [0, 1, 2, 3].map(
      (index) => `frame_${String(origin + index * step).padStart(6, '0')}.PNG`,
    )
    const tracks = [moving, skeletonTrack]
    const dataset = (given: object) =>
      datasetOf(known, pictures(...names), { tracks, ...given }, { about: { ...about, video } })
    for (const [format, given] of [
      [service, { shapes, tags: [tag] }],
      [serviceForVideo, {}],
    ] as const) {
      const { subsets } = await opened(await exported(format, dataset(given)))
      expect(subsets.map(namesIn)).toEqual([names])
      const read = await readSubset(subsets[0])
      expect(tracksIn(read)).toEqual(tracks)
      expect([shapesIn(read), tagsIn(read)]).toEqual([given.shapes ?? [], given.tags ?? []])
    }
  })

  test('keeps images, with tracks as shapes of their frames', async () => {
    const dataset = datasetOf(known, pictures(...paths), { tracks: [moving], tags: [tag] })
    const { subsets } = await opened(await exported(serviceForImages, dataset))
    const read = await readSubset(subsets[0])
    expect(shapesIn(read).map(({ frame, points }) => [frame, points])).toEqual([
      [0, [0, 0, 10, 10]],
      [1, [10, 0, 20, 10]],
      [2, [20, 0, 30, 10]],
    ])
    expect([tracksIn(read), tagsIn(read)]).toEqual([[], [tag]])
  })

  test('orders images by name when only tracks refer to them', async () => {
    const sorted = [...paths].sort()
    const dataset = datasetOf(known, pictures(...sorted), { tracks: [moving, skeletonTrack] })
    const { subsets } = await opened(await exported(serviceForVideo, dataset))
    expect(subsets.map(namesIn)).toEqual([sorted])
    expect(tracksIn(await readSubset(subsets[0]))).toEqual([moving, skeletonTrack])
  })
})

/** A part of a task without a deleted frame. */
function partWithout(deleted: number, frames: readonly ItemFrame[], streams: object): TaskPart {
  const whole = partOf(frames, streams)
  const left = frames.filter(({ frame }) => frame !== deleted)
  return { ...partOf(left, streams, whole.about), deletedFrames: new Set([deleted]) }
}
const oneSubset = (part: TaskPart): Dataset => ({
  ...datasetOf(known, part.frames, {}),
  subsets: [{ name: 'default', frames: part.frames, items: () => part.items(true), parts: [part] }],
})

describe('deleted frames of an export', () => {
  const files = pictures('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg')
  const far = trackOf(
    [
      trackShapeOf({ frame: 0, points: [0, 0, 10, 10], attributes: mutable }),
      trackShapeOf({ frame: 4, points: [40, 0, 50, 10], attributes: mutable }),
    ],
    { label_id: 40, attributes: attributes.slice(0, 1) },
  )

  test('do not change tracks on other frames', async () => {
    const part = partWithout(2, files, { tracks: [far] })
    const { subsets } = await opened(await exported(service, oneSubset(part)))
    expect(subsets.map(namesIn)).toEqual([['a.jpg', 'b.jpg', 'd.jpg', 'e.jpg']])
    const [track] = tracksIn(await readSubset(subsets[0]))
    expect(track?.shapes.map(({ frame, points }) => [frame, points[0]])).toEqual([
      [0, 0],
      [1, 10],
      [2, 30],
      [3, 40],
    ])
  })

  test('are detected as frames without tracks when the document lists only tracks', async () => {
    const part = partWithout(2, files, { tracks: [far] })
    const { subsets } = await opened(await exported(serviceForVideo, oneSubset(part)))
    const [track] = tracksIn(await readSubset(subsets[0]))
    expect(track?.shapes.at(-1)).toMatchObject({ frame: 3, points: [40, 0, 50, 10] })
    const short = trackOf(far.shapes.slice(1), { label_id: 40 })
    const bytes = await exported(
      serviceForVideo,
      oneSubset(partWithout(2, files, { tracks: [short] })),
    )
    await expect(opened(bytes)).rejects.toThrow(
      'annotations.xml: 4 images for 5 frames, and no names that say which of them its tracks are on',
    )
  })
})

describe('projects in the native format', () => {
  const projectOf = (subsets: Record<string, TaskPart[]>): Dataset => ({
    ...{ labels: known, saveImages: true },
    subsets: Object.entries(subsets).map(([name, parts]) => {
      const frames = parts.flatMap((part) => part.frames)
      return {
        name,
        frames,
        items: () => datasetOf(known, frames, {}).subsets[0]?.items() ?? [],
        parts,
      } as never
    }),
    about: { target: 'project', dumped: '2026-03-01T10:00:00.000Z' },
  })
  const lasting = trackOf([trackShapeOf({ frame: 1, points: [1, 1, 5, 5] })], { label_id: 40 })
  const placesOfTracks = (read: Imported[]) =>
    tracksIn(read).map(({ shapes }) =>
      shapes.map(({ frame, outside }) => `${frame}${outside ? '-' : '+'}`).join(),
    )

  test('have one task for each subset, composed of the tasks of the subset', async () => {
    const streams = { shapes: [{ ...box, frame: 1 }], tracks: [lasting] }
    const parts = [
      partOf(pictures('b.jpg', 'a/c.jpg'), streams, {
        ...{ id: 9, origin: 10, step: 5, frame_filter: 'step=5' },
      }),
      partOf(pictures('b_1.jpg', 'd.jpg'), streams, { id: 10 }),
    ]
    const other = partOf(pictures('b.jpg', 'x.jpg'), streams, { id: 2 })
    const project = projectOf({ 'a/b': parts, val: [other] })
    for (const [format, count] of [
      [service, 1],
      [serviceForVideo, 0],
    ] as const) {
      const { subsets, labels } = await opened(await exported(format, project))
      expect(labels).toEqual(fileLabels)
      expect(subsets.map(({ name }) => name)).toEqual(['a/b', 'val'])
      expect(subsets.map(namesIn)).toEqual([
        ['b.jpg', 'a/c.jpg', 'b_1.jpg', 'd.jpg'],
        ['b.jpg', 'x.jpg'],
      ])
      expect(subsets[0]?.images[1]?.member).toBe('images/a_b/a/c.jpg')
      const [first, second] = [await readSubset(subsets[0]), await readSubset(subsets[1])]
      expect(shapesIn(first).map(({ frame }) => frame)).toEqual(count ? [1, 3] : [])
      expect(placesOfTracks(first).slice(0, 2)).toEqual(
        count ? ['1+,2-', '3+'] : ['1+,2-', '1+,2-'],
      )
      expect(placesOfTracks(second)[0]).toBe('1+')
      expect(shapesIn(second)).toHaveLength(count)
    }
  })

  const boxAt = (x: number) =>
    `<box label="car" xtl="${x}" ytl="1" xbr="${x + 5}" ybr="9"><attribute name="color">red</attribute></box>`
  const imageIn = (attributes: string, x: number) =>
    `<image id="0" name="a.jpg" ${attributes} width="100" height="80">${boxAt(x)}</image>`
  const task = (id: number, subset = '') =>
    `<task><id>${id}</id><size>1</size>${subset && `<subset>${subset}</subset>`}</task>`
  const projectMeta = (tasks: string) => `<meta><project><tasks>${tasks}</tasks></project></meta>`
  const archiveOf = (subsets: readonly string[], inside: string) => ({
    'annotations.xml': `<annotations>${inside}</annotations>`,
    ...Object.fromEntries(subsets.map((name) => [`images/${name}/a.jpg`, name])),
  })

  test.each([
    ['of one id', [1, 1, 1], ''],
    ['of one id that is described', [1, 1, 1], task(1, 'Train')],
    ['of ids of their own', [1, 2, 3], task(1, 'Train') + task(2, 'Val') + task(3)],
  ])('with three subsets %s have one annotated task for each', async (_, ids, tasks) => {
    const names = ['Test', 'Train', 'Val']
    const images = names.map((name, at) =>
      imageIn(`task_id="${ids[at]}" subset="${name}"`, 10 * at + 1),
    )
    const { subsets } = await opened(archiveOf(names, projectMeta(tasks) + images.join('')))
    expect(subsets.map(({ name, images }) => [name, images.map((one) => one.member)])).toEqual(
      names.map((name) => [name, [`images/${name}/a.jpg`]]),
    )
    const read = await Promise.all(subsets.map((subset) => readSubset(subset)))
    expect(read.map((batch) => shapesIn(batch).map(({ points }) => points[0]))).toEqual([
      [1],
      [11],
      [21],
    ])
  })

  test('put elements without a subset into the subset of their task', async () => {
    const track = `<track id="0" label="car" task_id="2">
      <box frame="0" keyframe="1" outside="0" occluded="0" xtl="1" ytl="1" xbr="5" ybr="5"></box></track>`
    const images =
      imageIn('task_id="1" subset="Train"', 1) + imageIn('task_id="2" subset="Val"', 11)
    const meta = projectMeta(task(1) + task(2))
    const { subsets } = await opened(archiveOf(['Train', 'Val'], meta + images + track))
    expect(subsets.map(({ name }) => name)).toEqual(['Train', 'Val'])
    const [train = [], val = []] = await Promise.all(subsets.map((subset) => readSubset(subset)))
    expect([tracksIn(train).length, tracksIn(val).length]).toEqual([0, 1])
  })

  test('separate subsets that map to the same folder name', async () => {
    const part = (path: string, id: number) => partOf(pictures(path), { shapes: [box] }, { id })
    const project = projectOf({ 'x/y': [part('a.jpg', 1)], x_y: [part('a.jpg', 2)] })
    const { subsets } = await opened(await exported(service, project))
    expect(subsets.map(({ name, images }) => [name, images.map(({ member }) => member)])).toEqual([
      ['x/y', ['images/x_y/a.jpg']],
      ['x_y', ['images/x_y_1/a.jpg']],
    ])
  })

  test('match frames of several videos in a subset by their numbers', async () => {
    const video = { name: 'a.mp4', width: 100, height: 80 }
    const about = { mode: 'interpolation', video } as const
    const names = (...numbers: number[]) =>
      numbers.map((one) => `frame_${String(one).padStart(6, '0')}`)
    const files = (stems: string[]) => pictures(...stems.map((name) => `${name}.PNG`))
    const parts = [
      partOf(files(names(0, 1)), { tracks: [lasting] }, { id: 1, ...about }),
      partOf(
        files(['frame_000001_1', ...names(2, 3)]),
        { tracks: [lasting], shapes: [{ ...box, frame: 2 }] },
        { id: 2, origin: 1, start_frame: 1, ...about },
      ),
    ]
    const { subsets } = await opened(await exported(service, projectOf({ default: parts })))
    expect(subsets.map(namesIn)).toEqual([
      [...names(0, 1), 'frame_000001_1', ...names(2, 3)].map((name) => `${name}.PNG`),
    ])
    const read = await readSubset(subsets[0])
    expect(placesOfTracks(read)).toEqual(['1+,2-', '3+'])
    expect(shapesIn(read).map(({ frame }) => frame)).toEqual([4])
  })

  const element = (id: number, task: number, name: string, inner = '') =>
    `<image id="${id}" name="${name}" subset="s" task_id="${task}">${inner}</image>`
  const track = (task: number, frame: number) =>
    `<track id="0" label="car" task_id="${task}" subset="s"><box frame="${frame}" keyframe="1" xtl="1" ytl="1" xbr="3" ybr="3"/></track>`

  test('of CVAT number the frames of tracks and videos consecutively', async () => {
    const of = (id: number, mode: string) =>
      `<task><id>${id}</id><size>3</size><mode>${mode}</mode><subset></subset><start_frame>1</start_frame><stop_frame>3</stop_frame></task>`
    const meta = `<project><tasks>${of(4, 'interpolation')}${of(5, 'interpolation')}</tasks><subsets>default</subsets></project>`
    const moved = (task: number, frame: number) =>
      track(task, frame).replace('subset="s"', 'subset="default"')
    const inner = moved(4, 2) + moved(5, 4 + 3)
    const names = [1, 2, 3, 5, 6, 7].map((number) => `frame_00000${number}.PNG`)
    const { subsets } = await opened({
      'annotations.xml': `<annotations><meta>${meta}</meta>${inner}</annotations>`,
      ...Object.fromEntries(names.map((name) => [`images/default/${name}`, 'x'])),
    })
    expect(subsets.map(namesIn)).toEqual([names])
    expect(placesOfTracks(await readSubset(subsets[0]))).toEqual(['1+,3-', '5+'])
  })

  test('do not need a description', async () => {
    const inner = '<box label="car" xtl="1" ytl="2" xbr="3" ybr="4"/>'
    const images = [element(0, 5, 'a.jpg'), element(1, 5, 'b.jpg', inner), element(2, 6, 'c.jpg')]
    const text = `<annotations>${track(6, 0)}${images.join('')}${track(5, 1)}</annotations>`
    const { subsets, labels } = await opened({
      'p/annotations.xml': text,
      ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`p/images/s/${name}.jpg`, 'x'])),
    })
    expect(labels).toEqual([{ name: 'car', attributes: [] }])
    expect(subsets.map(({ name }) => name)).toEqual(['s'])
    const read = await readSubset(subsets[0])
    expect(shapesIn(read)).toMatchObject([{ frame: 1, label_id: 40 }])
    expect(placesOfTracks(read)).toEqual(['2+', '1+,2-'])
  })
})
