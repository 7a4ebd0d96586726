import type { Report } from '@reticle/contracts/rest/requests'
import type { ReportWriter } from '@reticle/formats/report'

/** What a conversion noted, as the record of its request shows it. */
export function toReport(writer: ReportWriter): Report {
  const { entries, ...totals } = writer.read()
  const shown = entries.map((entry) => ({
    ...entry,
    examples: entry.examples.map(({ file = '', item = '' }) => ({ file, item })),
  }))
  return { ...totals, entries: shown }
}

/** Tells of a file that no frame is made of. */
export const ignore = (report: ReportWriter, file: string, reason: string) =>
  report.note('skipped', 'ignored-file', reason, { file })
