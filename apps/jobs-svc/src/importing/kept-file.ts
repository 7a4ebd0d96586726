import type { UploadedFile } from '@reticle/contracts/rest/requests'
import type { Context } from '@reticle/kit'
import { keptOnce } from '../contents/hashed.ts'
import { fetchedFile } from '../locations/fetch.ts'
import type { OperationDeps } from '../operations/operation.ts'

interface Given {
  params: Parameters<typeof fetchedFile>[0]
  /** Below this key lies what was uploaded. */
  input_key: string | null
}

/** The archive stays where its tenant has it: its images are the media of the tasks that are made of it (`contents/`). */
export async function keptFile(
  { params, input_key }: Given,
  deps: OperationDeps,
  context: Context,
): Promise<UploadedFile> {
  if (input_key === null) throw new Error('a request for an import has a place for its file')
  const fetched = await fetchedFile(params, deps, context)
  const { files } = await keptOnce([fetched], input_key, deps)
  const [file = fetched] = files
  return file
}
