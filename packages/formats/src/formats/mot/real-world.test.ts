import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { Imported } from '../../model/dataset.ts'
import { expectReadOrRefused } from '../../testing/damage.ts'
import {
  createRun,
  framesOf,
  importBytes,
  labelOf,
  type NamedFiles,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { mot } from '../mot.ts'
import { openMotDataset } from './dataset.ts'

/** Archives of the MOT challenge through the years, and archives as users pack them. */

const info =
  '[Sequence]\r\nname=x\r\nimDir=img1\r\nframeRate=30\r\nseqLength=2\r\nimWidth=100\r\nimHeight=80\r\nimExt=.jpg\r\n'
const detections = '1,-1,1,1,5,5,-0.9,-1,-1,-1\n2,-1,1,1,5,5,0.9\n'

/** A sequence of two frames. */
const sequence = (root: string, truth: string | undefined): NamedFiles => ({
  [`${root}seqinfo.ini`]: info,
  [`${root}img1/000001.jpg`]: 'x',
  [`${root}img1/000002.jpg`]: 'x',
  [`${root}det/det.txt`]: detections,
  ...(truth === undefined ? {} : { [`${root}gt/gt.txt`]: truth }),
})

const of2015 =
  '1,1,10,10,20,20,1,-3.1,-1.5,0\n2,1,11,10,20,20,1,4,0.2,0\n1,2,50,10,9,9,1,-1,-1,-1\n'
const of2017 = '1,1,10,10,20,20,1,1,1\n2,1,11,10,20,20,1,1,0.5\n1,2,50,10,9,9,0,12,0.1\n'
const of2020 = '1,1,10,10,20,20,1,1,1\n2,3,11,10,20,20,0,13,1\n'

const paths = ['000001.jpg', '000002.jpg']
const countsOf = (all: Imported[]) => ({
  shapes: all.filter(({ kind }) => kind === 'shape').length,
  tracks: all.filter(({ kind }) => kind === 'track').length,
})

async function imported(files: NamedFiles, ...labels: string[]) {
  const known = labels.map((name, id) => labelOf({ id, name }))
  return importBytes(mot, await zipOf(files), targetOf(known, framesOf(paths)))
}

/** Returns the result of an import into a project without labels, by subset. */
async function opened(files: NamedFiles) {
  const { labels, subsets } = await openMotDataset(sourceOf(await zipOf(files)), createRun().run)
  const known = labels.map(({ name }, id) => labelOf({ id, name }))
  const found: Record<string, object> = {}
  for (const { name, images, importAnnotations } of subsets) {
    const all: Imported[] = []
    const target = targetOf(known, framesOf(images.map((image) => image.name)))
    for await (const one of importAnnotations(target, createRun().run)) all.push(one)
    found[name] = { images: images.length, ...countsOf(all) }
  }
  return { labels: labels.map(({ name }) => name), found }
}

const both = { images: 2, shapes: 0, tracks: 2 }

test.each<[string, NamedFiles, string[], Record<string, object>]>([
  ['2D MOT 2015', sequence('TUD/', of2015), ['pedestrian'], { TUD: both }],
  [
    'MOT17, each sequence with three detectors',
    {
      ...sequence('MOT17/train/MOT17-02-DPM/', of2017),
      ...sequence('MOT17/train/MOT17-02-FRCNN/', of2017),
      ...sequence('MOT17/train/MOT17-02-SDP/', of2017),
    },
    ['pedestrian', 'reflection'],
    { 'MOT17-02-DPM': both, 'MOT17-02-FRCNN': both, 'MOT17-02-SDP': both },
  ],
  [
    'MOT20, which has crowds',
    sequence('MOT20-01/', of2020),
    ['pedestrian', 'crowd'],
    { 'MOT20-01': both },
  ],
  [
    'DanceTrack',
    {
      ...sequence('dancetrack/train/dancetrack0001/', '1,1,10,10,20,20,1,1,1\n'),
      'dancetrack/train_seqmap.txt': 'name\ndancetrack0001\n',
    },
    ['pedestrian'],
    { dancetrack0001: { images: 2, shapes: 0, tracks: 1 } },
  ],
  [
    'detections alone, of sequences for tests',
    sequence('MOT17-01-SDP/', undefined),
    ['pedestrian'],
    { 'MOT17-01-SDP': { images: 2, shapes: 2, tracks: 0 } },
  ],
  [
    'an empty line among the labels',
    { ...sequence('x/', '1,1,1,1,5,5,1,3,1\r\n'), 'x/gt/labels.txt': 'car\r\n\r\nman\r\n' },
    ['car', 'man'],
    { x: { images: 2, shapes: 0, tracks: 1 } },
  ],
  [
    'what macOS adds',
    {
      ...sequence('s/', of2017),
      '__MACOSX/s/gt/._gt.txt': Buffer.from([0, 0xff]),
      's/gt/._gt.txt': Buffer.from([0, 0xff]),
    },
    ['pedestrian', 'reflection'],
    { s: both },
  ],
])('a project is created from %s', async (_, files, labels, found) => {
  expect(await opened(files)).toEqual({ labels, found })
})

describe('a MOT import into a task', () => {
  test('reads one sequence', async () => {
    const { tracks, report } = await imported(
      sequence('MOT17-02-SDP/', of2017),
      ...['pedestrian', 'reflection'],
    )
    expect(tracks.map(({ shapes }) => shapes.length)).toEqual([2, 2])
    expect(report.entries.map(({ code }) => code)).not.toContain('ignored-file')
  })

  test('does not read world coordinates as classes, even whole numbers', async () => {
    const rows = '1,1,10,10,20,20,1,2,6.2,0\n2,1,10,10,20,20,1,2,0.5,0\n'
    const { tracks, report } = await imported(sequence('', rows), 'car', 'pedestrian')
    expect(tracks).toEqual([])
    expect(report.entries).toMatchObject([{ code: 'unlabelled', count: 2 }])
  })

  test('reads the class in rows of ten columns if the last ones are whole numbers or empty', async () => {
    const rows = '1,1,10,10,20,20,1,3,1,0\n1,2,10,10,20,20,1,3,0.5,\n'
    const { tracks } = await imported(sequence('', rows), 'car')
    expect(tracks.map(({ label_id }) => label_id)).toEqual([0, 0])
  })

  test.each<[string, NamedFiles, string]>([
    [
      'several sequences',
      { ...sequence('a/', of2017), ...sequence('b/', of2017) },
      'several sequences, expected one: a/, b/',
    ],
    [
      'SportsMOT as it is published',
      sequence('sportsmot_publish/dataset/train/v_1/', of2017),
      'expected gt/gt.txt, in 3 folders',
    ],
    ['a sequence too deep', sequence('a/b/c/d/', of2017), 'expected gt/gt.txt, in 3 folders'],
    [
      'a part of the truth alone',
      { 's/gt/gt_train_half.txt': of2017 },
      'no MOT annotations: expected gt/gt',
    ],
    ['rows of a tracker alone', { 'MOT17-02.txt': of2017 }, 'no MOT annotations: expected gt/gt'],
    ['a header', sequence('', `frame,id,x,y,w,h\n${of2017}`), 'gt/gt.txt: x: "x" is no number'],
    ['semicolons', sequence('', of2017.replaceAll(',', ';')), 'gt/gt.txt: 1 columns, expected 6'],
    ['frames from 0', sequence('', '0,1,1,1,5,5,1,1,1'), 'frame_id is 0: frames are counted from'],
    [
      'frames beyond',
      sequence('', '99999999999,1,1,1,5,5'),
      'frame_id is 99999999999, there are 2',
    ],
    ['an id beyond numbers', sequence('', `1,${'9'.repeat(20)},1,1,5,5`), 'is no whole number'],
    ['an endless box', sequence('', '1,1,1,1,1e999,5'), 'gt/gt.txt: w: "1e999" is no number'],
    [
      'another class',
      sequence('', '1,1,1,1,5,5,1,14,1'),
      'class_id is 14, there is no gt/labels.txt, and the MOT challenge has 13',
    ],
  ])('refuses %s', async (_, files, message) => {
    await expect(imported(files, 'pedestrian', 'reflection')).rejects.toThrow(message)
  })
})

test('an archive with random damage is imported or refused with a FormatError', async () => {
  const known = ['pedestrian', 'reflection'].map((name, id) => labelOf({ id, name }))
  const rows = of2017.replace(',12,', ',2,')
  const files = { ...sequence('s/', rows), 's/gt/labels.txt': 'pedestrian\nreflection' }
  await expectReadOrRefused(mot, files, targetOf(known, framesOf(paths)))
})
