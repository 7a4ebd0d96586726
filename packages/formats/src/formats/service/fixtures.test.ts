import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type {
  DatasetLabel,
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  Format,
} from '../../model/dataset.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  targetOf,
  textsOf,
} from '../../testing/run.ts'
import { service, serviceForImages, serviceForVideo } from '../service.ts'

const fixtures = new URL('../../../../../../shared/fixtures/', import.meta.url)
const hasFixtures = existsSync(fixtures)
const read = (path: string): Buffer => readFileSync(new URL(path, fixtures))

const points = (skeleton: string, names: string[], id: number): DatasetLabel =>
  labelOf({
    id,
    name: skeleton,
    type: 'skeleton',
    sublabels: names.map((name, index) => labelOf({ id: id + 1 + index, name })),
  })
const spec = (id: number, name: string, mutable = false) => {
  return { id, name, mutable, input_type: 'text', values: [], default_value: '' }
}

describe.skipIf(!hasFixtures)('files of another tool in ../shared/fixtures', () => {
  test.each(['dm_cvat_for_images.zip', 'dm_cvat_for_images_bare.xml'])('%s', async (name) => {
    const attributes = ['a1', 'a2', 'a3', 'a4'].map((one, index) => spec(index + 1, one))
    const labels = [
      labelOf({ id: 1, name: 'label1', attributes }),
      labelOf({ id: 2, name: 'label2' }),
      points('skeleton', ['1', '2', '3', '4'], 10),
    ]
    const frames = [
      { frame: 0, path: 'img0.jpg', width: 8, height: 8 },
      { frame: 1, path: 'img1.jpg', width: 10, height: 10 },
    ]
    const { shapes, report } = await importBytes(
      service,
      read(`formats/native/${name}`),
      targetOf(labels, frames),
    )
    expect(shapes).toMatchObject([
      {
        type: 'rectangle',
        frame: 0,
        points: [0, 2, 4, 4],
        occluded: true,
        z_order: 1,
        attributes: ['true', 'v3', '0003', '2.4'].map((value, index) => ({
          spec_id: index + 1,
          value,
        })),
      },
      {
        type: 'skeleton',
        frame: 0,
        elements: [{ outside: true, points: [1, 1] }, {}, {}, { points: [4, 4] }],
      },
      { type: 'points', frame: 1, points: [1, 2, 3, 4, 5, 6], z_order: 2, label_id: 2 },
      { type: 'skeleton', frame: 1, elements: [{}, {}, { outside: true, label_id: 13 }, {}] },
    ])
    expect(report.entries).toMatchObject([{ code: 'unlabelled', count: 2 }])
  })

  test('tracks inside tracks are imported', async () => {
    const labels = [
      labelOf({ id: 1, name: 'klhg', attributes: [spec(5, 'hgl', true)] }),
      labelOf({ id: 2, name: 'II' }),
      points('skeleton', ['1', '2', '3', '4'], 10),
    ]
    const paths = ['10', '13', '16', '19'].map((number) => `frame_0000${number}`)
    const target = targetOf(labels, framesOf(paths, 25, 20))
    const into = { ...target, frames: { ...target.frames, start_frame: 10, step: 3 } }
    const bytes = read('formats/native/dm_cvat_for_video_nested_tracks.zip')
    const { tracks, report } = await importBytes(service, bytes, into)
    const framesAndFlags = (track: DatasetTrack) =>
      track.shapes.map(({ frame, outside }) => `${frame}${outside ? '-' : '+'}`).join()
    expect(tracks.map(framesAndFlags)).toEqual(['0+,1-,2-', '0+,1-', '1+,2-', '0+'])
    expect(tracks[1]?.shapes.map(({ attributes }) => attributes[0]?.value)).toEqual(['hgkf', 'jk'])
    expect(tracks[3]?.elements.map(framesAndFlags)).toEqual(['0+', '0+', '0+,1-', '0+'])
    expect(report.entries).toEqual([])
  })
})

