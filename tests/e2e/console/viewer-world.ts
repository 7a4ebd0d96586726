import sharp from 'sharp'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { createImages, type ImageFile } from '../../support/pictures.ts'
import type { ServerUnderTest } from '../../support/reticle.ts'

/** Sides in pixels of the images drawn here. */
export const [width, height] = [200, 150]
export const ground = '#404040'
/** A white square of the image, covered exactly by the mask. */
export const square = { left: 20, top: 90, width: 12, height: 8 }

export const colours = {
  ...{ car: '#ff0000', road: '#00ff00', lane: '#0000ff', spot: '#ffff00', egg: '#ff00ff' },
  ...{ crate: '#00ffff', stain: '#ff8000', bus: '#8000ff', sunny: '#80ff00', hostile: '#123456' },
  ...{ person: '#ffffff', head: '#ff0080', foot: '#0080ff' },
}
export type Name = keyof typeof colours
export const hostile = '<img src=x onerror="alert(1)">'

/** Rows of the mask: the whole square except its second pixel and the last one of its third row. */
export const maskRows = () =>
  Array.from({ length: square.height }, (_, row) =>
    Array.from({ length: square.width }, (_, column) =>
      Number(!(row === 0 && column === 1) && !(row === 2 && column === square.width - 1)),
    ),
  )

function maskPoints(): number[] {
  const runs: number[] = []
  let value = 0
  for (const pixel of maskRows().flat()) {
    if (runs.length === 0 || pixel !== value) {
      if (runs.length === 0 && pixel === 1) runs.push(0)
      runs.push(0)
      value = pixel
    }
    runs.push((runs.pop() ?? 0) + 1)
  }
  const { left, top } = square
  return [...runs, left, top, left + square.width - 1, top + square.height - 1]
}

async function drawnPicture(name: string): Promise<ImageFile> {
  const white = await sharp({ create: { ...square, channels: 3, background: '#ffffff' } })
    .png()
    .toBuffer()
  const bytes = await sharp({ create: { width, height, channels: 3, background: ground } })
    .composite([{ input: white, left: square.left, top: square.top }])
    .png()
    .toBuffer()
  return { name, bytes }
}

const node = (id: number, name: string) =>
  `<circle r="1.5" cx="40" cy="${20 * id}" data-type="element node" data-element-id="${id}" data-node-id="${id}" data-label-name="${name}"></circle>`
const svg = `<line x1="40" y1="20" x2="40" y2="40" data-type="edge" data-node-from="1" data-node-to="2"></line>${node(1, 'head')}${node(2, 'foot')}`

/**
 * Creates a task of four frames in two jobs, the last frame deleted. The first frame has every kind of shape, and a
 * track covers three frames.
 */
export async function drawnTask({ admin }: ServerUnderTest): Promise<AnyJson> {
  const label = (name: Name, more: AnyJson = {}) => ({ name, color: colours[name], ...more })
  const note = { name: 'note', input_type: 'text', mutable: true, default_value: '', values: [] }
  const sublabels = [label('head', { type: 'points' }), label('foot', { type: 'points' })]
  const plain = ['car', 'road', 'lane', 'spot', 'egg', 'crate', 'stain', 'bus', 'sunny'] as const
  const labels = [
    ...plain.map((name) => label(name)),
    label('hostile', { attributes: [note] }),
    label('person', { type: 'skeleton', sublabels, svg }),
  ]
  const files = await Promise.all([0, 1, 2, 3].map((index) => drawnPicture(`frame-${index}.png`)))
  const task = await taskWithMedia(admin, { files, labels, segment_size: 3 })
  await annotate(admin, task)
  const [, job] = await jobsOf(admin, task.id)
  await admin.done('PATCH', `/tasks/${task.id}/data/meta`, { json: { deleted_frames: [3] } })
  await admin.done('POST', '/issues', {
    json: { job: job.id, frame: 3, position: [50, 50, 80, 80], message: 'Is this one?' },
  })
  return task
}

async function annotate(admin: ServerUnderTest['admin'], task: AnyJson): Promise<void> {
  const all: AnyJson[] = task.labels.flatMap((label: AnyJson) => [label, ...label.sublabels])
  const labelOf = (name: Name) => all.find((label) => label.name === name)
  const of = (name: Name, type: string, points: number[], more: AnyJson = {}) => ({
    ...{ label_id: labelOf(name).id, type, frame: 0, points },
    ...more,
  })
  const note = { spec_id: labelOf('hostile').attributes[0].id, value: hostile }
  const crate = [160, 15, 160, 35, 180, 15, 180, 35, 190, 10, 190, 30, 170, 10, 170, 30]
  const shapes = [
    of('car', 'rectangle', [10, 10, 40, 30]),
    of('car', 'rectangle', [60, 20, 90, 26], { rotation: 90, occluded: true }),
    of('road', 'polygon', [110, 10, 150, 10, 130, 40]),
    of('lane', 'polyline', [10, 60, 61, 60]),
    of('spot', 'points', [80, 60, 90, 60]),
    of('egg', 'ellipse', [130, 70, 20, 10], { rotation: 90 }),
    of('crate', 'cuboid', crate),
    of('stain', 'mask', maskPoints()),
    of('hostile', 'rectangle', [150, 110, 190, 140], { attributes: [note], source: 'semi-auto' }),
    of('person', 'skeleton', [], {
      elements: [of('head', 'points', [60, 80]), of('foot', 'points', [60, 120])],
    }),
  ]
  const position = (frame: number, left: number, outside = false) => ({
    ...{ type: 'rectangle', frame, points: [left, 100, left + 10, 110], outside },
  })
  const track = {
    ...{ label_id: labelOf('bus').id, frame: 0 },
    shapes: [position(0, 100), position(2, 120), position(3, 120, true)],
  }
  const tag = { label_id: labelOf('sunny').id, frame: 0 }
  const json = { tags: [tag], shapes, tracks: [track] }
  await admin.done('PUT', `/tasks/${task.id}/annotations/`, { json })
}

/**
 * Creates a frame with 10,000 shapes of eight labels: a third are polygons of 24 corners, and every tenth shape is
 * occluded.
 */
export async function crowdedTask({ admin }: ServerUnderTest): Promise<AnyJson> {
  const shades = [
    '#e6194b',
    '#3cb44b',
    '#ffe119',
    '#4363d8',
    '#f58231',
    '#911eb4',
    '#46f0f0',
    '#f032e6',
  ]
  const labels = shades.map((color, index) => ({ name: `label ${index}`, color }))
  const task = await taskWithMedia(admin, { files: await createImages(1, 1280, 800), labels })
  const shapes = Array.from({ length: 10_000 }, (_, index) => {
    const [x, y, size] = [(index * 137) % 1240, (index * 71) % 760, 6 + (index % 35)]
    const corners = Array.from({ length: 24 }, (_, corner) => {
      const angle = (corner / 24) * 2 * Math.PI
      const radius = (size / 2) * (corner % 2 ? 0.7 : 1)
      return [x + size / 2 + radius * Math.cos(angle), y + size / 2 + radius * Math.sin(angle)]
    })
    const isPolygon = index % 3 === 0
    return {
      ...{ label_id: task.labels[index % 8].id, frame: 0, occluded: index % 10 === 0 },
      type: isPolygon ? 'polygon' : 'rectangle',
      points: isPolygon ? corners.flat() : [x, y, x + size, y + size],
    }
  })
  await admin.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
  return task
}
