/** The report that every import and export ends with. */

export type ReportKind = 'skipped' | 'converted' | 'dropped'

/**
 * Reason for an entry. `merged-group`: members of a group became one object; `other-size`: an image has another size
 * than its frame; `changed-image`: restored media differs from the manifest of its backup; `damaged-image`: a
 * restored image cannot be decoded, or an image does not match the checksum in its archive;
 * `unknown-source`: an object has a source that annotations cannot store.
 */
export type ReportCode =
  | 'changed-image'
  | 'clipped'
  | 'damaged-image'
  | 'degenerate-shape'
  | 'deleted-frame'
  | 'dropped-attribute'
  | 'dropped-shape-type'
  | 'duplicate'
  | 'duplicate-entry'
  | 'frame-outside-job'
  | 'ignored-chapter'
  | 'ignored-file'
  | 'ignored-page'
  | 'mask-too-small'
  | 'merged-group'
  | 'other-size'
  | 'rounded'
  | 'unknown-source'
  | 'unlabelled'
  | 'unsupported-rotation'

export interface ReportExample {
  file?: string | undefined
  item?: string | undefined
}

export interface ReportEntry {
  kind: ReportKind
  code: ReportCode
  count: number
  reason: string
  examples: ReportExample[]
}

export interface ConversionReport {
  created: { tags: number; shapes: number; tracks: number }
  skipped: number
  converted: number
  dropped: number
  entries: ReportEntry[]
}

export interface ReportWriter {
  created(what: keyof ConversionReport['created'], count?: number): void
  /** Adds a note. Notes with equal kind, code and reason become one entry. */
  note(
    kind: ReportKind,
    code: ReportCode,
    reason: string,
    example?: ReportExample,
    count?: number,
  ): void
  read(): ConversionReport
}

const entriesKept = 100
const examplesKept = 5

/** Creates an empty report. Totals include notes beyond the limit of entries. */
export function createReport(): ReportWriter {
  const totals = { skipped: 0, converted: 0, dropped: 0 }
  const created = { tags: 0, shapes: 0, tracks: 0 }
  const entries = new Map<string, ReportEntry>()
  return {
    created(what, count = 1) {
      created[what] += count
    },
    note(kind, code, reason, example, count = 1) {
      totals[kind] += count
      const key = `${kind} ${code} ${reason}`
      let entry = entries.get(key)
      if (!entry && entries.size < entriesKept) {
        entry = { kind, code, count: 0, reason, examples: [] }
        entries.set(key, entry)
      }
      if (!entry) return
      entry.count += count
      if (example && entry.examples.length < examplesKept) entry.examples.push(example)
    },
    read: () => ({ created: { ...created }, ...totals, entries: [...entries.values()] }),
  }
}
