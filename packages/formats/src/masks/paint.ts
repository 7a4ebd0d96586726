import type { MaskInstance, Size } from './instances.ts'

/**
 * Paints instances into a picture of one value a pixel, row by row; later ones cover earlier ones. Only pixels of instances are touched.
 * @param valueFor what the pixels of an instance become; its index is counted from 0
 */
export function paint<Raster extends Uint8Array | Uint16Array | Uint32Array>(
  raster: Raster,
  instances: readonly MaskInstance[],
  { width, height }: Size,
  valueFor: (instance: MaskInstance, index: number) => number,
): Raster {
  for (const [index, instance] of instances.entries()) {
    const value = valueFor(instance, index)
    let at = 0
    for (const [turn, run] of instance.runs.entries()) {
      const end = at + run
      let to = (at % height) * width + Math.floor(at / height)
      let rowsLeft = height - (at % height)
      for (; turn % 2 === 1 && at < end; at += 1) {
        raster[to] = value
        to += width
        rowsLeft -= 1
        if (rowsLeft > 0) continue
        // On with the top of the next column.
        to += 1 - width * height
        rowsLeft = height
      }
      at = end
    }
  }
  return raster
}
