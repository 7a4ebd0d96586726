/** Column-wise run lengths of the whole image. */
interface Painted {
  runs: readonly number[]
}

interface Size {
  width: number
  height: number
}

/**
 * Paints instances into a raster of one value per pixel, row by row; later ones cover earlier ones. Only pixels of
 * instances are visited.
 * @param valueFor Returns the pixel value of an instance; indexes start at 0.
 */
export function paintInstances<
  Raster extends Uint8Array | Uint16Array | Uint32Array,
  One extends Painted,
>(
  raster: Raster,
  instances: readonly One[],
  { width, height }: Size,
  valueFor: (instance: One, index: number) => number,
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
        // Continue at the top of the next column.
        to += 1 - width * height
        rowsLeft = height
      }
      at = end
    }
  }
  return raster
}

/** Returns the instances that still have a visible pixel when all are painted. */
export function visibleOf<One extends Painted>(
  instances: readonly One[],
  { width, height }: Size,
): Set<One> {
  const raster = new Uint32Array(width * height)
  paintInstances(raster, instances, { width, height }, (_, index) => index + 1)
  const seen = new Uint8Array(instances.length + 1)
  for (const value of raster) seen[value] = 1
  return new Set(instances.filter((_, index) => seen[index + 1] === 1))
}
