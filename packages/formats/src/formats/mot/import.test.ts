import { describe, expect, test } from 'vitest'
import type { ImportTarget } from '../../model/dataset.ts'
import {
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
  trackOf,
  trackShapeOf,
  zipOf,
} from '../../testing/run.ts'
import { mot } from '../mot.ts'

const spec = (id: number, name: string, input_type: string) => ({
  id,
  name,
  input_type,
  mutable: true,
  values: [],
  default_value: '',
})
const attributes = [spec(1, 'visibility', 'number'), spec(2, 'ignored', 'checkbox')]
const labels = [labelOf({ id: 7, name: 'car' }), labelOf({ id: 8, name: 'man', attributes })]
const frames = framesOf(Array.from({ length: 6 }, (_, index) => `${index}.jpg`))
const target = targetOf(labels, frames)
const ofJob = (first: number): ImportTarget => ({
  labels,
  frames: { ...target.frames, includes: (frame) => frame >= first },
})

async function imported(files: Record<string, string | Uint8Array>, to = target) {
  const result = await importBytes(mot, await zipOf(files), to)
  const found = result.shapes.map(({ frame, label_id }) => [frame, label_id])
  const notes = result.report.entries.map(({ code, reason }) => `${code}: ${reason}`)
  return { ...result, found, notes }
}

const names = { 'gt/labels.txt': 'car\nman' }
const rows = (text: string, to = target) => imported({ ...names, 'gt/gt.txt': text }, to)

describe('a MOT import', () => {
  test('reads boxes without a track', async () => {
    const { shapes, report, progress } = await rows(
      '1,-1,1,2,10,20,1,1,1.0\n6,-2,0.1,0.2,0.2,0.1,1,2,0\n',
    )
    expect(shapes).toEqual([
      shapeOf({ label_id: 7, points: [1, 2, 11, 22] }),
      shapeOf({
        frame: 5,
        label_id: 8,
        points: [0.1, 0.2, 0.3, 0.3],
        occluded: true,
        attributes: [
          { spec_id: 1, value: '0' },
          { spec_id: 2, value: 'false' },
        ],
      }),
    ])
    expect(report).toMatchObject({ created: { shapes: 2, tracks: 0 }, entries: [] })
    expect(progress).toEqual([1])
  })

  test('reads track_id 0 as no track, and reports this', async () => {
    const { found, tracks, notes } = await rows('1,0,1,2,3,4,1,1,1\n2,0,1,2,3,4,1,1,1\n')
    expect([found.length, tracks]).toEqual([2, []])
    expect(notes).toEqual(['dropped-shape-type: track_id 0 is of no track'])
  })

  test('builds tracks from rows in any order, which end at gaps and after their last row', async () => {
    const { tracks, shapes, report } = await rows(
      '4,3,0,0,5,5,1,1,1\n2,3,1,2,10,20,1,1,1\n1,3,1,2,10,20,1,1,0\n1,9,1,2,10,20,1,1,1\n6,9,1,2,10,20,1,1\n',
    )
    expect(shapes).toEqual([])
    expect(tracks).toEqual([
      trackOf(
        [
          trackShapeOf({ occluded: true }),
          trackShapeOf({ frame: 1 }),
          trackShapeOf({ frame: 2, outside: true }),
          trackShapeOf({ frame: 3, points: [0, 0, 5, 5] }),
          trackShapeOf({ frame: 4, points: [0, 0, 5, 5], outside: true }),
        ],
        { label_id: 7 },
      ),
      trackOf(
        [trackShapeOf({}), trackShapeOf({ frame: 1, outside: true }), trackShapeOf({ frame: 5 })],
        { label_id: 7 },
      ),
    ])
    expect(report.created).toEqual({ tags: 0, shapes: 0, tracks: 2 })
  })

  test('reads floats, blanks, any line ends and a byte order mark', async () => {
    const text =
      '\uFEFF 1.0 , -1.0 ,1e0, +2,10 ,20.0, 1, 1.0 , 1 \r\n\r\n  \r\n2,-1,1,2,10,20,1,1,1'
    expect((await rows(text)).found).toEqual([
      [0, 7],
      [1, 7],
    ])
  })

  test('keeps "visibility" and "ignored" for labels with these attributes', async () => {
    const { shapes, notes } = await rows('1,-1,1,2,3,4,0,2,0.25\n2,-1,1,2,3,4,0,1,0.5\n')
    expect(shapes.map((shape) => [shape.attributes, shape.occluded])).toEqual([
      [
        [
          { spec_id: 1, value: '0.25' },
          { spec_id: 2, value: 'true' },
        ],
        false,
      ],
      [[], false],
    ])
    expect(notes).toEqual([
      "dropped-attribute: attribute 'visibility' unknown on label 'car'",
      "dropped-attribute: attribute 'ignored' unknown on label 'car'",
    ])
  })

  test('keeps the first class of a track', async () => {
    const { tracks, notes } = await rows('1,1,1,2,3,4,1,1,1\n2,1,1,2,3,4,1,2,1\n')
    expect(tracks).toMatchObject([{ label_id: 7 }])
    expect(notes).toEqual([
      'dropped-attribute: the class of a track changes, its first one is kept',
    ])
  })

  test('skips boxes without area and keeps boxes that exceed the frame', async () => {
    const { shapes, notes } = await rows(
      '1,1,5,5,0,4,1,1,1\n1,2,5,5,4,-1,1,1,1\n1,-1,-5,70,200,40,1,1,1\n',
    )
    expect(shapes.map(({ points }) => points)).toEqual([[-5, 70, 195, 110]])
    expect(notes).toEqual(['degenerate-shape: the box has no area'])
  })

  test('reads detections as boxes with scores when there is no ground truth', async () => {
    const det = '1,-1,1,2,10,20,0.75,-1,-1,-1\n2,5,1,2,10,20,61.5,-1,-1,-1\n'
    const only = targetOf(labels.slice(0, 1), frames)
    const { shapes, tracks, notes } = await imported({ 'det/det.txt': det }, only)
    expect([shapes.map(({ score, occluded }) => [score, occluded]), tracks]).toEqual([
      [
        [0.75, false],
        [1, false],
      ],
      [],
    ])
    expect(notes).toEqual([
      'dropped-shape-type: detections are read without tracks',
      'dropped-attribute: a score is not between 0 and 1, it is left out',
    ])
    const both = { ...names, 'det/det.txt': det, 'gt/gt.txt': '3,1,1,2,3,4,1,1,1\n' }
    const { tracks: truth, shapes: none } = await imported(both)
    expect([truth.length, none.length]).toEqual([1, 0])
  })

  test('finds a sequence in nested folders', async () => {
    const row = '1,-1,1,2,3,4,1,1,1'
    const three = { 'a/b/c/gt/gt.txt': row, 'a/b/c/gt/labels.txt': 'man' }
    expect((await imported(three)).found).toEqual([[0, 8]])
    await expect(imported({ 'a/b/c/d/gt/gt.txt': row })).rejects.toThrow('no MOT annotations')
  })

  test('reports a seqinfo.ini that does not match the task', async () => {
    const info =
      '[Sequence]\r\nname=x\r\nSEQLENGTH = 600\r\nimwidth=100\r\nimHeight=90\r\nimExt=.jpg'
    const rows = '1,-1,1,2,3,4,1,1\n'
    const { notes } = await imported({ ...names, 'gt/gt.txt': rows, 'seqinfo.ini': info })
    expect(notes).toEqual([
      'ignored-file: it tells of 600 frames, there are 6',
      'ignored-file: it tells of frames of 100 x 90, they are 100 x 80',
    ])
    const right = { ...names, 'gt/gt.txt': rows, 'seqinfo.ini': 'seqLength=6' }
    expect((await imported(right)).notes).toEqual([])
  })
})

