/** Capabilities of the native layouts, and reports of values that they round. */
import { carriesAll, featuresOf } from '../../exporting/losses.ts'
import type { ConversionRun, DatasetTrack, Exporter, ItemShape } from '../../model/dataset.ts'
import { isExact } from './written-number.ts'

/** Layouts of `Service 1.1`, `Service for images 1.1` and `Service for video 1.1`. */
export type ServiceLayout = 'combined' | 'images' | 'video'

interface About extends Pick<Exporter, 'carries' | 'features'> {
  name: string
}

const features = featuresOf('kept', { score: 'dropped' })

export const layouts: Readonly<Record<ServiceLayout, About>> = {
  combined: { name: 'Service 1.1', carries: carriesAll(), features },
  images: {
    name: 'Service for images 1.1',
    carries: carriesAll(),
    features: { ...features, tracks: 'converted' },
  },
  video: { name: 'Service for video 1.1', carries: carriesAll({ tag: 'dropped' }), features },
}

/** Reports a shape whose coordinates have more than two decimals. */
export function noteRoundedShape(shape: ItemShape, item: string, run: ConversionRun): void {
  if (isRounded(shape) || shape.elements.some(isRounded)) noteRounded(item, run)
}

export function noteRoundedTrack(track: DatasetTrack, id: number, run: ConversionRun): void {
  const parts = [track, ...track.elements]
  if (parts.some(({ shapes }) => shapes.some(isRounded))) noteRounded(`track ${id}`, run)
}

function noteRounded(item: string, { report }: ConversionRun): void {
  report.note('converted', 'rounded', 'coordinates are written with two decimals', { item })
}

interface Place {
  points: readonly number[]
  rotation: number
}

function isRounded({ points, rotation }: Place): boolean {
  return !isExact(rotation) || !points.every(isExact)
}
