import { type DataParameters, dataParameters } from '@reticle/contracts/rest/media'
import { invalidInput } from '@reticle/kit'
import { formatIssue } from '@reticle/kit/call/validation'
import type { FormFields } from './form.ts'
import { collectLists } from './text-form.ts'

/** Parameters of media as fields of a form. */

/** Fields that may contain a long list as JSON. */
export const documents = [
  ...['job_file_mapping', 'validation_params', 'upload_file_order'],
  ...['server_files', 'server_files_exclude', 'remote_files'],
]

/**
 * Reads the parameters.
 * @throws DomainError invalid, naming the field
 */
export function readParameters(fields: FormFields): DataParameters {
  const read = dataParameters.safeParse(collectLists(fields), { error: formatIssue })
  if (read.error) throw invalidInput(read.error.issues)
  return read.data
}