describe.skipIf(!hasFixtures)('the de-facto standard in ../shared/fixtures/exports', () => {
  interface Facts {
    labels: DatasetLabel[]
    tasks: Record<
      string,
      {
        size: number
        annotations: { tags: DatasetTag[]; shapes: DatasetShape[]; tracks: DatasetTrack[] }
      }
    >
  }
  const facts: Facts = hasFixtures
    ? JSON.parse(read('exports/facts.json').toString())
    : { labels: [], tasks: {} }
  const labels = facts.labels
    .toSorted((a, b) => a.id - b.id)
    .map((label) => ({
      ...label,
      sublabels: label.sublabels.map((part) => ({ ...part, sublabels: [] })),
    }))
  const framesOfTask = (size: number) =>
    framesOf(
      Array.from({ length: size }, (_, index) => `street_${String(index).padStart(3, '0')}.jpg`),
      320,
      240,
    )
  const annotationsOf = (name: string) => {
    const task = facts.tasks[name]
    const { tags = [], shapes = [], tracks = [] } = task?.annotations ?? {}
    const byFrame = <T extends { frame: number }>(all: T[]): T[] =>
      all.toSorted((a, b) => a.frame - b.frame)
    return {
      frames: framesOfTask(task?.size ?? 0),
      streams: {
        tags: byFrame(tags),
        shapes: byFrame(shapes.map(ellipseOfOurs)),
        tracks: byFrame(tracks.map(withKeyframes)),
      },
    }
  }
  const bodyOf = (text: string) => text.slice(text.indexOf('</meta>'))
  const shapesTask = 'Batch 1: shapes'
  const tracksTask = 'Batch 2: tracks'

  const theirs = async (file: string) =>
    bodyOf((await textsOf(read(`exports/${file}`)))['annotations.xml'] ?? '')
  const ours = async ({ exporter }: Format, task: string, deleted: number[] = []) => {
    const { frames, streams } = annotationsOf(task)
    const dataset = datasetOf(labels, frames, streams)
    const shown = frames.filter(({ frame }) => !deleted.includes(frame))
    const parts = datasetOf(labels, shown, streams).subsets.map((subset) => ({
      ...subset,
      parts: subset.parts.map((part) => ({
        ...part,
        about: { ...part.about, stop_frame: frames.length - 1 },
        deletedFrames: new Set(deleted),
      })),
    }))
    const { files } = await exportBytes(exporter, { ...dataset, subsets: parts })
    return bodyOf(files['annotations.xml'] ?? '')
  }

  test('the export of shapes equals the CVAT export byte by byte', async () => {
    const file = inOrderOfPoints(await theirs('cvat_for_images_1.1.shapes.zip'))
    expect(inOrderOfPoints(await ours(serviceForImages, shapesTask))).toBe(file)
    expect(inOrderOfPoints(await ours(service, shapesTask))).toBe(file)
  })

  test('the export of tracks equals the CVAT export byte by byte, except for the order of attributes', async () => {
    const file = sortedAttributes(await theirs('cvat_for_images_1.1.tracks.zip'))
    expect(sortedAttributes(await ours(serviceForImages, tracksTask, [17]))).toBe(file)
    const video = sortedAttributes(await theirs('cvat_for_video_1.1.tracks.zip'))
    expect(sortedAttributes(await ours(serviceForVideo, tracksTask, [17]))).toBe(video)
  })

  test('shapes as tracks equal the CVAT export', async () => {
    const file = inOrderOfPoints(await theirs('cvat_for_video_1.1.shapes.zip'))
    expect(inOrderOfPoints(await ours(serviceForVideo, shapesTask))).toBe(file)
  })

  test('a CVAT export of shapes is imported with the stored annotations', async () => {
    const { frames, streams } = annotationsOf(shapesTask)
    const target = targetOf(labels, frames)
    const { imported, report } = await importBytes(
      service,
      read('exports/cvat_for_images_1.1.shapes.zip'),
      target,
    )
    const shapes = imported.flatMap((one) => (one.kind === 'shape' ? [one.shape] : []))
    const known = (all: DatasetShape[]) =>
      all
        .map(
          ({
            type,
            frame,
            points,
            occluded,
            rotation,
            z_order,
            group,
            label_id,
            attributes,
            elements,
          }) => {
            const parts = elements.map(({ label_id, points, outside, occluded }) => ({
              label_id,
              points,
              outside,
              occluded,
            }))
            return JSON.stringify({
              type,
              frame,
              points,
              occluded: type !== 'skeleton' && occluded,
              rotation,
              z_order,
              group,
              label_id,
              attributes: sortedValues(attributes),
              parts: parts.sort((a, b) => a.label_id - b.label_id),
            })
          },
        )
        .sort()
    expect(known(shapes)).toEqual(known([...streams.shapes]))
    expect(report).toMatchObject({ created: { tags: streams.tags.length }, entries: [] })
  })

  test('a CVAT export of tracks is imported, except for keyframes on deleted frames', async () => {
    const { frames, streams } = annotationsOf(tracksTask)
    const bytes = read('exports/cvat_for_video_1.1.tracks.zip')
    const { tracks, report } = await importBytes(service, bytes, targetOf(labels, frames))
    const known = (all: readonly DatasetTrack[]) =>
      all.map(({ label_id, group, shapes }) => ({
        label_id,
        group,
        shapes: shapes
          .filter(({ frame }) => frame !== 17)
          .map(({ frame, type, points, occluded, outside }) => ({
            frame,
            type,
            points,
            occluded,
            outside,
          })),
      }))
    expect(known(tracks.slice(0, 2))).toEqual(known(streams.tracks))
    expect(report.entries).toEqual([])
  })
})

// ---- helpers

const sortedValues = (all: DatasetShape['attributes']) =>
  all.toSorted((a, b) => a.spec_id - b.spec_id)

/** CVAT stores only keyframes as shapes of a track. */
function withKeyframes(track: DatasetTrack): DatasetTrack {
  return { ...track, shapes: track.shapes.map((shape) => ({ ...shape, keyframe: true })) }
}

/** Converts an ellipse of CVAT, which stores the centre, the right x and the top y. */
function ellipseOfOurs(shape: DatasetShape): DatasetShape {
  const [cx = 0, cy = 0, right = 0, top = 0] = shape.points
  return shape.type === 'ellipse' ? { ...shape, points: [cx, cy, right - cx, cy - top] } : shape
}

/** Sorts skeleton elements: CVAT writes them as stored, this export in the order of the label. */
function inOrderOfPoints(text: string): string {
  return text.replace(/( {6}<points label[^>]*>\n {6}<\/points>\n)+/g, (block) => {
    return `${block
      .split(/(?<=<\/points>\n)/)
      .sort()
      .join('')}`
  })
}

function sortedAttributes(text: string): string {
  return text.replace(/( {6}<attribute [^\n]*\n)+/g, (block) =>
    block
      .split(/(?<=\n)/)
      .sort()
      .join(''),
  )
}
