import { describe, expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { paletteColor } from '../image/colors.ts'
import { writeGrey16Png, writeRgbPng } from '../image/png.ts'
import { findImporter } from '../registry.ts'
import { createRun, framesOf, importBytes, labelOf, targetOf, zipOf } from '../testing/run.ts'
import { openMotDataset } from './mot/dataset.ts'

/** Archives that do not name their classes: an error states from which built-in table a missing name comes. */

const frames = framesOf(['a.png', 'b.png', 'c.png'], 4, 1)
const labelsOf = (...names: string[]) => names.map((name, at) => labelOf({ id: at + 1, name }))

async function imported(
  name: string,
  files: Record<string, string | Uint8Array>,
  labels: ReturnType<typeof labelsOf>,
) {
  const format = findImporter(name)
  if (!format) throw new Error(`no importer ${name}`)
  return importBytes(format, await zipOf(files), targetOf(labels, frames))
}

describe('MOT import without labels.txt', () => {
  const rows = (...classes: number[]) =>
    classes.map((id, at) => `${at + 1},${at + 1},1,2,30,40,1,${id},1\n`).join('')
  const mot = (text: string, ...names: string[]) =>
    imported('MOT 1.1', { 'gt/gt.txt': text }, labelsOf(...names))
  const official = /gt\/labels\.txt is not in the archive.* official classes of the MOT challenge/

  test('reads every class as the only label of the task and reports this', async () => {
    const { tracks, report } = await mot(rows(1, 2, 14), 'fish')
    expect(tracks.map(({ label_id }) => label_id)).toEqual([1, 1, 1])
    expect(report.entries).toMatchObject([
      {
        kind: 'converted',
        code: 'unlabelled',
        count: 3,
        reason:
          "there is no gt/labels.txt: every class is read as 'fish', the only label of the task",
      },
    ])
  })

  test('reads another class as the only label even if that label is an official name', async () => {
    const { tracks } = await mot(rows(1, 1), 'car')
    expect(tracks).toHaveLength(2)
  })

  test('reads official classes where the only label is one of them and in use', async () => {
    expect((await mot(rows(3, 3), 'car')).report.entries).toEqual([])
    await expect(mot(rows(3, 1), 'car')).rejects.toThrow(/^Label 'pedestrian' is not registered/)
    await expect(mot(rows(3, 1), 'car')).rejects.toThrow(official)
  })

  test('names the missing file when the task has several labels', async () => {
    await expect(mot(rows(1, 2), 'fish', 'shark')).rejects.toThrow(
      /^Labels 'pedestrian', 'person on vehicle' are not registered for this task; gt\/labels\.txt/,
    )
    await expect(mot(rows(1, 2), 'fish', 'shark')).rejects.toThrow(official)
  })

  test('names the missing file for a number beyond the official classes', async () => {
    await expect(mot(rows(14), 'fish', 'shark')).rejects.toThrow(
      'class_id is 14, there is no gt/labels.txt, and the MOT challenge has 13 labels',
    )
  })

  test('reads official classes that the task has as labels', async () => {
    const { tracks, report } = await mot(rows(1, 3), 'pedestrian', 'car')
    expect(tracks.map(({ label_id }) => label_id)).toEqual([1, 2])
    expect(report.entries).toEqual([])
  })

  test('reads rows without a class as the only label and reports nothing', async () => {
    const { shapes, report } = await mot('1,-1,1,2,3,4\n', 'fish')
    expect([shapes.length, report.entries]).toEqual([1, []])
  })
})

test.each(['gt/labels.txt', 'det/labels.txt', 'labels.txt'])('MOT reads %s', async (file) => {
  const files = { 'gt/gt.txt': '1,1,1,2,3,4,1,2,1\n', [file]: 'fish\nshark\n' }
  const { tracks } = await imported('MOT 1.1', files, labelsOf('fish', 'shark'))
  expect(tracks).toMatchObject([{ label_id: 2 }])
})

test('a MOT import into a project reports that label names come from the official table', async () => {
  const { run } = createRun()
  const files = { 'gt/gt.txt': '1,1,1,2,3,4,1,3,1\n', 'img1/000001.jpg': 'x' }
  const dataset = await openMotDataset(sourceOf(await zipOf(files)), run)
  expect(dataset.labels).toMatchObject([
    { name: 'car', origin: expect.stringContaining('gt/labels.txt is not in the archive') },
  ])
  expect(run.report.read().entries).toMatchObject([{ code: 'unlabelled', count: 1 }])
})

test('MOT with labels.txt names only the label of the file', async () => {
  const files = { 'gt/gt.txt': '1,1,1,2,3,4,1,1,1\n', 'gt/labels.txt': 'van\n' }
  await expect(imported('MOT 1.1', files, labelsOf('fish', 'shark'))).rejects.toThrow(
    /^Label 'van' is not registered for this task$/,
  )
})

const labelMap = /labelmap\.txt is not in the archive.* Pascal VOC data set/
const aeroplane = writeRgbPng(4, 1, [paletteColor(1), 0, 0, 0])

test.each(['Segmentation mask 1.1', 'Pascal VOC 1.1'])(
  '%s names the missing label map',
  async (name) => {
    const files = { 'SegmentationClass/a.png': aeroplane }
    await expect(imported(name, files, labelsOf('fish'))).rejects.toThrow(
      /^Label 'aeroplane' is not registered for this task/,
    )
    await expect(imported(name, files, labelsOf('fish'))).rejects.toThrow(labelMap)
    const declared = { ...files, 'labelmap.txt': 'van:128,0,0::\n' }
    await expect(imported(name, declared, labelsOf('fish'))).rejects.toThrow(
      /^Label 'van' is not registered for this task$/,
    )
  },
)

const colors = /label_colors\.txt is not in the archive.* KITTI data set/
const semantic = (value: number) => writeGrey16Png(4, 1, Uint16Array.of(value, 0, 0, 0))

test('KITTI names the missing colour list', async () => {
  const files = { 'semantic/a.png': semantic(26) }
  const labels = labelsOf('road')
  await expect(imported('KITTI 1.0', files, labels)).rejects.toThrow(
    /^Label 'car' is not registered for this task/,
  )
  await expect(imported('KITTI 1.0', files, labels)).rejects.toThrow(colors)
  const beyond = { 'semantic/a.png': semantic(99) }
  await expect(imported('KITTI 1.0', beyond, labels)).rejects.toThrow(colors)
  const declared = { ...files, 'label_colors.txt': '1 2 3 x\n' }
  await expect(imported('KITTI 1.0', declared, labels)).rejects.toThrow(
    'semantic/a.png: class 26 (1 pixels) is none of the 1 labels',
  )
})

test.each([
  [
    'Segmentation mask 1.1',
    { 'SegmentationClass/a.png': aeroplane, 'JPEGImages/a.png': 'x' },
    labelMap,
  ],
  ['Pascal VOC 1.1', { 'SegmentationClass/a.png': aeroplane, 'JPEGImages/a.png': 'x' }, labelMap],
  ['KITTI 1.0', { 'semantic/a.png': semantic(26), 'image_2/a.png': 'x' }, colors],
])('%s labels of an import into a project name their table', async (name, files, table) => {
  const bytes = await zipOf(files)
  const dataset = await findImporter(name)?.importer.openDataset?.(sourceOf(bytes), createRun().run)
  expect(dataset?.labels).toMatchObject([{ origin: expect.stringMatching(table) }])
})
