import type { ArchiveFile } from '../archive/zip-writer.ts'
import { paletteColor } from '../image/colors.ts'
import { writeRgbPng } from '../image/png.ts'
import type { ItemFrame } from '../model/dataset.ts'
import type { MaskInstance } from './instances.ts'
import { paintInstances } from './paint.ts'

/**
 * Yields two images of instances: one in label colours, and one with a different colour for each instance. Yields
 * nothing without instances.
 * @param colorOf Returns the colour of a label by name.
 */
export function* classAndObjectFiles(
  id: string,
  instances: readonly MaskInstance[],
  { width, height }: ItemFrame,
  colorOf: (label: string) => number,
): Generator<ArchiveFile> {
  if (instances.length === 0) return
  const picture = (valueFor: (instance: MaskInstance, index: number) => number): Uint8Array => {
    const raster = paintInstances(
      new Uint32Array(width * height),
      instances,
      { width, height },
      valueFor,
    )
    return writeRgbPng(width, height, raster)
  }
  const classes = picture(({ label }) => colorOf(label.name))
  yield { path: `SegmentationClass/${id}.png`, content: classes }
  const objects = picture((_, index) => paletteColor(index + 1))
  yield { path: `SegmentationObject/${id}.png`, content: objects }
}
