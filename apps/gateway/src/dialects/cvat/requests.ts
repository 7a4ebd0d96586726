import { isFields, pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { formatName, formatWords } from './formats.ts'
import { knownFields, withKnownFields } from './known-fields.ts'
import { withWords } from './words.ts'

const request = withKnownFields('request', ({ operation, ...record }) => ({
  ...record,
  operation: isFields(operation)
    ? knownFields('operation', { ...operation, format: formatName(operation.format) })
    : operation,
}))

/** The default of `lightweight` is false in CVAT. */
const backUp = { query: (given: object) => ({ lightweight: 'false', ...given }) }

export const requests: Translations = {
  listRequests: {
    ...pageAnswer(request),
    input: (input) => withWords(input, 'format', formatWords),
  },
  getRequest: recordAnswer(request),
  streamRequest: recordAnswer(request),
  streamRequests: recordAnswer(request),
  cancelRequest: { input: (input) => ({ ...input, only_exports: true }) },
  importProjectDataset: { input: (input) => ({ ...input, names_default_subset: true }) },
  exportProjectBackup: backUp,
  exportTaskBackup: backUp,
}
