import { request } from '@reticle/contracts/dialects/cvat/records'
import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { formatWords } from './formats.ts'
import { withWords } from './words.ts'

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
