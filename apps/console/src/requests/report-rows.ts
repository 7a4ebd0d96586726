import type { Report, Request } from '@reticle/sdk'

/** Row of the report table: one example, or an entry without examples. */
export interface ReportRow {
  key: string
  kind: string
  code: string
  /** Count of the entry; only in the row of its first example. */
  count: number | undefined
  file: string
  item: string
  reason: string
}

/** Returns the rows of a report. The count of an entry may be larger than its number of examples. */
export function reportRows({ entries }: Report, code = ''): ReportRow[] {
  return entries
    .filter((entry) => code === '' || entry.code === code)
    .flatMap(({ kind, code, count, reason, examples }, at) => {
      const shown = examples.length > 0 ? examples : [{ file: '', item: '' }]
      return shown.map(({ file, item }, index) => ({
        key: `${at} ${index}`,
        kind,
        code,
        file,
        item,
        reason,
        count: index === 0 ? count : undefined,
      }))
    })
}

export const codesOf = ({ entries }: Report): string[] => [
  ...new Set(entries.map(({ code }) => code)),
]

/** Returns the report to show for a request: none for a failed request without entries. */
export function shownReport({ status, report }: Pick<Request, 'status' | 'report'>): Report | null {
  return status === 'failed' && report?.entries.length === 0 ? null : report
}

const formatCount = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

/**
 * Returns the totals of a report: `240 shapes, 0 tracks, 3 tags; 2 converted, 5 dropped, 0 skipped`.
 *
 * @param type type of the request; the creation of a task creates no objects
 */
export function sumText({ created, converted, dropped, skipped }: Report, type = ''): string {
  if (type.startsWith('create:'))
    return `${converted} converted, ${dropped} dropped, ${skipped} skipped`
  const { shapes, tracks, tags } = created
  const made = `${formatCount(shapes, 'shape')}, ${formatCount(tracks, 'track')}, ${formatCount(tags, 'tag')}`
  return `${made}; ${converted} converted, ${dropped} dropped, ${skipped} skipped`
}

/** Maximum number of examples of an entry in a report. */
const mostExamples = 5

/**
 * Returns a sentence for each entry of a report: `7 skipped: unknown file type: a.jpg; b.jpg; c.jpg; d.jpg; e.jpg;
 * …`.
 */
export function entryTexts({ entries }: Report): string[] {
  return entries.map(({ kind, count, reason, examples }) => {
    const locations = examples.map(({ file, item }) => [file, item].filter(Boolean).join(', '))
    const isMore = examples.length >= mostExamples && count > examples.length
    return [`${count} ${kind}`, reason, [...locations, ...(isMore ? ['…'] : [])].join('; ')]
      .filter(Boolean)
      .join(': ')
  })
}
