import type { UploadedFile } from '@reticle/contracts/rest/requests'
import type { CallContext } from '@reticle/kit'
import { UnusableInput } from '../work/errors.ts'
import type { OperationDeps } from './operation.ts'

interface ImportFile {
  file: UploadedFile
  /** Null: it was uploaded. */
  cloud_storage_id: number | null
}

/**
 * Returns the file of an import in a readable place: the upload, or a copy from the cloud storage, made with the
 * permissions of the user. The copy is deleted with the request, as an upload is.
 *
 * @throws UnusableInput for a file that is empty or larger than the limit of an archive
 */
export async function fetchImportFile(
  { file, cloud_storage_id }: ImportFile,
  { services, blobs, signal, progress, limits }: OperationDeps,
  context: CallContext,
): Promise<UploadedFile> {
  if (cloud_storage_id === null) return file
  progress(0, 'Fetching the file')
  const { name, key } = file
  const { chunks } = await services.storages.readStorageFile(
    { cloud_storage_id, key: name },
    context,
  )
  const { size } = await blobs.put(key, atMost(limits.bytes, name, chunks), { signal })
  if (size === 0) throw new UnusableInput(`${name}: the file is empty`)
  return { ...file, size }
}

async function* atMost(
  most: number,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) throw new UnusableInput(`${name}: the file has more than ${most} bytes`)
    yield chunk
  }
}
