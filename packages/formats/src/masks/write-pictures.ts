import type { ArchiveFile } from '../archive/zip-writer.ts'
import { paletteColor } from '../colors.ts'
import { writeRgbPng } from '../image/png.ts'
import type { ItemFrame } from '../model.ts'
import type { MaskInstance } from './instances.ts'
import { paint } from './paint.ts'

/**
 * Instances as two pictures (spec/formats.md 10.1, 11.1): in the colours of their labels, and each in one of its own. None where there
 * are no instances.
 * @param colorOf of a label by its name
 */
export function* classAndObjectFiles(
  id: string,
  instances: readonly MaskInstance[],
  { width, height }: ItemFrame,
  colorOf: (label: string) => number,
): Generator<ArchiveFile> {
  if (instances.length === 0) return
  const picture = (valueFor: (instance: MaskInstance, index: number) => number): Uint8Array => {
    const raster = paint(new Uint32Array(width * height), instances, { width, height }, valueFor)
    return writeRgbPng(width, height, raster)
  }
  const classes = picture(({ label }) => colorOf(label.name))
  yield { path: `SegmentationClass/${id}.png`, content: classes }
  const objects = picture((_, index) => paletteColor(index + 1))
  yield { path: `SegmentationObject/${id}.png`, content: objects }
}
