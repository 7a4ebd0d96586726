import type { UploadedFile } from '@reticle/contracts/rest/requests'
import type { CallContext } from '@reticle/kit'
import { keptOnce } from '../contents/hashed.ts'
import { fetchedFile } from '../locations/fetch.ts'
import type { OperationDeps } from '../operations/operation.ts'

interface Given {
  params: Parameters<typeof fetchedFile>[0]
  /** Key prefix of the upload. */
  input_key: string | null
}

/**
 * Fetches the archive if necessary, registers it for deduplication and returns it with its final key: its images become
 * the media of the created tasks.
 */
export async function keptFile(
  { params, input_key }: Given,
  deps: OperationDeps,
  context: CallContext,
): Promise<UploadedFile> {
  if (input_key === null) throw new Error('a request for an import has a place for its file')
  const fetched = await fetchedFile(params, deps, context)
  const { files } = await keptOnce([fetched], input_key, deps)
  const [file = fetched] = files
  return file
}
