import { labelOf } from '@reticle/contracts/testing/records'
import { describe, expect, test } from 'vitest'
import { type Exporting, exportTask, keyframe, trackLine } from '../testing/exported.ts'
import { testStore } from '../testing/run.ts'

const store = await testStore()
const task = { store, labels: [labelOf({ id: 1 })], size: 10 }

type Files = ReadonlyMap<string, string>

/** Returns the frames whose own file contains an object. */
const byFile = (pattern: RegExp, isShown: (text: string) => boolean) => (files: Files) =>
  [...files].flatMap(([name, text]) => {
    const [, frame] = pattern.exec(name) ?? []
    return frame && isShown(text) ? [Number(frame)] : []
  })
const matches = (text: string | undefined, pattern: RegExp) =>
  [...(text ?? '').matchAll(pattern)].map(([, frame]) => Number(frame))
const isFilled = (text: string) => text.trim() !== ''

/** Functions that return the frames on which an archive of a format shows an object. */
const framesIn: Record<string, (files: Files) => number[]> = {
  'COCO 1.0': (files) => {
    const data = JSON.parse(files.get('annotations/instances_default.json') ?? '{}')
    const images = new Map<number, string>(
      data.images.map((one: { id: number; file_name: string }) => [one.id, one.file_name]),
    )
    return data.annotations.map((one: { image_id: number }) =>
      Number(images.get(one.image_id)?.[1]),
    )
  },
  'YOLO 1.1': byFile(/f(\d)\.txt$/, isFilled),
  'KITTI 1.0': byFile(/f(\d)\.txt$/, isFilled),
  'Pascal VOC 1.1': byFile(/f(\d)\.xml$/, (text) => text.includes('<object>')),
  'LabelMe 3.0': byFile(/f(\d)\.xml$/, (text) => text.includes('<object>')),
  'Segmentation mask 1.1': byFile(/SegmentationClass\/f(\d)\.png$/, isFilled),
  'MOT 1.1': (files) => matches(files.get('gt/gt.txt'), /^(\d+),/gm).map((frame) => frame - 1),
  'Service 1.1': boxesShown,
  'CVAT for video 1.1': boxesShown,
  'CVAT for images 1.1': (files) =>
    matches(files.get('annotations.xml'), /<image id="(\d+)"[^>]*>\s*<box/g),
}

function boxesShown(files: Files) {
  return matches(files.get('annotations.xml'), /<box frame="(\d+)"[^>]*outside="0"/g)
}

async function shownBy(format: string, given: Pick<Exporting, 'lines' | 'deleted'>) {
  const { report, files } = await exportTask(format, { ...task, ...given })
  return { report, frames: framesIn[format]?.(files).sort((one, other) => one - other) }
}

describe.each(Object.keys(framesIn))('as %s, deleting a frame changes no other frame', (format) => {
  test.each([
    ['that a track ends on', [{}, { frame: 3, outside: true }], [3], [0, 1, 2]],
    ['with the only keyframe', [{ frame: 3 }], [3], [4, 5, 6, 7, 8, 9]],
    ['that a track begins again on', [{ outside: true }, { frame: 3 }], [3], [4, 5, 6, 7, 8, 9]],
    [
      'with both ends of a gap',
      [{}, { frame: 3, outside: true }, { frame: 5 }],
      [3, 5],
      [0, 1, 2, 6, 7, 8, 9],
    ],
    ['between keyframes', [{}, { frame: 5, outside: true }], [1, 4], [0, 2, 3]],
    ['and the last one', [{ frame: 7 }], [9], [7, 8]],
  ])('%s', async (_, keyframes, deleted, expected) => {
    const { frames, report } = await shownBy(format, { lines: [trackLine(keyframes)], deleted })
    expect(frames).toEqual(expected)
    expect(report.entries.filter((one) => one.code === 'deleted-frame')).toEqual([])
  })

  test('a track that was visible on deleted frames only is named in the report', async () => {
    const lines = [
      trackLine([{ frame: 3 }, { frame: 5, outside: true }], { id: 11 }),
      trackLine([{ frame: 3 }, { frame: 6, outside: true }], { id: 12 }),
    ]
    const { frames, report } = await shownBy(format, { lines, deleted: [3, 4] })
    expect(frames).toEqual([5])
    expect(report.entries).toContainEqual({
      kind: 'skipped',
      code: 'deleted-frame',
      count: 1,
      examples: [],
      reason: "visible on deleted frames only: track 11 ('car') from frame 3",
    })
  })
})

test('positions next to a deleted keyframe are interpolated between it and the other keyframes', async () => {
  const at = (frame: number, left: number) => ({ frame, points: [left, 0, left + 10, 10] })
  const lines = [trackLine([at(0, 0), at(4, 40), at(8, 0)])]
  const lefts = async (format: string, pattern: RegExp) => {
    const { files } = await exportTask(format, { ...task, lines, deleted: [4] })
    return [...files.values()].flatMap((text) => matches(text, pattern)).slice(0, 8)
  }
  const expected = [0, 10, 20, 30, 30, 20, 10, 0]
  expect(await lefts('COCO 1.0', /"bbox":\[(\d+)/g)).toEqual(expected)
  expect(await lefts('CVAT for video 1.1', /<box [^>]*xtl="(\d+)/g)).toEqual(expected)
})

test('a file of tracks has keyframes next to a deleted one, and no other additional ones', async () => {
  const keyframes = async (deleted: number[]) => {
    const lines = [trackLine([{}, { frame: 4, points: [20, 20, 40, 40] }])]
    const { files } = await exportTask('CVAT for video 1.1', { ...task, lines, deleted })
    return matches(files.get('annotations.xml'), /<box frame="(\d+)" keyframe="1"/g)
  }
  expect(await keyframes([4])).toEqual([0, 3, 5])
  expect(await keyframes([2, 7])).toEqual([0, 4])
})

test('a visible position that is not a keyframe counts on its own frame', async () => {
  const stray = keyframe({ frame: 6, keyframe: false })
  const hidden = [{ frame: 3 }, { frame: 4, outside: true }]
  const lines = [trackLine([...hidden, stray])]
  const { report, frames } = await shownBy('COCO 1.0', { lines, deleted: [3] })
  expect([frames, report.entries]).toEqual([[6], []])
  const gone = await shownBy('COCO 1.0', { lines, deleted: [3, 6] })
  expect(gone.report.entries).toMatchObject([{ code: 'deleted-frame', count: 1 }])
})

test('many tracks are named up to a limit, but all are counted', async () => {
  const lines = Array.from({ length: 30 }, (_, id) =>
    trackLine([{ frame: 3 }, { frame: 4, outside: true }], { id }),
  )
  const { report } = await shownBy('YOLO 1.1', { lines, deleted: [3] })
  const [entry] = report.entries.filter((one) => one.code === 'deleted-frame')
  expect([entry?.count, entry?.reason.match(/track \d+/g)?.length]).toEqual([30, 20])
  expect(entry?.reason).toMatch(/and 10 more$/)
})
