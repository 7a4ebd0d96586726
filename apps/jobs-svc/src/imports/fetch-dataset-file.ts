import type { UploadedFile } from '@reticle/contracts/rest/requests'
import type { CallContext } from '@reticle/kit'
import { fetchImportFile } from '../operations/fetch-file.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { deduplicateFiles } from '../storage/deduplicate-files.ts'

interface DatasetFileInput {
  params: Parameters<typeof fetchImportFile>[0]
  /** Key prefix of the upload. */
  input_key: string | null
}

/**
 * Fetches the archive if necessary, registers it for deduplication and returns it with its final key: its images become
 * the media of the created tasks.
 */
export async function fetchDatasetFile(
  { params, input_key }: DatasetFileInput,
  deps: OperationDeps,
  context: CallContext,
): Promise<UploadedFile> {
  if (input_key === null) throw new Error('a dataset import must have an input_key')
  const fetched = await fetchImportFile(params, deps, context)
  const { files } = await deduplicateFiles([fetched], input_key, deps)
  const [file = fetched] = files
  return file
}
