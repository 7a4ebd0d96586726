import { type DataParameters, dataParameters } from '@reticle/contracts/rest/media'
import { invalid, invalidInput } from '@reticle/kit'
import { wording } from '@reticle/kit/validation'
import type { Fields } from './form.ts'
import { listed } from './text-form.ts'

/** Parameters of media as the fields of a form: `spec/api-workspace.md` 4.5. */

/** Fields that may hold a long list, as JSON. */
export const documents = [
  ...['job_file_mapping', 'validation_params', 'upload_file_order'],
  ...['server_files', 'server_files_exclude', 'remote_files'],
]

/** Without one of these a task would have other frames than were asked for. */
const unsupported = ['cloud_storage_id', 'filename_pattern']

/** @throws DomainError invalid naming the field */
export function readParameters(fields: Fields): DataParameters {
  const name = unsupported.find((one) => fields[one] !== undefined && fields[one] !== '')
  if (name !== undefined) throw invalid({ [name]: 'This parameter is not supported.' })
  const read = dataParameters.safeParse(listed(fields), { error: wording })
  if (read.error) throw invalidInput(read.error.issues)
  return read.data
}