describe('classes of a MOT import', () => {
  const unnamed = '1,-1,1,2,3,4,1,-1\n1,-1,1,2,3,4,1,0\n1,-1,1,2,3,4\n1,-1,1,2,3,4,1,-3.5,-1.2,0\n'

  test('default to the only label of the task or of labels.txt', async () => {
    const one = targetOf(labels.slice(0, 1), frames)
    expect((await rows(unnamed, one)).found).toEqual(Array(4).fill([0, 7]))
    const named = { 'gt/labels.txt': 'man', 'gt/gt.txt': unnamed }
    expect((await imported(named)).found).toEqual(Array(4).fill([0, 8]))
  })

  test('are skipped when a row has none and there are several labels', async () => {
    const { found, report } = await rows(unnamed)
    expect(found).toEqual([])
    expect(report.entries).toMatchObject([{ code: 'unlabelled', count: 4 }])
  })

  test('are those of the challenge without labels.txt', async () => {
    const official = targetOf([labelOf({ id: 4, name: 'static person' })], frames)
    expect((await imported({ 'gt/gt.txt': '1,-1,1,2,3,4,1,7,1' }, official)).found).toEqual([
      [0, 4],
    ])
    await expect(imported({ 'gt/gt.txt': '1,-1,1,2,3,4,1,14,1' })).rejects.toThrow(
      'gt/gt.txt: class_id is 14, there is no gt/labels.txt, and the MOT challenge has 13 labels at line 1',
    )
  })

  test('ignore the visibility of rows with world coordinates', async () => {
    const one = targetOf(labels.slice(0, 1), frames)
    const { shapes } = await rows('1,-1,1,2,3,4,1,-3.5,-7.25,0\n1,-1,1,2,3,4,1,1,-1\n', one)
    expect(shapes.map(({ occluded }) => occluded)).toEqual([false, false])
  })
})

