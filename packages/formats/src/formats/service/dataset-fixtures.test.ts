import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../archive/source.ts'
import type { DatasetLabel, FileDataset } from '../../model/dataset.ts'
import type { FileLabel } from '../../model/file-labels.ts'
import {
  collectAll,
  createRun,
  framesOf,
  importBytes,
  membersOf,
  targetOf,
  zipOf,
} from '../../testing/run.ts'
import { service } from '../service.ts'
import { openServiceDataset } from './dataset.ts'

/** Archives of other tools in the shared fixtures, imported into a project. */

const fixtures = new URL('../../../../../../shared/fixtures/', import.meta.url)
const read = (path: string): Buffer => readFileSync(new URL(path, fixtures))
const opened = (bytes: Uint8Array) => openServiceDataset(sourceOf(bytes), createRun().run)

/** Labels with ids as a project would assign them. */
function numbered(labels: readonly FileLabel[]): DatasetLabel[] {
  let id = 0
  const next = () => {
    id += 1
    return id
  }
  const number = ({ sublabels = [], ...label }: FileLabel): DatasetLabel => ({
    type: 'any',
    ...label,
    id: next(),
    attributes: label.attributes.map((one) => ({ default_value: '', ...one, id: next() })),
    sublabels: sublabels.map(number),
  })
  return labels.map(number)
}

async function everything({ labels, subsets }: FileDataset) {
  const [subset] = subsets
  if (!subset || subsets.length > 1) throw new Error('one subset')
  const target = targetOf(
    numbered(labels),
    framesOf(
      subset.images.map(({ name }) => name),
      320,
      240,
    ),
  )
  const { run } = createRun()
  const found = await collectAll(subset.importAnnotations(target, run))
  return { target, subset, found, report: run.report.read() }
}

describe.skipIf(!existsSync(fixtures))('of another tool', () => {
  test('a document with a name of its own is imported with its images', async () => {
    const dataset = await opened(read('formats/native/dm_cvat_for_images.zip'))
    const { subset, found, report } = await everything(dataset)
    expect(subset).toMatchObject({
      name: 'default',
      images: ['img0.jpg', 'img1.jpg'].map((name) => ({ name, member: `images/${name}` })),
    })
    const [label1, label2, skeleton] = dataset.labels
    expect(
      label1?.attributes.map(({ name, input_type, values }) => [name, input_type, values]),
    ).toEqual([
      ['a1', 'checkbox', ['false true']],
      ['a2', 'radio', ['v1', 'v2', 'v3']],
      ['a3', 'text', ['0001 0002 0003']],
      ['a4', 'text', ['2.4 1 -5.6']],
    ])
    expect(label2).toEqual({ name: 'label2', type: 'any', attributes: [] })
    expect(skeleton).toMatchObject({ type: 'skeleton', color: '#0c81b5' })
    expect(skeleton?.sublabels?.map(({ name, color }) => `${name} ${color}`)).toEqual([
      '1 #d12345',
      '2 #350dea',
      '3 #479ffe',
      '4 #4a649f',
    ])
    expect(skeleton?.svg?.match(/<circle/g)).toHaveLength(4)
    expect(found.map((one) => one.kind === 'shape' && [one.shape.frame, one.shape.type])).toEqual([
      [0, 'rectangle'],
      [0, 'skeleton'],
      [1, 'points'],
      [1, 'skeleton'],
    ])
    expect(report).toMatchObject({
      skipped: 2,
      entries: [
        { code: 'other-size', count: 2 },
        { code: 'unlabelled', count: 2 },
      ],
    })
  })

  test('a document without an archive is refused', async () => {
    const bare = opened(read('formats/native/dm_cvat_for_images_bare.xml'))
    await expect(bare).rejects.toThrow('media is required')
  })

  test('a video without its last frames is imported', async () => {
    const dataset = await opened(read('formats/native/dm_cvat_for_video_nested_tracks.zip'))
    const { subset, found } = await everything(dataset)
    expect(subset.images.map(({ name }) => name)).toEqual(['frame_000010.png', 'frame_000013.png'])
    expect(dataset.labels.map(({ name }) => name)).toEqual(['klhg', 'z U k', 'II', 'skeleton'])
    expect(dataset.labels[0]?.attributes).toEqual([
      {
        name: 'hgl',
        input_type: 'select',
        mutable: true,
        values: ['jk', 'hgkf'],
        default_value: 'jk',
      },
    ])
    const places = found.map((one) =>
      one.kind === 'track'
        ? one.track.shapes.map(({ frame, outside }) => `${frame}${outside ? '-' : '+'}`).join()
        : '',
    )
    expect(places).toEqual(['0+,1-', '0+,1-', '1+', '0+'])
  })
})

describe.skipIf(!existsSync(fixtures))('of the de-facto standard', () => {
  const files = ['images_1.1.shapes', 'images_1.1.tracks', 'video_1.1.shapes', 'video_1.1.tracks']

  test.each(files)('%s is refused without images', async (file) => {
    await expect(opened(read(`exports/cvat_for_${file}.zip`))).rejects.toThrow('media is required')
  })

  test.each(files)('%s with images equals an import into a task', async (file) => {
    const members = await membersOf(read(`exports/cvat_for_${file}.zip`))
    const size = file.endsWith('shapes') ? 8 : 20
    const deleted = file.endsWith('shapes') ? -1 : 17
    const names = Array.from({ length: size }, (_, index) => index)
      .filter((index) => index !== deleted)
      .map((index) => `street_${String(index).padStart(3, '0')}.jpg`)
    const pictures = names.map((name): [string, string] => [`images/${name}`, 'x'])
    const dataset = await opened(await zipOf({ ...members, ...Object.fromEntries(pictures) }))
    const { subset, target, found, report } = await everything(dataset)
    expect(subset).toMatchObject({ name: file.endsWith('shapes') ? 'Train' : 'Validation' })
    expect(subset.images.map(({ name }) => name)).toEqual(names)
    expect(report.entries).toEqual([])
    const { labels } = JSON.parse(read('exports/facts.json').toString()) as {
      labels: DatasetLabel[]
    }
    expect(named(dataset.labels)).toEqual(named(labels.toSorted((a, b) => a.id - b.id)))
    // In a task without the deleted frame, the frame numbers of tracks would refer to other frames.
    if (file === 'video_1.1.tracks') return
    const { imported } = await importBytes(service, members['annotations.xml'] ?? '', target)
    expect(found).toEqual(imported)
  })
})

/** Comparable names and properties of labels. */
const named = (labels: readonly (DatasetLabel | FileLabel)[]): unknown =>
  labels.map(({ name, type, color, attributes, sublabels }) => ({
    name,
    type,
    color,
    attributes: attributes.map(({ name, mutable, input_type, values, default_value }) => {
      // CVAT stores an empty list as a list with an empty text.
      return { name, mutable, input_type, values: values.filter(Boolean), default_value }
    }),
    sublabels: (sublabels ?? []).map(({ name, color }) => ({ name, color })),
  }))
