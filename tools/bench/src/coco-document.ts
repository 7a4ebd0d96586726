import { annotationPieces } from './shapes.ts'
import { pictureName } from './task.ts'

/** Generates a COCO document with the shapes of `annotationPieces`, on the frames of `makeTask`, in pieces. */
export function* cocoPieces(given: { count: number; frames: number }): Generator<string> {
  const { count, frames } = given
  yield '{"categories":[{"id":1,"name":"car"}],"images":['
  for (let id = 0; id < frames; id++) {
    const image = { id, file_name: pictureName(id), ...size }
    yield `${id === 0 ? '' : ','}${JSON.stringify(image)}`
  }
  yield '],"annotations":['
  let id = 0
  for (const piece of annotationPieces({ labelId: 1, count, frames, side: 200 })) {
    const text = piece.startsWith(',') ? piece.slice(1) : piece
    if (!text.startsWith('{"type"')) continue // text before and after the shapes
    yield `${id === 0 ? '' : ','}${JSON.stringify(annotationOf(JSON.parse(text), id))}`
    id += 1
  }
  yield ']}'
}

const size = { width: 1920, height: 1080 }

interface Shape {
  type: string
  frame: number
  points: number[]
}

function annotationOf({ type, frame: image_id, points }: Shape, id: number) {
  const [x = 0, y = 0, right = 0, bottom = 0] = points
  const common = { id, image_id, category_id: 1, iscrowd: 0, attributes: { occluded: false } }
  if (type === 'rectangle')
    return { ...common, segmentation: [], bbox: [x, y, right - x, bottom - y] }
  if (type === 'polygon') return { ...common, segmentation: [points] }
  return { ...common, iscrowd: 1, segmentation: boxRuns(points.slice(-4)) }
}

/** Run lengths of a rectangular mask, column by column. */
function boxRuns([left = 0, top = 0, right = 0, bottom = 0]: number[]) {
  const { width, height } = size
  const [rows, columns] = [bottom - top + 1, right - left + 1]
  const counts = [left * height + top, rows]
  for (let column = 1; column < columns; column++) counts.push(height - rows, rows)
  counts.push(width * height - counts.reduce((sum, run) => sum + run, 0))
  return { counts, size: [height, width] }
}