describe('frames of a MOT import into a job', () => {
  test('are counted from the first frame of the task, and frames outside the job are skipped', async () => {
    const { found, notes } = await rows('1,-1,1,2,3,4,1,1,1\n4,-1,1,2,3,4,1,1,1\n', ofJob(3))
    expect([found, notes]).toEqual([
      [[3, 7]],
      ['frame-outside-job: the frame lies outside of the job'],
    ])
  })

  test('are counted from the first frame of the job when no row reaches it', async () => {
    const { found, notes } = await rows('1,-1,1,2,3,4,1,1,1\n3,-1,1,2,3,4,1,1,1\n', ofJob(3))
    expect(found).toEqual([
      [3, 7],
      [5, 7],
    ])
    expect(notes).toEqual([
      'frame-outside-job: no row reaches the job: they are counted from its first frame',
    ])
  })

  test('are reported with the number of the file when a track repeats one', async () => {
    const twice = '1,7,1,2,3,4,1,1,1\n1,8,1,2,3,4,1,1,1\n1,7,1,2,3,4,1,1,1\n'
    await expect(rows(twice)).rejects.toThrow(
      'gt/gt.txt: a second shape of track 7 on frame 1 at line 3',
    )
    await expect(rows(twice, ofJob(3))).rejects.toThrow('of track 7 on frame 1 at line 3')
  })
})

describe('a MOT import is refused', () => {
  test.each([
    ['1,1,1,2,3', '5 columns, expected 6 to 10 with commas between'],
    ['1 1 1 2 3 4', '1 columns, expected 6 to 10'],
    ['1,1,1,2,3,4,5,6,7,8,9', '11 columns'],
    ['0,1,1,2,3,4', 'frame_id is 0: frames are counted from 1, the file seems to count from 0'],
    ['7,1,1,2,3,4', 'frame_id is 7, there are 6 frames'],
    ['1.5,1,1,2,3,4', 'frame_id: "1.5" is no whole number'],
    ['1,a,1,2,3,4', 'track_id: "a" is no whole number'],
    ['1,1,,2,3,4', 'x: "" is no number'],
    ['1,1,1,NaN,3,4', 'y: "NaN" is no number'],
    ['1,1,1,2,Infinity,4', 'w: "Infinity" is no number'],
    ['1,1,1,2,3,1e9', 'h: "1e9" is no number within'],
    ['1,1,1,2,3,4,?', 'confidence: "?" is no number'],
    ['1,1,1,2,3,4,1,car', 'class_id: "car" is no number'],
    ['1,1,1,2,3,4,1,3,1', 'class_id is 3, labels.txt has 2 labels'],
    ['1,1,1,2,3,4,1,1,x', 'visibility: "x" is no number'],
  ])('for the row %s', async (row, message) => {
    const attempt = rows(`1,-1,1,2,3,4,1,1,1\n${row}\n`)
    await expect(attempt).rejects.toThrow(`gt/gt.txt: ${message}`)
    await expect(attempt).rejects.toThrow(/ at line 2$/)
  })

  test('for a label that the task does not have', async () => {
    const files = { 'gt/labels.txt': 'van', 'gt/gt.txt': '1,1,1,2,3,4,1,1,1' }
    await expect(imported(files)).rejects.toThrow("Label 'van' is not registered for this task")
  })

  test('for several sequences', async () => {
    const files = { 'b/gt/gt.txt': '', 'gt/gt.txt': '', 'a/det/det.txt': '' }
    await expect(imported(files)).rejects.toThrow('several sequences, expected one: ./, a/, b/')
  })

  test('for a file that is not text, for other archives, and for a file that is no archive', async () => {
    await expect(imported({ 'gt/gt.txt': Buffer.from([0xff, 0xfe]) })).rejects.toThrow(
      'gt/gt.txt: the text is not UTF-8',
    )
    await expect(imported({ 'gt.txt': '' })).rejects.toThrow(
      'no MOT annotations: expected gt/gt.txt',
    )
    await expect(importBytes(mot, '{}', target)).rejects.toThrow('expected a ZIP archive')
    const cut = (await zipOf({ ...names, 'gt/gt.txt': '1,1,1,2,3,4' })).subarray(0, 60)
    await expect(importBytes(mot, cut, target)).rejects.toThrow('archive is damaged')
  })
})

test('many rows are read as a stream', async () => {
  const count = 60_000
  const text = Array.from({ length: count }, (_, at) => `${(at % 6) + 1},-1,1,2,3,4,1,1,1\n`).join(
    '',
  )
  const { shapes, progress } = await rows(text)
  expect(shapes).toHaveLength(count)
  expect(progress.length).toBeGreaterThan(2)
  expect(progress.at(-1)).toBe(1)
})
