import type { Report } from '@reticle/sdk'

/** A row of the table of a report: one example, or what has none. */
export interface ReportRow {
  key: string
  kind: string
  code: string
  /** How often, of all examples together; only beside the first of them. */
  count: number | undefined
  file: string
  item: string
  reason: string
}

/** The rows of a report; of entries with more than their examples the count tells how many there are. */
export function reportRows({ entries }: Report, code = ''): ReportRow[] {
  return entries
    .filter((entry) => code === '' || entry.code === code)
    .flatMap(({ kind, code, count, reason, examples }, at) => {
      const shown = examples.length > 0 ? examples : [{ file: '', item: '' }]
      return shown.map(({ file, item }, index) => ({
        ...{ key: `${at} ${index}`, kind, code, file, item, reason },
        count: index === 0 ? count : undefined,
      }))
    })
}

/** The codes of a report, each once. */
export const codesOf = ({ entries }: Report): string[] => [
  ...new Set(entries.map(({ code }) => code)),
]

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

/** The sums of a report: `240 shapes, 0 tracks, 3 tags; 2 converted, 5 dropped, 0 skipped`. */
export function sumText({ created, converted, dropped, skipped }: Report): string {
  const { shapes, tracks, tags } = created
  const made = `${counted(shapes, 'shape')}, ${counted(tracks, 'track')}, ${counted(tags, 'tag')}`
  return `${made}; ${converted} converted, ${dropped} dropped, ${skipped} skipped`
}
