import { paletteColor, parseColor } from '../image/colors.ts'
import type { ConversionRun, DatasetLabel } from '../model/dataset.ts'
import type { MapLabel } from './label-map.ts'

/**
 * Returns the labels of a project with their colours, sorted by the bytes of their names, with a black `background`
 * unless a label has that name. Labels with equal colours are reported.
 */
export function projectColors(
  labels: readonly DatasetLabel[],
  { report }: Pick<ConversionRun, 'report'>,
): MapLabel[] {
  const own = labels.map(({ name, color }, index) =>
    mapLabel(name, parseColor(color) ?? paletteColor(index + 1)),
  )
  const hasBackground = own.some(({ name }) => name === 'background')
  const all = hasBackground ? own : [...own, mapLabel('background', 0)]
  const sorted = all.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  const byColor = new Map<number | undefined, string>()
  for (const { name, color } of sorted) {
    const other = byColor.get(color)
    if (other === undefined) byColor.set(color, name)
    else {
      const reason = `labels '${other}' and '${name}' have one colour: masks will be read as of the first`
      report.note('converted', 'duplicate-entry', reason)
    }
  }
  return sorted
}

const mapLabel = (name: string, color: number): MapLabel => ({
  name,
  color,
  parts: [],
  actions: [],
})
