import { formatName, formatNames } from '@reticle/contracts/dialects/cvat/format-names'
import { knownFields } from '@reticle/contracts/dialects/cvat/known-fields'
import {
  type Change,
  isFields,
  type RecordFields,
  recordAnswer,
  type Translations,
} from '../../call/dialect.ts'
import type { PublicError } from '../../call/http-error.ts'
import type { Words } from './words.ts'

/** Formats that CVAT clients do not know. */
const unknown: ReadonlySet<unknown> = new Set(['TFRecord 1.0'])
/** Exported by CVAT clients only in its image or video variant. */
const importedOnly = 'CVAT 1.1'

/** Native names by CVAT name, for filters; elsewhere services accept both. */
export const formatWords: Words = new Map([...formatNames].map(([own, theirs]) => [theirs, [own]]))

const formats: Change = ({ importers, exporters }) => ({
  importers: listed(importers).map(withoutExtras),
  exporters: listed(exporters)
    .filter(({ name }) => name !== importedOnly)
    .map(withoutExtras),
})

const withoutExtras = (format: RecordFields) => knownFields('format', format)

const listed = (given: unknown): RecordFields[] =>
  [given]
    .flat()
    .filter(isFields)
    .filter(({ name }) => !unknown.has(name))
    .map((one) => ({ ...one, name: formatName(one.name) }))

const losses: Change = ({ formats: given }) => ({ formats: listed(given) })

export const formatLists: Translations = {
  listFormats: recordAnswer(formats),
  listFormatLosses: recordAnswer(losses),
}

/** Replaces format names in the error for an unknown format by CVAT names. */
export function renameFormats(failed: PublicError): PublicError {
  if (failed.code !== 'format_unknown' || !Array.isArray(failed.body)) return failed
  return { ...failed, body: failed.body.map((text) => renamed(String(text))) }
}

function renamed(text: string): string {
  const end = text.indexOf('. ') // the text before it contains the name from the request
  let names = text.slice(end)
  for (const [own, theirs] of formatNames) names = names.replaceAll(own, theirs)
  return text.slice(0, end) + names
}
